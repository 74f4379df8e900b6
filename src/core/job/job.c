/* SPDX-License-Identifier: BSD-3-Clause */
/* Which job this process belongs to; see job.h. */
#include "core/job/job.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "core/sys/alive.h"
#include "core/config/config.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"

extern char **environ;

const char *hyb_job_env(const char *name)
{
	size_t n = strlen(name);

	if (getauxval(AT_SECURE) || !environ)
		return NULL;
	for (char **e = environ; *e; e++) {
		if (!strncmp(*e, name, n) && (*e)[n] == '=')
			return *e + n + 1;
	}
	return NULL;
}

static const char *first_of(const char *const *names)
{
	const char *value = NULL;

	while (*names && !value)
		value = hyb_job_env(*names++);
	return value;
}

void hyb_job_host(char *buf, unsigned int size)
{
	struct utsname name;

	if (HYB_SYS(uname, &name, 0, 0, 0, 0, 0))
		memcpy(name.nodename, "localhost", sizeof("localhost"));
	hyb_text_format(buf, size, "%s", name.nodename);
	for (char *c = buf; *c; c++) {
		if (*c == '/')
			*c = '_';
	}
}

static int number(const char *text)
{
	int n = 0;

	if (!text || *text < '0' || *text > '9')
		return -1;
	while (*text >= '0' && *text <= '9' && n < INT32_MAX / 10 - 1)
		n = n * 10 + (*text++ - '0');
	return n;
}

/* The lower 16 bits of a number of up to 32. */
static int low_half(const char *text)
{
	uint32_t n = 0;

	while (*text >= '0' && *text <= '9')
		n = n * 10 + (uint32_t)(*text++ - '0');
	return (int)(n & 0xffff);
}

/* The word behind an option in a command line of n bytes; words end with a zero byte. */
static bool hydra_option(const char *cmdline, long n, const char *option, char *buf, size_t size)
{
	for (const char *arg = cmdline; arg < cmdline + n; arg += strlen(arg) + 1) {
		if (strcmp(arg, option))
			continue;
		arg += strlen(arg) + 1;
		if (arg >= cmdline + n)
			return false;
		hyb_text_format(buf, size, "%s", arg);
		return true;
	}
	return false;
}

/*
 * Hydra tells its ranks nothing that names the job, but all its proxies, on all nodes, are started with
 * the address of the one mpiexec, and for spawned processes with the number of their group.
 */
static bool hydra_address(char *buf, size_t size, int *group)
{
	char cmdline[8192];
	char start[32];
	char path[64];
	long pid = HYB_SYS(getpid, 0, 0, 0, 0, 0, 0);

	/* Scripts and wrappers may stand between the proxy and the rank. */
	for (int level = 0; level < 8; level++) {
		long n;

		if (!hyb_alive_look(pid, &pid, start, sizeof(start)) || pid <= 1)
			return false;
		hyb_text_format(path, sizeof(path), "/proc/%ld/cmdline", pid);
		n = hyb_sys_read_file(path, cmdline, sizeof(cmdline));
		if (hydra_option(cmdline, n, "--control-port", buf, size)) {
			char text[16];

			*group = hydra_option(cmdline, n, "--pgid", text, sizeof(text)) ? number(text) : 0;
			return true;
		}
	}
	return false;
}

/* The @ in a namespace of PRRTE, Open MPI 5's launcher: prterun-HOST-PID@N. NULL: it is another launcher's. */
static const char *prrte_job(const char *name_space)
{
	return strncmp(name_space, "prte", 4) == 0 ? strrchr(name_space, '@') : NULL;
}

/*
 * Open MPI gives spawned processes the port of their parent: namespace.rank:tag. Open MPI 5 has a number in place of
 * the namespace, whose lower 16 bits are PRRTE's N; both jobs have the same launcher.
 */
static void from_parent_port(struct hyb_job *job, const char *own, const char *nonce)
{
	const char *port = hyb_job_env("OMPI_PARENT_PORT");
	const char *dot = port ? strchr(port, '.') : NULL;
	const char *at = number(port) < 0 ? NULL : prrte_job(own);
	const char *begin = at ? own : port;
	char name_space[128];
	size_t n;

	if (!dot)
		return;
	n = (size_t)((at ? at : dot) - begin);
	if (!n || n >= sizeof(name_space))
		return;
	memcpy(name_space, begin, n);
	name_space[n] = 0;
	if (at)
		hyb_text_format(job->parent, sizeof(job->parent), "pmix %s@%d %s", name_space, low_half(port), nonce);
	else
		hyb_text_format(job->parent, sizeof(job->parent), "pmix %s %s", name_space, nonce);
	job->parent_rank = number(dot + 1);
}

static void from_hydra(struct hyb_job *job, const char *address, int group)
{
	const char *port = strrchr(address, ':');

	port = port ? port + 1 : address;
	hyb_text_format(job->key, sizeof(job->key), "hydra %s", address);
	hyb_text_format(job->id, sizeof(job->id), "%s", port);
	if (group <= 0)
		return;
	/* Who of the groups before it has spawned this one is not told; mostly it is the first. */
	hyb_text_format(job->parent, sizeof(job->parent), "hydra %s", address);
	hyb_text_format(job->key, sizeof(job->key), "hydra %s %d", address, group);
	hyb_text_format(job->id, sizeof(job->id), "%s-%d", port, group);
}

/* PID is enough of PRRTE's name, with N for spawned jobs. */
static bool name_prrte_job(struct hyb_job *job, const char *name_space)
{
	const char *at = prrte_job(name_space);
	const char *pid = at;

	if (!at)
		return false;
	while (pid > name_space && pid[-1] >= '0' && pid[-1] <= '9')
		pid--;
	if (pid == at || strlen(pid) >= sizeof(job->id))
		return false;
	hyb_text_format(job->id, sizeof(job->id), "%s", pid);
	job->id[at - pid] = strcmp(at, "@1") == 0 ? 0 : '-';
	return true;
}

static void from_pmix(struct hyb_job *job, const char *name_space)
{
	static const char *const unique[] = {
		"OMPI_MCA_orte_precondition_transports", "OMPI_MCA_orte_hnp_uri", NULL
	};
	const char *nonce = first_of(unique);

	hyb_text_format(job->key, sizeof(job->key), "pmix %s %s", name_space, nonce ? nonce : "");
	if (!name_prrte_job(job, name_space))
		hyb_text_format(job->id, sizeof(job->id), "%s", name_space);
	from_parent_port(job, name_space, nonce ? nonce : "");
}

/* Launchers that give their job a name: variable, and a second one for the step, or NULL. */
static bool from_launcher(struct hyb_job *job)
{
	static const char *const launchers[][2] = {
		{ "SLURM_JOB_ID", "SLURM_STEP_ID" },
		{ "PALS_APID", NULL },
		{ "ALPS_APP_ID", NULL },
		{ "FLUX_JOB_ID", NULL },
	};

	for (unsigned int i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
		const char *id = hyb_job_env(launchers[i][0]);
		const char *step = launchers[i][1] ? hyb_job_env(launchers[i][1]) : "0";

		if (!id || !step)
			continue;
		hyb_text_format(job->key, sizeof(job->key), "%s %s.%s", launchers[i][0], id, step);
		hyb_text_format(job->id, sizeof(job->id), "%s.%s", id, step);
		return true;
	}
	return false;
}

static bool has_mpi;

void hyb_job_has_mpi(void)
{
	__atomic_store_n(&has_mpi, true, __ATOMIC_RELAXED);
}

void hyb_job_look(void)
{
	if (dlsym(RTLD_DEFAULT, "PMPI_Init"))
		hyb_job_has_mpi();
}

/*
 * What hybmon run began has a name of its own. A process with an MPI will have a rank, if only that it is alone, so it
 * shares an experiment with nobody.
 */
static bool from_run(struct hyb_job *job)
{
	if (job->rank >= 0 || !hyb_config.run[0] || __atomic_load_n(&has_mpi, __ATOMIC_RELAXED))
		return false;
	hyb_text_format(job->key, sizeof(job->key), "run %s", hyb_config.run);
	hyb_text_format(job->id, sizeof(job->id), "%s", hyb_config.run);
	job->run = true;
	return true;
}

/* Nobody names the job: ranks have their launcher in common, a process without one only has itself. */
static void from_parent(struct hyb_job *job)
{
	long pid = HYB_SYS(getpid, 0, 0, 0, 0, 0, 0);
	char start[32] = "";
	char host[65];
	long parent = 0;

	hyb_alive_look(pid, &parent, start, sizeof(start));
	if (job->rank >= 0) {
		pid = parent;
		hyb_alive_look(pid, &parent, start, sizeof(start));
	}
	hyb_job_host(host, sizeof(host));
	hyb_text_format(job->key, sizeof(job->key), "process %s %ld %s", host, pid, start);
	hyb_text_format(job->id, sizeof(job->id), "%ld", pid);
}

/*
 * Schedulers: the job's number, in an array that of the array where it has one of its own, and the index in it. SGE's
 * first variable is too plain a name to be taken without its second.
 */
static const struct scheduler {
	const char *name, *job, *array, *index;
	bool both;
} schedulers[] = {
	{ "Slurm", "SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", false },
	{ "PBS", "PBS_JOBID", "PBS_JOBID", "PBS_ARRAY_INDEX", false },
	{ "LSF", "LSB_JOBID", "LSB_JOBID", "LSB_JOBINDEX", false },
	{ "SGE", "JOB_ID", "JOB_ID", "SGE_TASK_ID", true },
	{ "Flux", "FLUX_JOB_ID", NULL, NULL, false },
	{ "Cobalt", "COBALT_JOBID", NULL, NULL, false },
	{ "OAR", "OAR_JOB_ID", NULL, NULL, false },
	{ "PJM", "PJM_JOBID", "PJM_JOBID", "PJM_BULKNUM", false },
};

static void file_name(char *text)
{
	for (; *text; text++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *text))
			*text = '_';
	}
}

/* The index in the job's array, -1: it is in none. LSF says 0 then. */
static int array_index(const struct scheduler *s)
{
	int index = s->index ? number(hyb_job_env(s->index)) : -1;

	return index == 0 && !strcmp(s->name, "LSF") ? -1 : index;
}

const char *hyb_job_scheduler(char *buf, unsigned int size)
{
	buf[0] = 0;
	for (size_t i = 0; i < sizeof(schedulers) / sizeof(schedulers[0]); i++) {
		const struct scheduler *s = &schedulers[i];
		const char *job = hyb_job_env(s->job);
		const char *array = s->array ? hyb_job_env(s->array) : NULL;
		int index = array_index(s);

		if (!job || !*job || (s->both && !hyb_job_env(s->index)))
			continue;
		hyb_text_format(buf, size, "%s", index >= 0 && array ? array : job);
		buf[strcspn(buf, ".[")] = 0;	/* PBS: 1234[7].server */
		if (index >= 0)
			hyb_text_format(buf + strlen(buf), size - (unsigned int)strlen(buf), "_%d", index);
		file_name(buf);
		return s->name;
	}
	return NULL;
}

/* The scheduler's name of the job, where the launcher's does not say the same: slurm.pmix.1234.0. */
static void set_label(struct hyb_job *job)
{
	size_t n;

	hyb_job_scheduler(job->label, sizeof(job->label));
	n = strlen(job->label);
	for (const char *p = job->id; n && (p = strstr(p, job->label)) != NULL; p++) {
		if ((p == job->id || strchr(".-_", p[-1])) && (!p[n] || strchr(".-_", p[n])))
			job->label[0] = 0;
		if (!job->label[0])
			return;
	}
}

static void one_line(char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			*text = ' ';
	}
}

int hyb_job_rank(void)
{
	static const char *const ranks[] = {
		"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK",
		"PALS_RANKID", "FLUX_TASK_RANK", NULL
	};
	int rank = number(first_of(ranks));

	/* Slurm's batch scripts have this, too, but are no ranks. */
	return rank < 0 && hyb_job_env("SLURM_STEP_ID") ? number(hyb_job_env("SLURM_PROCID")) : rank;
}

bool hyb_job_first_of_node(void)
{
	static const char *const ranks[] = {
		"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK", "PALS_LOCAL_RANKID",
		"SLURM_LOCALID", NULL
	};

	return number(first_of(ranks)) == 0;
}

void hyb_job_identify(struct hyb_job *job)
{
	const char *name_space = hyb_job_env("PMIX_NAMESPACE");
	char address[256];
	int group = 0;

	memset(job, 0, sizeof(*job));
	job->parent_rank = -1;
	job->rank = hyb_job_rank();
	if (name_space) {
		from_pmix(job, name_space);
	} else if (hyb_job_env("PMI_RANK") && hydra_address(address, sizeof(address), &group)) {
		from_hydra(job, address, group);
	} else if (!from_run(job) && (job->rank < 0 || !from_launcher(job))) {
		from_parent(job);
	}
	file_name(job->id);
	set_label(job);
	one_line(job->key);
	one_line(job->parent);
}
