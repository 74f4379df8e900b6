/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks at programs before they are started; see prepare.h. */
#include "tools/run/prepare.h"

#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/config/config.h"
#include "tools/common/tool.h"
#include "tools/run/program.h"
#include "tools/run/runtime.h"

#define note(...) do { \
		if (hyb_config.verbose >= HYB_LOG_NOTE) \
			hyb_tool_say("note: ", __VA_ARGS__); \
	} while (0)
#define warn(...) do { \
		if (hyb_config.verbose >= HYB_LOG_WARNING) \
			hyb_tool_say("warning: ", __VA_ARGS__); \
	} while (0)

static const struct {
	const char *library, *abi, *name;
} mpis[] = {
	{ "libmpi.so.40", "openmpi", "Open MPI" },
	{ "libmpich.so.12", "mpich", "MPICH" },
	{ "libmpi.so.12", "mpich", "an MPI of the MPICH family" },
};

char *hyb_prepare_adapter(const char *library, const char *abi)
{
	const char *base = hyb_program_base(library);

	if (hyb_config.adapter_dir && *hyb_config.adapter_dir)
		return hyb_tool_format("%s/libhybmon-%s.so", hyb_config.adapter_dir, abi);
	return hyb_tool_format("%.*shybmon/libhybmon-%s.so", (int)(base - library), library, abi);
}

char *hyb_prepare_collector(const char *library)
{
	const char *base = hyb_program_base(library);

	if (hyb_config.adapter_dir && *hyb_config.adapter_dir)
		return hyb_tool_format("%s/hybmon-collect", hyb_config.adapter_dir);
	return hyb_tool_format("%.*shybmon/hybmon-collect", (int)(base - library), library);
}

static void look_at_mpi(struct hyb_plan *plan, const struct hyb_program *p)
{
	const char *launcher = plan->argv[plan->launch.launcher];
	char *adapter;

	for (size_t i = 0; i < sizeof(mpis) / sizeof(mpis[0]); i++) {
		if (!hyb_program_library(p, mpis[i].library))
			continue;
		plan->mpi = true;
		adapter = hyb_prepare_adapter(plan->library, mpis[i].abi);
		if (access(adapter, R_OK)) {
			plan->warned = true;
			warn("%s uses %s, for which there is no %s: its MPI is not recorded; build hybmon where that "
			     "MPI's mpicc is", p->name, mpis[i].name, adapter);
		}
		free(adapter);
		if (plan->launch.mpi == HYB_LAUNCH_OPENMPI && strcmp(mpis[i].abi, "openmpi"))
			warn("%s uses %s, but %s is Open MPI's: each of its ranks will be alone in a job; use the "
			     "launcher of its own MPI", p->name, mpis[i].name, launcher);
		return;
	}
}

/* Whether the library can be loaded into it; why not is said. */
static bool can_preload(const struct hyb_program *p)
{
	if (p->kind == HYB_PROGRAM_STATIC)
		warn("%s is linked statically, so nothing can be preloaded: it is not recorded; link it dynamically",
		     p->name);
	else if (p->kind == HYB_PROGRAM_FOREIGN)
		warn("%s is for %s, and this hybmon is not: it is not recorded; use a hybmon built for that machine",
		     p->name, p->machine);
	else if (p->secure)
		warn("%s gains rights when it starts (set-uid and the like), so the dynamic linker preloads nothing: "
		     "it is not recorded; start it as the user that it becomes", p->name);
	else
		return true;
	return false;
}

static bool uses_libgomp(const struct hyb_program *p)
{
	return hyb_program_library(p, HYB_LIBGOMP) && !hyb_program_library(p, "libiomp5.so");
}

/* Once, however many programs there are. */
static void note_libgomp(const struct hyb_program *programs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!uses_libgomp(&programs[i]))
			continue;
		note("OpenMP of %s is seen as GCC's runtime, libgomp, is called; what GCC makes without a call is not: "
		     "static loops, master, masked, flush", programs[i].name);
		return;
	}
}

/* Programs without a runtime of OpenMP may load libraries that bring one. */
static bool has_runtime(const struct hyb_program *p)
{
	static const char *const runtimes[] = { HYB_LIBGOMP, "libomp.so.5", "libiomp5.so" };

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		if (hyb_program_library(p, runtimes[i]))
			return true;
	}
	return false;
}

/*
 * Its library ends the program if any other comes before it, which a preloaded one does. Where it is not the first
 * without us, the program cannot run without us either.
 */
static bool has_asan(const struct hyb_program *p)
{
	const char *base = p->libraries ? hyb_program_base(p->libraries[0]) : "";

	return !strncmp(base, "libasan.so", 10) || !strncmp(base, "libclang_rt.asan", 16);
}

/* Whether a user of that name or number can read the file. Only root can become him to see. */
static bool can_read(const char *user, const char *file)
{
	char *end;
	uid_t uid = (uid_t)strtoul(user, &end, 10);
	const struct passwd *entry = *end || end == user ? getpwnam(user) : getpwuid(uid);
	int status = 0;
	pid_t pid;

	if (geteuid() || (!entry && (*end || end == user)))
		return true;
	pid = fork();
	if (!pid) {
		if (entry && (initgroups(entry->pw_name, entry->pw_gid) || setgid(entry->pw_gid)))
			_exit(0);
		_exit(!setuid(entry ? entry->pw_uid : uid) && access(file, R_OK));
	}
	while (pid > 0 && waitpid(pid, &status, 0) != pid)
		;
	return !WIFEXITED(status) || !WEXITSTATUS(status);
}

/* What stands between here and the programs and may keep the library away from them. */
static void look_at_way(struct hyb_plan *plan)
{
	const struct hyb_launch *l = &plan->launch;
	bool blind = l->user && !can_read(l->user, plan->library);

	if (l->picky)
		warn("%s is told which variables to hand on: see that LD_PRELOAD and HYBMON_* are among them",
		     plan->argv[l->launcher]);
	if (l->emptied)
		warn("env takes all variables away, LD_PRELOAD too: what it starts is not recorded; put hybmon run behind it");
	if (l->stripper)
		warn("%s takes LD_PRELOAD away: what it starts is not recorded; put hybmon run behind it", l->stripper);
	if (blind)
		warn("the user %s cannot read %s: what runs as that user is not recorded; install hybmon where all users "
		     "can read it", l->user, plan->library);
	plan->warned |= l->picky || l->emptied || l->stripper || blind;
}

void hyb_prepare(struct hyb_plan *plan)
{
	struct hyb_program *programs;
	const struct hyb_launch *l = &plan->launch;
	size_t able = 0;

	hyb_launch_read(&plan->launch, plan->argv);
	plan->unknown = l->opaque;
	programs = hyb_tool_alloc((l->count + 1) * sizeof(*programs));
	for (size_t i = 0; i < l->count; i++) {
		programs[i].name = plan->argv[l->programs[i]];
		if (!l->contained)
			hyb_program_find(&programs[i], plan->argv[l->programs[i]]);
		plan->unknown |= programs[i].script || programs[i].kind == HYB_PROGRAM_UNKNOWN;
		plan->asan |= has_asan(&programs[i]);
		plan->openmp |= has_runtime(&programs[i]);
		able += can_preload(&programs[i]);
		look_at_mpi(plan, &programs[i]);
	}
	/* A launcher may start more than is known, and itself notes how its ranks end. */
	plan->preload = able > 0 || l->programs == NULL || l->programs[0] > 0;
	plan->warned |= able < l->count;
	look_at_way(plan);
	if (hyb_config.omp && plan->preload)
		note_libgomp(programs, l->count);
	plan->asan |= plan->unknown;
	for (size_t i = 0; i < l->count; i++)
		hyb_program_free(&programs[i]);
	free(programs);
}
