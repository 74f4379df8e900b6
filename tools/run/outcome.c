/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks for what a run has recorded; see outcome.h. */
#include "tools/run/outcome.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/run/aftermath.h"
#include "core/config/config.h"
#include "tools/common/tool.h"
#include "tools/run/program.h"

#define MANIFEST_MAX	(256 << 10)	/* a manifest whose arguments are longer is taken for ours */

/* Whether the process whose manifest that is was one of this run; also where that cannot be seen any more. */
static bool is_ours(const char *path)
{
	static char text[MANIFEST_MAX];
	char *line = hyb_tool_format("\nenv: HYBMON_RUN=%s\n", getenv("HYBMON_RUN"));
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	ssize_t n = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) ? read(fd, text, sizeof(text) - 1) : -1;
	bool ours;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	ours = n < 0 || n == (ssize_t)sizeof(text) - 1 || strstr(text, line);
	free(line);
	return ours;
}

/* Whether a process of this run has a directory in the experiment. */
static bool has_process(const char *experiment)
{
	DIR *dir = opendir(experiment);
	bool found = false;
	struct dirent *d;

	while (dir && !found && (d = readdir(dir))) {
		char *path = hyb_tool_format("%s/%s/manifest", experiment, d->d_name);

		/* in a spool that is on another node it is a link to nowhere */
		found = d->d_name[0] != '.' && strcmp(d->d_name, "manifest") != 0 && is_ours(path);
		free(path);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* The run's experiments, which are at the place given, and beside it with numbers. NULL: there is none. */
static char **find_recordings(const char *place)
{
	char **found = NULL;
	bool there = true;

	for (unsigned int n = 1; there; n++) {
		char *path = n == 1 ? hyb_tool_format("%s", place) : hyb_tool_format("%s.%u", place, n);
		struct stat st;

		there = !lstat(path, &st);
		if (there && has_process(path))
			hyb_tool_add(&found, path);
		else
			free(path);
	}
	return found;
}

/* The first folder on the way to `place` that is there. To be freed. */
static char *nearest(const char *place)
{
	char *path = hyb_tool_format("%s", place);
	char *slash;

	while (access(path, F_OK) && (slash = strrchr(path, '/')) && slash > path)
		*slash = 0;
	if (access(path, F_OK))
		strcpy(path, "/");
	return path;
}

/* NULL: something can be made there. To be freed. */
static char *closed_place(const char *place)
{
	char *folder = nearest(place);
	struct stat st;
	int err = stat(folder, &st) ? errno : !S_ISDIR(st.st_mode) ? ENOTDIR : access(folder, W_OK | X_OK) ? errno : 0;
	char *text = err ? hyb_tool_format("%s: %s; name another place with -o", folder, strerror(err)) : NULL;

	free(folder);
	return text;
}

/* How a command that is linked with MPI can have come to its end without a call that reached us. */
static char *without_call(const struct hyb_plan *plan, int status)
{
	const char *name = hyb_program_base(plan->argv[plan->launch.programs[0]]);

	if (WIFSIGNALED(status))
		return hyb_tool_format("signal %d (%s) ended it before %s's first MPI call", WTERMSIG(status),
				       strsignal(WTERMSIG(status)), name);
	if (WEXITSTATUS(status))
		return hyb_tool_format("it ended with status %d before %s's first MPI call", WEXITSTATUS(status), name);
	return hyb_tool_format("%s made no MPI call%s", name,
			       plan->launch.mpi == HYB_LAUNCH_NONE ? "" : " that this node knows of");
}

/* Whether any user can read the file, by the modes on the way to it: scripts may have become others by su. */
static bool is_open_to_all(const char *file)
{
	char *path = hyb_tool_format("%s", file);
	struct stat st;
	bool open = !stat(path, &st) && st.st_mode & S_IROTH;

	for (char *slash = strrchr(path, '/'); open && slash && slash > path; slash = strrchr(path, '/')) {
		*slash = 0;
		open = !stat(path, &st) && st.st_mode & S_IXOTH;
	}
	free(path);
	return open;
}

/* What is known of the command speaks for this. */
static char *guess(const struct hyb_plan *plan)
{
	const char *name = hyb_program_base(plan->argv[plan->launch.count ? plan->launch.programs[0] : 0]);

	if (plan->openmp)
		return hyb_tool_format("%s did not begin to use OpenMP, or OMP_TOOL disables tools", name);
	if (plan->unknown)
		return hyb_tool_format("nothing that %s started called MPI, or used an OpenMP runtime that tells tools, with "
				       "hybmon in its LD_PRELOAD%s%s", name, is_open_to_all(plan->library) ? "" : "; or it ran as a user who cannot read ",
				       is_open_to_all(plan->library) ? "" : plan->library);
	return hyb_tool_format("%s is linked with neither MPI nor OpenMP, and no call of either was seen", name);
}

/* To be freed. */
static char *reason(const struct hyb_plan *plan, int status, const char *place)
{
	char *text = closed_place(place);
	char *longer;

	if (text)
		return text;
	if (plan->warned)
		return hyb_tool_format("see the warning at the start");
	if (plan->mpi)
		return without_call(plan, status);
	text = guess(plan);
	if (!WIFEXITED(status) || !WEXITSTATUS(status))
		return text;
	longer = hyb_tool_format("%s; it ended with status %d", text, WEXITSTATUS(status));
	free(text);
	return longer;
}

void hyb_outcome_say(const struct hyb_plan *plan, int status)
{
	const char *place = getenv("HYBMON_TRACE_DIR");
	char **recordings;
	char *why;

	if (hyb_config.verbose < HYB_LOG_WARNING)
		return;
	recordings = find_recordings(place);
	if (recordings && hyb_config.verbose >= HYB_LOG_NOTE)
		hyb_aftermath_tell(recordings);
	for (size_t i = 0; recordings && recordings[i]; i++)
		free(recordings[i]);
	free(recordings);
	if (recordings)
		return;
	why = reason(plan, status, place);
	hyb_tool_say("warning: ", "nothing was recorded into %s: %s", place, why);
	free(why);
}
