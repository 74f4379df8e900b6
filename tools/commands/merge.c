/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon-merge: the raw streams of an experiment become one OTF2 archive, or what else sinks make of them. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "export/json/sink.h"
#include "tools/common/commands.h"
#include "tools/common/lacking.h"
#include "merge/merge.h"
#include "export/otf2/sink.h"
#include "export/perfetto/sink.h"
#include "export/samples/sink.h"
#include "reader/streams/printable.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

#define PROGRESS_NS 100000000 /* between two states of the bar */
#define PROGRESS_WIDTH 40
#define PATIENCE_NS 500000000 /* from a signal to the end */

static const char usage[] =
	"usage: hybmon-merge [options] DIR...\n"
	"\n"
	"Merges the streams of the experiment in DIR into an OTF2 archive, DIR/traces.otf2.\n"
	"DIR may be of a program that still runs, or that died. Experiments of processes that\n"
	"it spawned, beside it, are taken in; so are more DIRs, of programs that connected.\n"
	"\n"
	"  -o, --output DIR2  write in DIR2, made if need be; -: to the standard output, if\n"
	"                     --to is json, perfetto or samples\n"
	"  -f, --force        replace what is there\n"
	"      --to=KIND      what to write: otf2, json (DIR/traces.jsonl), perfetto\n"
	"                     (DIR/traces.pftrace), samples (a profile of them, as text:\n"
	"                     DIR/samples.txt), otf2-samples (an archive of them, DIR/samples.otf2),\n"
	"                     or several: otf2,json (otf2)\n"
	"      --kernel=WHAT  of what the kernel did, show the threads' own (thread), which\n"
	"                     task each CPU ran (cpu), or nothing (none); thread,cpu\n"
	"      --from=TIME    tell only what happened from then on: 2.5, 300ms, 40us, 7ns after\n"
	"                     the begin\n"
	"      --until=TIME   and up to then; --to=TIME is the same\n"
	"      --ranks=LIST   tell only of these ranks in MPI_COMM_WORLD: 0-15,32\n"
	"      --events=WORDS tell only these events: mpi or p2p,coll,rma,io of it; omp, kernel,\n"
	"                     user; or all but those with a minus sign: -kernel,-p2p\n"
	"      --no-clock-correction\n"
	"                     leave the clocks of several nodes as they are\n"
	"      --call-sites=no\n"
	"                     do not say where the program made its MPI calls\n"
	"      --scalasca     leave out what Scalasca's trace analysis does not take\n"
	"  -j, --jobs N       read and write with N threads (1)\n"
	"      --debuginfod   ask the servers in DEBUGINFOD_URLS for debug information\n"
	"  -q, --quiet        no summary, no progress; warnings and errors only\n"
	"  -h, --help         this text\n"
	"      --version      the version\n"
	"\n"
	"Exit status: 0 done, 1 failed, or some stream could not be read, 2 wrong usage.\n";

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "force", no_argument, NULL, 'f' },
	{ "jobs", required_argument, NULL, 'j' },
	{ "debuginfod", no_argument, NULL, 'D' },
	{ "kernel", required_argument, NULL, 'k' },
	{ "no-clock-correction", no_argument, NULL, 'C' },
	{ "call-sites", required_argument, NULL, 'c' },
	{ "scalasca", no_argument, NULL, 'S' },
	{ "to", required_argument, NULL, 'T' },
	{ "from", required_argument, NULL, 'F' },
	{ "until", required_argument, NULL, 'U' },
	{ "ranks", required_argument, NULL, 'R' },
	{ "events", required_argument, NULL, 'E' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

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

static const struct hyb_library_need debuginfod_need = { "--debuginfod", HYB_OPTIONAL_LIBDW };

struct wanted {
	const struct hyb_sink_ops *sinks[KINDS];
	size_t count;
};

static char scratch[PATH_MAX]; /* for what waits on disk while the output goes to the standard output; or empty */
static volatile sig_atomic_t stop;
static sem_t asked; /* to end */

struct bar {
	pthread_mutex_t lock;
	bool drawn;
	long long next; /* when it is drawn again, ns */
};

static struct bar bar = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void on_signal(int number)
{
	stop = number;
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
	static const char *const words[] = { "note: ", "warning: ", "" };

	(void)arg;
	pthread_mutex_lock(&bar.lock);
	clear_bar();
	fprintf(stderr, "hybmon-merge: %s%s\n", words[severity], text);
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

static int wrong(const char *format, const char *what)
{
	fputs("hybmon-merge: ", stderr);
	hyb_show(stderr, format, what);
	fputs("; try --help\n", stderr);
	return EXIT_USAGE;
}

static bool parse_jobs(const char *text, unsigned int *jobs)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || !value || value > UINT16_MAX)
		return false;
	*jobs = (unsigned int)value;
	return true;
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

static bool has(const struct wanted *w, const struct hyb_sink_ops *sink)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		if (w->sinks[i] == sink)
			return true;
	return false;
}

/* Words between commas, each kind once. 0, or how to exit, which was said. */
static int parse_to(const char *text, struct wanted *w)
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
			return wrong("\"%s\" is neither otf2, json, perfetto, samples, otf2-samples, nor several of them with commas", all);
		if (kinds[i].need.what && hyb_lacks("hybmon-merge", &kinds[i].need))
			return EXIT_FAILED;
		if (!has(w, kinds[i].sink))
			w->sinks[w->count++] = kinds[i].sink;
		text += length;
	} while (*text++);
	return 0;
}

static void print_help(void)
{
	fputs(usage, stdout);
	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i].need.what)
			hyb_lacks_help(&kinds[i].need);
	hyb_lacks_help(&debuginfod_need);
}

/* One of the options that select. 0, or how to exit, which was said. */
static int parse_selection(int c, const char *text, struct hyb_selection *s)
{
	int ret;

	switch (c) {
	case 'F':
	case 'U':
		if (!hyb_selection_parse_time(text, c == 'F' ? &s->from : &s->to))
			return wrong("\"%s\" is no time, as 2.5, 300ms, 40us or 7ns are", text);
		break;
	case 'R':
		ret = hyb_selection_parse_ranks(text, s);
		if (ret == -ENOMEM)
			return wrong("%s", "out of memory");
		if (ret)
			return wrong("\"%s\" is no list of ranks, as 0-15,32 is", text);
		break;
	default:
		if (!hyb_selection_parse_groups(text, &s->groups))
			return wrong("\"%s\" has words other than all, mpi, p2p, coll, rma, io, omp, kernel, user, counters", text);
	}
	return 0;
}

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
	rmdir(scratch);
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
	const char *dir = getenv("TMPDIR");

	if (o->sink_count != 1 || o->sinks[0]->parts[1])
		return wrong("%s", "-o - takes --to=json, --to=perfetto or --to=samples, which write one file");
	snprintf(scratch, sizeof(scratch), "%s/hybmon-merge-XXXXXX", dir && *dir ? dir : "/tmp");
	if (!mkdtemp(scratch)) {
		hyb_show(stderr, "hybmon-merge: cannot make the directory %s: %s\n", scratch, strerror(errno));
		scratch[0] = '\0';
		return EXIT_FAILED;
	}
	signal(SIGPIPE, SIG_IGN);
	o->to_stdout = true;
	o->out = scratch;
	return 0;
}

static int merge(const struct hyb_merge_options *o, bool quiet)
{
	static struct hyb_merge m; /* outlives this function, since the other thread does */
	int ret;

	sem_init(&asked, 0, 0);
	catch_signals();
	watch(&m);
	ret = hyb_merge_run(&m, o);
	clear_bar();
	if (!ret && !quiet)
		hyb_merge_summary(&m, stdout);
	if (!ret && m.unreadable)
		ret = -EIO;
	hyb_merge_free(&m);
	rmdir(scratch);
	if (!ret && (fflush(stdout) || ferror(stdout))) {
		fprintf(stderr, "hybmon-merge: cannot write to the standard output: %s\n",
			strerror(errno));
		ret = -EIO;
	}
	return ret ? EXIT_FAILED : EXIT_OK;
}

/* What the options mean together. 0, or how to exit, which was said. */
static int settle(struct hyb_merge_options *o, struct wanted *w, bool *quiet)
{
	int status = w->count ? 0 : parse_to(kinds[0].sink->name, w);

	if (status)
		return status;
	o->sinks = w->sinks;
	o->sink_count = w->count;
	if (o->selection->from > o->selection->to)
		return wrong("%s", "--from is after --until");
	if (o->scalasca && o->kernel & HYB_MERGE_KERNEL_CPU)
		return wrong("%s", "Scalasca takes CPUs for processes: with --scalasca, --kernel is thread or none");
	/* A call's own time is without the kernel's regions in it, and would be shorter than what it waited. */
	if (o->scalasca && !o->kernel)
		o->kernel = HYB_MERGE_KERNEL_NONE;
	if (o->out && !strcmp(o->out, "-")) {
		*quiet = true;
		status = begin_stream(o);
	}
	if (!*quiet && isatty(STDERR_FILENO))
		o->progress = draw_progress;
	return status;
}

int hyb_merge_main(int argc, char **argv)
{
	static const struct hyb_diag diag = { report, NULL };
	struct hyb_selection selection = HYB_SELECTION_ALL;
	struct hyb_merge_options o = { .jobs = 1, .diag = &diag, .stop = &stop, .selection = &selection };
	struct wanted wanted = { .count = 0 };
	bool quiet = false, debuginfod = false;
	int c, status;

	while ((c = getopt_long(argc, argv, "o:fj:qh", options, NULL)) != -1) {
		switch (c) {
		case 'o':
			o.out = optarg;
			break;
		case 'f':
			o.force = true;
			break;
		case 'j':
			if (!parse_jobs(optarg, &o.jobs))
				return wrong("\"%s\" is no number of threads", optarg);
			break;
		case 'D':
			if (hyb_lacks("hybmon-merge", &debuginfod_need))
				return EXIT_FAILED;
			debuginfod = true;
			break;
		case 'k':
			if (!parse_kernel(optarg, &o.kernel))
				return wrong("\"%s\" is neither thread, cpu, nor both with a comma, nor none",
					     optarg);
			break;
		case 'C':
			o.clocks_as_are = true;
			break;
		case 'c':
			if (strcmp(optarg, "yes") != 0 && strcmp(optarg, "no") != 0)
				return wrong("\"%s\" is neither yes nor no", optarg);
			o.no_call_sites = !strcmp(optarg, "no");
			break;
		case 'S':
			o.scalasca = true;
			break;
		case 'T':
			/* No output is called like a time. */
			if (hyb_selection_parse_time(optarg, &selection.to))
				break;
			status = parse_to(optarg, &wanted);
			if (status)
				return status;
			break;
		case 'F':
		case 'U':
		case 'R':
		case 'E':
			status = parse_selection(c, optarg, &selection);
			if (status)
				return status;
			break;
		case 'q':
			quiet = true;
			break;
		case 'h':
			print_help();
			return EXIT_OK;
		case 'V':
			puts("hybmon-merge " PACKAGE_VERSION);
			return EXIT_OK;
		default:
			return EXIT_USAGE;
		}
	}
	/* libdw would: a merge does not wait for a network that nobody spoke of. */
	if (!debuginfod)
		unsetenv("DEBUGINFOD_URLS");
	if (optind == argc)
		return wrong("%s", "no experiment given");
	o.dirs = (const char *const *)&argv[optind];
	o.dir_count = (size_t)(argc - optind);
	status = settle(&o, &wanted, &quiet);
	status = status ? status : merge(&o, quiet);
	hyb_selection_free(&selection);
	return status;
}
