/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hybmon-print: raw streams as text, also while they are written. This file has the command line.
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/report/calltree-text.h"
#include "export/documents/profile.h"
#include "tools/common/command.h"
#include "tools/common/commands.h"
#include "export/text/job.h"
#include "export/text/summary.h"
#include "reader/streams/printable.h"

static void report(void *arg, enum hyb_severity severity, const char *text)
{
	static const char *const names[] = { "note", "warning", "error" };

	(void)arg;
	fflush(stdout);
	fprintf(stderr, "hybmon-print: %s: %s\n", names[severity], text);
	if (severity == HYB_SEV_ERROR)
		job.failed = true;
}

/* An experiment of one process with one stream, for a stream that lies alone. */
static int make_up(const char *path)
{
	struct hyb_experiment *x;
	struct hyb_process *p;
	struct hyb_reader *reader;
	char *real = realpath(path, NULL);
	int err = hyb_reader_open(real ? real : path, HYB_OWNER_ANY, &job.diag, &reader);

	if (err) {
		free(real);
		return -EINVAL;
	}
	x = print_must(calloc(1, sizeof(*x)));
	p = print_must(calloc(1, sizeof(*p)));
	x->path = print_must(strdup(path));
	x->processes = p;
	x->count = 1;
	p->path = print_must(strdup(path));
	p->name = strrchr(p->path, '/') ? strrchr(p->path, '/') + 1 : p->path;
	p->owner = HYB_OWNER_ANY;
	hyb_manifest_init(&p->manifest);
	if (hyb_reader_header(reader)->kind == HYB_STREAM_DEFS) {
		p->defs = print_must(strdup(real ? real : path));
	} else {
		p->streams = print_must(calloc(1, sizeof(*p->streams)));
		p->stream_count = 1;
		p->streams->kind = hyb_reader_header(reader)->kind;
		p->streams->number = hyb_reader_header(reader)->stream;
		p->streams->path = print_must(strdup(real ? real : path));
	}
	hyb_reader_close(reader);
	free(real);
	job.synthetic = true;
	job.experiment = x;
	return 0;
}

/* What the argument names: an experiment, a process's directory, or one stream. */
static int open_argument(const char *path)
{
	char dir[PATH_MAX], base[PATH_MAX];
	struct stat st;

	job.synthetic = false;
	job.gone = false;
	job.only = NULL;
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || strlen(path) >= PATH_MAX)
		return hyb_experiment_open(path, &job.diag, &job.experiment);
	strcpy(dir, path);
	strcpy(base, path);
	if (!hyb_experiment_open(dirname(dir), NULL, &job.experiment)) {
		if (job.experiment->single) {
			job.only = print_must(strdup(basename(base)));
			return 0;
		}
		hyb_experiment_close(job.experiment);
	}
	return make_up(path);
}

/* What writes profiles as JSON, if that is asked for. */
static int (*json_profile(void))(const struct hyb_calltree *, const struct hyb_model *, FILE *)
{
	return job.json ? hyb_json_profile : NULL;
}

/* The call tree of a whole experiment; of a single process or stream there is none. */
static void print_profiles(const char *path)
{
	const char *place;
	int err = hyb_command_make_place(&place);
	const struct hyb_profile_options options = {
		.place = place,
		.rank = job.rank, .thread = job.thread, .times = job.print.times, .write = json_profile(),
		.diag = &job.diag, .stop = &hyb_command_stop,
	};

	if (err) {
		hyb_diag_say(&job.diag, HYB_SEV_ERROR, "cannot make the directory %s: %s; set TMPDIR", place,
			     strerror(-err));
		return;
	}
	err = hyb_profile_show(path, &options, stdout);
	hyb_command_remove_place();
	if (err == -ENOENT)
		hyb_diag_say(&job.diag, HYB_SEV_ERROR, "%s: has no thread to show a profile of", path);
	else if (err)
		job.failed = true;
	if (!job.json)
		print_profile(job.experiment);
}

static void print_argument(const char *path)
{
	size_t matching = 0;

	if (open_argument(path)) {
		job.failed = true;
		return;
	}
	for (size_t i = 0; i < job.experiment->count; i++)
		matching += print_wanted_process(&job.experiment->processes[i]);
	if (!matching && job.rank >= 0)
		hyb_diag_say(&job.diag, HYB_SEV_ERROR, "%s: there is no rank %lld", path,
			     (long long)job.rank);
	job.start_known = false;
	job.start = 0;
	if (job.profile)
		print_profiles(path);
	if (!job.print.defs && !job.print.events && !job.print.summary) {
		/* nothing else was asked for */
	} else if (job.follow) {
		print_follow();
	} else if (matching) {
		print_survey(job.experiment);
		print_show(job.experiment);
	}
	hyb_experiment_close(job.experiment);
	free((char *)job.only);
}

/* A number that is not negative; anything else is a usage error. */
static int take_number(const char *option, const char *text, int64_t *number)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(text, &end, 10);
	if (errno || end == text || *end || n < 0) {
		hyb_command_say("error: --%s needs a number, not \"%s\"", option, text);
		return EXIT_USAGE;
	}
	*number = n;
	return -1;
}

static int take_rank(const char *text, void *wish)
{
	return take_number("rank", text, &((struct print_job *)wish)->rank);
}

static int take_thread(const char *text, void *wish)
{
	return take_number("thread", text, &((struct print_job *)wish)->thread);
}

static int leave_out_times(const char *text, void *wish)
{
	(void)text;
	((struct print_job *)wish)->print.times = false;
	return -1;
}

static const struct hyb_option options[] = {
	{ "defs", HYB_FLAG(struct print_job, print.defs) },
	{ "events", HYB_FLAG(struct print_job, print.events) },
	{ "summary", HYB_FLAG(struct print_job, print.summary) },
	{ "profile", HYB_FLAG(struct print_job, profile) },
	{ "json", HYB_FLAG(struct print_job, json), .need = &hyb_json_need },
	{ "rank", "=N", HYB_TAKE(take_rank) },
	{ "thread", "=N", HYB_TAKE(take_thread) },
	{ "follow", HYB_FLAG(struct print_job, follow) },
	{ "no-times", HYB_TAKE(leave_out_times) },
	{ "raw", HYB_FLAG(struct print_job, print.raw) },
	{ .name = NULL },
};

static const struct hyb_command command = {
	.name = "hybmon-print",
	.usage = "Usage: hybmon-print [options] DIR|STREAM...\n"
		 "Shows raw streams as text, one line for each record. DIR is an experiment, or the\n"
		 "directory of one of its processes; STREAM is a file NAME.hyb.\n\n"
		 "  --defs       definitions only: processes, regions, communicators, ...\n"
		 "  --events     events only; both together is the default\n"
		 "  --summary    counts by kind and region\n"
		 "  --profile    the call tree, and what HYBMON_KERNEL_PROFILE has added up\n"
		 "  --json       with --profile: the call tree as one JSON document, for programs\n"
		 "  --rank=N     this rank only\n"
		 "  --thread=N   this thread of each process only; 0 is the main thread\n"
		 "  --follow     goes on while the program runs, until it has ended\n"
		 "  --no-times   leaves out what differs between two runs: times, pids, hosts, ids\n"
		 "  --raw        the words of each record, too\n"
		 "  -h, --help, --version\n\n"
		 "Exit status: 0 all was shown, 1 something could not be read, 2 wrong usage.\n",
	.notes = "",
	.failed = EXIT_FAILED,
	.options = options,
};

/* What the options mean together. -1 or the exit status. */
static int settle(int argc)
{
	const bool records = job.print.defs || job.print.events || job.print.summary;

	if (optind == argc) {
		hyb_command_say("error: which directory or stream? see hybmon-print --help");
		return EXIT_USAGE;
	}
	if (job.json && (!job.profile || records)) {
		hyb_command_say("error: --json goes with --profile alone; see hybmon-print --help");
		return EXIT_USAGE;
	}
	if (!records && !job.profile)
		job.print.defs = job.print.events = true;
	return -1;
}

int hyb_print_main(int argc, char **argv)
{
	int status;

	job = (struct print_job){ .rank = -1, .thread = -1, .diag.report = report, .print.times = true };
	status = hyb_command_read(&command, argc, argv, &job);
	if (status == EXIT_OK && fflush(stdout))
		return EXIT_FAILED;
	if (status < 0)
		status = settle(argc);
	if (status >= 0)
		return status;
	/* A reader that has seen enough, such as head, ends this with an error to be checked. */
	signal(SIGPIPE, SIG_IGN);
	for (int i = optind; i < argc; i++)
		print_argument(argv[i]);
	if (job.print.summary)
		print_summary(&job.print);
	fflush(stdout);
	print_check_output();
	hyb_clocks_free(job.clocks);
	free(job.clock_of);
	return job.failed ? EXIT_FAILED : EXIT_OK;
}
