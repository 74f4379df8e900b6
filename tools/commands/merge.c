/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon-merge: the raw streams of an experiment become one OTF2 archive, or what else sinks make of them. */
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "export/json/sink.h"
#include "export/otf2/sink.h"
#include "export/perfetto/sink.h"
#include "export/samples/sink.h"
#include "merge/merge.h"
#include "tools/common/command.h"
#include "tools/common/commands.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

#define PROGRESS_NS 100000000 /* between two states of the bar */
#define PROGRESS_WIDTH 40
#define PATIENCE_NS 500000000 /* from a signal to the end */

/* The formats, and the library that each needs. */
static const struct kind {
	const struct hyb_sink_ops *sink;
	struct hyb_library_need need; /* without a name: nothing */
} kinds[] = {
	{ &hyb_otf2_sink, { "--to=otf2", HYB_OPTIONAL_OTF2 } },
	{ &hyb_json_sink, { "--to=json", HYB_OPTIONAL_JANSSON } },
	{ &hyb_perfetto_sink, { "--to=perfetto", HYB_OPTIONAL_PROTOBUF_C } },
	{ .sink = &hyb_samples_sink },
	{ &hyb_otf2_samples_sink, { "--to=otf2-samples", HYB_OPTIONAL_OTF2 } },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct merge_wish {
	struct hyb_merge_options merge;
	struct hyb_selection selection;
	const struct hyb_sink_ops *sinks[KINDS];
	size_t count;
	bool quiet;
	bool debuginfod;
};

static sem_t asked; /* to end */

struct bar {
	pthread_mutex_t lock;
	bool drawn;
	long long next; /* when it is drawn again, ns */
};

static struct bar bar = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void on_signal(int number)
{
	hyb_command_on_signal(number);
	sem_post(&asked);
}

static void clear_bar(void)
{
	if (bar.drawn)
		fputs("\r\033[K", stderr);
	bar.drawn = false;
}

static void report(void *arg, enum hyb_severity severity, const char *text)
{
	(void)arg;
	pthread_mutex_lock(&bar.lock);
	clear_bar();
	hyb_command_diag.report(NULL, severity, text);
	pthread_mutex_unlock(&bar.lock);
}

static void draw_progress(void *arg, uint64_t done, uint64_t total)
{
	struct timespec ts;
	long long now;
	int filled;

	(void)arg;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = ts.tv_sec * 1000000000LL + ts.tv_nsec;
	pthread_mutex_lock(&bar.lock);
	if (now >= bar.next && total) {
		bar.next = now + PROGRESS_NS;
		filled = (int)((double)done / (double)total * PROGRESS_WIDTH);
		fprintf(stderr, "\r[%.*s%*s] %3.0f %%", filled,
			"########################################", PROGRESS_WIDTH - filled, "",
			(double)done / (double)total * 100);
		fflush(stderr);
		bar.drawn = true;
	}
	pthread_mutex_unlock(&bar.lock);
}

static int take_jobs(const char *text, void *wish)
{
	struct merge_wish *w = wish;
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || !value || value > UINT16_MAX)
		return hyb_command_wrong("\"%s\" is no number of threads", text);
	w->merge.jobs = (unsigned int)value;
	return -1;
}

/* Words between commas. */
static bool parse_kernel(const char *text, uint32_t *kernel)
{
	static const struct {
		const char *word;
		uint32_t bit;
	} words[] = {
		{ "thread", HYB_MERGE_KERNEL_THREAD },
		{ "cpu", HYB_MERGE_KERNEL_CPU },
		{ "none", HYB_MERGE_KERNEL_NONE },
	};
	size_t length, i;

	*kernel = 0;
	do {
		length = strcspn(text, ",");
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (strlen(words[i].word) == length && !strncmp(text, words[i].word, length))
				break;
		if (i == sizeof(words) / sizeof(words[0]))
			return false;
		*kernel |= words[i].bit;
		text += length;
	} while (*text++);
	return *kernel == HYB_MERGE_KERNEL_NONE || !(*kernel & HYB_MERGE_KERNEL_NONE);
}

static int take_kernel(const char *text, void *wish)
{
	struct merge_wish *w = wish;

	return parse_kernel(text, &w->merge.kernel) ?
		       -1 : hyb_command_wrong("\"%s\" is neither thread, cpu, nor both with a comma, nor none", text);
}

static int take_call_sites(const char *text, void *wish)
{
	struct merge_wish *w = wish;

	if (strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
		return hyb_command_wrong("\"%s\" is neither yes nor no", text);
	w->merge.no_call_sites = !strcmp(text, "no");
	return -1;
}

static bool has(const struct merge_wish *w, const struct hyb_sink_ops *sink)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		if (w->sinks[i] == sink)
			return true;
	return false;
}

/* Words between commas, each kind once. -1 or the exit status. */
static int parse_to(const char *text, struct merge_wish *w)
{
	const char *all = text;
	size_t length, i;

	w->count = 0;
	do {
		length = strcspn(text, ",");
		for (i = 0; i < KINDS; i++)
			if (strlen(kinds[i].sink->name) == length && !strncmp(text, kinds[i].sink->name, length))
				break;
		if (i == KINDS)
			return hyb_command_wrong("\"%s\" is neither otf2, json, perfetto, samples, otf2-samples, nor several of them with commas", all);
		if (kinds[i].need.what && hyb_lacks("hybmon-merge", &kinds[i].need))
			return EXIT_FAILED;
		if (!has(w, kinds[i].sink))
			w->sinks[w->count++] = kinds[i].sink;
		text += length;
	} while (*text++);
	return -1;
}

static int take_to(const char *text, void *wish)
{
	struct merge_wish *w = wish;

	/* No output is called like a time. */
	return hyb_selection_parse_time(text, &w->selection.to) ? -1 : parse_to(text, w);
}

static int take_time(const char *text, int64_t *time)
{
	return hyb_selection_parse_time(text, time) ?
		       -1 : hyb_command_wrong("\"%s\" is no time, as 2.5, 300ms, 40us or 7ns are", text);
}

static int take_from(const char *text, void *wish)
{
	return take_time(text, &((struct merge_wish *)wish)->selection.from);
}

static int take_until(const char *text, void *wish)
{
	return take_time(text, &((struct merge_wish *)wish)->selection.to);
}

static int take_ranks(const char *text, void *wish)
{
	int err = hyb_selection_parse_ranks(text, &((struct merge_wish *)wish)->selection);

	if (err == -ENOMEM)
		return hyb_command_wrong("%s", "out of memory");
	return err ? hyb_command_wrong("\"%s\" is no list of ranks, as 0-15,32 is", text) : -1;
}

static int take_events(const char *text, void *wish)
{
	if (hyb_selection_parse_groups(text, &((struct merge_wish *)wish)->selection.groups))
		return -1;
	return hyb_command_wrong("\"%s\" has words other than all, mpi, p2p, coll, rma, io, omp, kernel, user, counters", text);
}

static const struct hyb_option options[] = {
	{ "output", " DIR2", "write in DIR2, made if need be; -: to the standard output, if\n"
			     "--to is json, perfetto or samples", 'o', HYB_TEXT(struct merge_wish, merge.out) },
	{ "force", NULL, "replace what is there", 'f', HYB_FLAG(struct merge_wish, merge.force) },
	{ "to", "=KIND", "what to write: otf2, json (DIR/traces.jsonl), perfetto\n"
			 "(DIR/traces.pftrace), samples (a profile of them, as text:\n"
			 "DIR/samples.txt), otf2-samples (an archive of them, DIR/samples.otf2),\n"
			 "or several: otf2,json (otf2)", HYB_TAKE(take_to) },
	{ "kernel", "=WHAT", "of what the kernel did, show the threads' own (thread), which\n"
			     "task each CPU ran (cpu), or nothing (none); thread,cpu", HYB_TAKE(take_kernel) },
	{ "from", "=TIME", "tell only what happened from then on: 2.5, 300ms, 40us, 7ns after\n"
			   "the begin", HYB_TAKE(take_from) },
	{ "until", "=TIME", "and up to then; --to=TIME is the same", HYB_TAKE(take_until) },
	{ "ranks", "=LIST", "tell only of these ranks in MPI_COMM_WORLD: 0-15,32", HYB_TAKE(take_ranks) },
	{ "events", "=WORDS", "tell only these events: mpi or p2p,coll,rma,io of it; omp, kernel,\n"
			      "user; or all but those with a minus sign: -kernel,-p2p", HYB_TAKE(take_events) },
	{ "no-clock-correction", NULL, "leave the clocks of several nodes as they are",
	  HYB_FLAG(struct merge_wish, merge.clocks_as_are) },
	{ "call-sites", "=no", "do not say where the program made its MPI calls", HYB_TAKE(take_call_sites) },
	{ "scalasca", NULL, "leave out what Scalasca's trace analysis does not take",
	  HYB_FLAG(struct merge_wish, merge.scalasca) },
	{ "jobs", " N", "read and write with N threads (1)", 'j', HYB_TAKE(take_jobs) },
	HYB_OPTION_DEBUGINFOD(struct merge_wish),
	{ "quiet", NULL, "no summary, no progress; warnings and errors only", 'q', HYB_FLAG(struct merge_wish, quiet) },
	{ .name = NULL },
};

static void list_lacking(void)
{
	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i].need.what)
			hyb_lacks_help(&kinds[i].need);
}

static const struct hyb_command command = {
	.name = "hybmon-merge",
	.usage = "usage: hybmon-merge [options] DIR...\n"
		 "\n"
		 "Merges the streams of the experiment in DIR into an OTF2 archive, DIR/traces.otf2.\n"
		 "DIR may be of a program that still runs, or that died. Experiments of processes that\n"
		 "it spawned, beside it, are taken in; so are more DIRs, of programs that connected.\n"
		 "\n",
	.notes = "\n"
		 "Exit status: 0 done, 1 failed, or some stream could not be read, 2 wrong usage.\n",
	.column = 21,
	.failed = EXIT_FAILED,
	.options = options,
	.help_lacking = list_lacking,
};

/*
 * The merge looks at `stop` wherever it stays for long. What it cannot know of may stay longer: other libraries, a file
 * system that hangs.
 */
static void *see_to_end(void *merge)
{
	const struct timespec patience = { .tv_nsec = PATIENCE_NS };

	while (sem_wait(&asked))
		;
	nanosleep(&patience, NULL);
	if (!hyb_merge_abandon(merge))
		report(NULL, HYB_SEV_ERROR, "interrupted: no archive was written");
	hyb_command_remove_place();
	_exit(EXIT_FAILED);
}

static void watch(struct hyb_merge *m)
{
	static bool watched;
	pthread_t thread;

	if (!watched && !pthread_create(&thread, NULL, see_to_end, m))
		pthread_detach(thread);
	watched = true;
}

static void catch_signals(void)
{
	static const int caught[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	size_t i;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	action.sa_flags = SA_RESTART;
	for (i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		sigaction(caught[i], &action, NULL);
	/* A file-size limit is an error of write(2) like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
}

/* The output may end early: what reads it has enough. */
static int begin_stream(struct hyb_merge_options *o)
{
	const char *place;
	int err;

	if (o->sink_count != 1 || o->sinks[0]->parts[1])
		return hyb_command_wrong("%s", "-o - takes --to=json, --to=perfetto or --to=samples, which write one file");
	err = hyb_command_make_place(&place);
	if (err) {
		hyb_command_say("cannot make the directory %s: %s", place, strerror(-err));
		return EXIT_FAILED;
	}
	signal(SIGPIPE, SIG_IGN);
	o->to_stdout = true;
	o->out = place;
	return -1;
}

static int merge(const struct merge_wish *w)
{
	static struct hyb_merge m; /* outlives this function, since the other thread does */
	int ret;

	sem_init(&asked, 0, 0);
	catch_signals();
	watch(&m);
	ret = hyb_merge_run(&m, &w->merge);
	clear_bar();
	if (!ret && !w->quiet)
		hyb_merge_summary(&m, stdout);
	if (!ret && m.unreadable)
		ret = -EIO;
	hyb_merge_free(&m);
	if (!ret)
		return hyb_command_end(EXIT_OK);
	hyb_command_remove_place();
	return EXIT_FAILED;
}

/* What the options mean together. -1 or the exit status. */
static int settle(struct merge_wish *w)
{
	struct hyb_merge_options *o = &w->merge;
	int status = w->count ? -1 : parse_to(kinds[0].sink->name, w);

	if (status >= 0)
		return status;
	o->sinks = w->sinks;
	o->sink_count = w->count;
	if (w->selection.from > w->selection.to)
		return hyb_command_wrong("%s", "--from is after --until");
	if (o->scalasca && o->kernel & HYB_MERGE_KERNEL_CPU)
		return hyb_command_wrong("%s", "Scalasca takes CPUs for processes: with --scalasca, --kernel is thread or none");
	/* A call's own time is without the kernel's regions in it, and would be shorter than what it waited. */
	if (o->scalasca && !o->kernel)
		o->kernel = HYB_MERGE_KERNEL_NONE;
	if (o->out && !strcmp(o->out, "-")) {
		w->quiet = true;
		status = begin_stream(o);
	}
	if (!w->quiet && isatty(STDERR_FILENO))
		o->progress = draw_progress;
	return status;
}

int hyb_merge_main(int argc, char **argv)
{
	static const struct hyb_diag diag = { report, NULL };
	struct merge_wish w = {
		.merge = { .jobs = 1, .diag = &diag, .stop = &hyb_command_stop, .selection = &w.selection },
		.selection = HYB_SELECTION_ALL,
	};
	int status = hyb_command_read(&command, argc, argv, &w);

	if (status < 0)
		status = hyb_command_count(argc, 0);
	if (status >= 0)
		return status;
	hyb_command_begin(w.debuginfod);
	w.merge.dirs = (const char *const *)&argv[optind];
	w.merge.dir_count = (size_t)(argc - optind);
	status = settle(&w);
	status = status < 0 ? merge(&w) : status;
	hyb_selection_free(&w.selection);
	return status;
}
