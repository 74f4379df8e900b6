/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a process ended: from its manifest, and where that has no end, from whether it is still alive
 * here.
 */
#include "merge/model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PID_SLACK 2 /* seconds: a process started later than its manifest says is another one */
#define COLLECTOR_SLACK 60 /* and one that writes its manifest as soon as it starts did not start long before, either */

static const struct {
	int number;
	const char *name;
} signals[] = {
	{ SIGHUP, "SIGHUP" },	{ SIGINT, "SIGINT" },	{ SIGQUIT, "SIGQUIT" },
	{ SIGILL, "SIGILL" },	{ SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" },
	{ SIGBUS, "SIGBUS" },	{ SIGFPE, "SIGFPE" },	{ SIGKILL, "SIGKILL" },
	{ SIGUSR1, "SIGUSR1" }, { SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" },
	{ SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" },
	{ SIGXCPU, "SIGXCPU" }, { SIGXFSZ, "SIGXFSZ" }, { SIGSYS, "SIGSYS" },
};

static const char *signal_name(long number)
{
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (signals[i].number == number)
			return signals[i].name;
	return NULL;
}

/* The first line of a file in /proc, without its newline; empty if it cannot be read. */
static void read_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");

	buf[0] = '\0';
	if (!f)
		return;
	if (!fgets(buf, (int)size, f))
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	fclose(f);
}

/* When the process with that pid was started, seconds since boot; -1 if there is none. */
static double started_after_boot(int64_t pid)
{
	unsigned long long ticks = 0;
	char path[64], line[1024];
	const char *p;

	snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
	read_line(path, line, sizeof(line));
	p = strrchr(line, ')');
	if (!p || sscanf(p + 1,
			 " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
			 "%*d %*d %llu",
			 &ticks) != 1)
		return -1;
	if (p[1] && p[2] == 'Z')
		return -1;
	return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

/* How long before its manifest a process was started, seconds; false: the manifest does not say when it was. */
static bool age_at_manifest(const struct hyb_manifest *m, double started, double *age)
{
	struct timespec real, boot;
	struct tm tm;

	memset(&tm, 0, sizeof(tm));
	if (!strptime(m->started, "%Y-%m-%dT%H:%M:%S", &tm))
		return false;
	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	*age = (double)timegm(&tm) - ((double)(real.tv_sec - boot.tv_sec) + started);
	return true;
}

/* True unless the process with this pid was certainly started after the one of the manifest. */
static bool same_process(const struct hyb_manifest *m, double started)
{
	double age;

	return !age_at_manifest(m, started, &age) || age >= -PID_SLACK;
}

enum life { DEAD, ALIVE, UNKNOWN };

static enum life life_of(const struct hyb_manifest *m)
{
	char host[256] = "", boot[64];
	double started;

	gethostname(host, sizeof(host) - 1);
	read_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
	if (m->pid <= 0 || strcmp(m->host, host))
		return UNKNOWN;
	if (*m->boot && *boot && strcmp(m->boot, boot))
		return DEAD;
	started = started_after_boot(m->pid);
	return started >= 0 && same_process(m, started) ? ALIVE : DEAD;
}

bool hyb_model_is_alive(const struct hyb_manifest *manifest)
{
	return life_of(manifest) == ALIVE;
}

/* The value of a line of /proc/PID/status; empty if there is none. */
static void read_status(int64_t pid, const char *key, char *buf, size_t size)
{
	char path[64], line[256];
	FILE *f;

	buf[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%lld/status", (long long)pid);
	f = fopen(path, "re");
	while (f && !*buf && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			snprintf(buf, size, "%.*s", (int)strcspn(line + strlen(key), "\n"), line + strlen(key));
	if (f)
		fclose(f);
}

/*
 * What a manifest says of its process may be made up or old. The directory of /proc may be root's where the process is
 * its user's, since a collector with rights of its own cannot be looked into.
 */
bool hyb_model_collects(const struct hyb_process *p)
{
	const struct hyb_manifest *m = &p->manifest;
	char name[64], owner[64];
	double age;

	if (life_of(m) != ALIVE || !age_at_manifest(m, started_after_boot(m->pid), &age) || age > COLLECTOR_SLACK)
		return false;
	read_status(m->pid, "Name:\t", name, sizeof(name));
	read_status(m->pid, "Uid:\t", owner, sizeof(owner));
	return !strcmp(name, "hybmon-collect") && strtoul(owner, NULL, 10) == p->owner;
}

static void set_end(struct hyb_model_process *p, enum hyb_end_kind end, const char *text)
{
	p->end = end;
	snprintf(p->ended, sizeof(p->ended), "%s", text);
}

/*
 * What Slurm calls the job, in the words of sacct -j: its step where Slurm started the ranks itself or by PMIx, else
 * the job. NULL: it is not Slurm's. To be freed.
 */
static char *slurm_name(const struct hyb_manifest *m)
{
	static const char step[] = "SLURM_JOB_ID ", pmix[] = "pmix slurm.pmix.", scheduler[] = "Slurm ";
	const char *job = hyb_manifest_get(m, "job", 0);
	const char *its = hyb_manifest_get(m, "scheduler", 0);

	if (job && !strncmp(job, step, strlen(step)))
		return strndup(job + strlen(step), strspn(job + strlen(step), "0123456789."));
	if (job && !strncmp(job, pmix, strlen(pmix)))
		return strndup(job + strlen(pmix), strspn(job + strlen(pmix), "0123456789."));
	if (its && !strncmp(its, scheduler, strlen(scheduler)))
		return strndup(its + strlen(scheduler), strspn(its + strlen(scheduler), "0123456789_"));
	return NULL;
}

/* Nothing here has seen it end; a scheduler has. */
static void set_lost(struct hyb_model_process *p, const char *text)
{
	char *name = slurm_name(&p->source->manifest);

	p->end = HYB_END_LOST;
	if (name)
		snprintf(p->ended, sizeof(p->ended), "%s (no exit was seen; Slurm may know: sacct -j %.40s)", text, name);
	else
		snprintf(p->ended, sizeof(p->ended), "%s (no exit was seen)", text);
	free(name);
}

static void judge_ended(struct hyb_model_process *p, const char *ended)
{
	const char *name;
	long number;

	p->end = HYB_END_FAILED;
	if (sscanf(ended, "exit %ld", &number) == 1) {
		p->status = number;
		p->has_status = true;
		if (number == 0)
			set_end(p, HYB_END_NORMAL, "");
		else
			snprintf(p->ended, sizeof(p->ended), "exited with status %ld", number);
	} else if (sscanf(ended, "signal %ld", &number) == 1) {
		name = signal_name(number);
		snprintf(p->ended, sizeof(p->ended),
			 name ? "ended by signal %ld (%s)" : "ended by signal %ld", number, name);
	} else if (sscanf(ended, "MPI_Abort %ld", &number) == 1) {
		snprintf(p->ended, sizeof(p->ended), "called MPI_Abort with %ld", number);
	} else {
		snprintf(p->ended, sizeof(p->ended), "ended: %s", ended);
	}
}

void hyb_model_judge_end(struct hyb_model_process *p)
{
	const struct hyb_manifest *m = &p->source->manifest;
	enum life life;

	if (!p->source->has_manifest) {
		set_end(p, HYB_END_LOST, "has no manifest");
		return;
	}
	if (*m->ended && strcmp(m->ended, "-")) {
		judge_ended(p, m->ended);
		return;
	}
	if (m->state == HYB_RUN_ENDED)
		return;
	life = life_of(m);
	if (life == ALIVE)
		set_end(p, HYB_END_RUNNING, "still running: merged is what there is so far");
	else if (m->state == HYB_RUN_FINALIZED)
		set_end(p, HYB_END_NORMAL, "");
	else if (life == DEAD)
		set_lost(p, "killed or lost");
	else
		set_lost(p, "still running, killed or lost");
	p->elsewhere = life == UNKNOWN && m->state != HYB_RUN_FINALIZED;
}

void hyb_model_time_end(const struct hyb_model *m, struct hyb_model_process *p)
{
	const char *text = hyb_manifest_get(&p->source->manifest, "until", 0);
	const int64_t raw = text ? strtoll(text, NULL, 10) : 0;

	p->until = raw > 0 ? hyb_ns_add(raw, hyb_clocks_get(m->clocks, (size_t)p->clock)->offset) : INT64_MIN;
}
