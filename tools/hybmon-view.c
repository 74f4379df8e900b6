/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon view: the timeline of a job, in a browser. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kept.h"
#include "merge/merge.h"
#ifdef HAVE_JANSSON
#include "html/timeline.h"
#include "page.h"
#endif

enum { EXIT_SHOWN = 0, EXIT_UNREAD = 2 };

#define EXPORT_MIB 64u /* browsers open larger pages slowly */
#define SKETCH_MIB 32u /* are read in about a third of a second */

static struct {
	const char *page; /* --export */
	uint16_t port;
	bool no_browser;
	uint64_t most; /* bytes of the page's tiles */
	bool cut;      /* there were more */
	uint64_t sketch; /* of more bytes samples are shown first; 0: never */
	const char *tmp;
} wish = { .most = (uint64_t)EXPORT_MIB << 20, .sketch = (uint64_t)SKETCH_MIB << 20 };

static const char usage[] =
	"usage: hybmon view [options] DIR...\n"
	"\n"
	"Shows the job recorded in DIR on a time axis, in a browser: what each rank and thread\n"
	"was in, what the kernel did to it meanwhile, what each CPU ran, and messages. Serves it\n"
	"on 127.0.0.1 until it is interrupted, to whoever has the address that it prints. A job\n"
	"that still runs is followed.\n"
	"\n"
	"      --port=N          serve it there (default: any port that is free)\n"
	"      --no-browser      open none\n"
	"      --export=FILE     write it all as one page, and serve nothing\n"
	"      --sketch=MIB      of a recording that is larger show a first picture, of samples\n"
	"                        (32; 0: never). All of it follows.\n"
	"      --most=MIB        that page has so many MiB of details at most (64)\n"
	"      --debuginfod      ask the servers in DEBUGINFOD_URLS for debug information\n"
	"  -h, --help            this text\n"
	"      --version         the version\n"
	"\n"
	"What does not fit into memory waits in TMPDIR.\n"
	"Exit status: 0 shown, 2 it cannot be read, or wrong usage.\n";

static const struct option options[] = {
	{ "debuginfod", no_argument, NULL, 'D' },
	{ "export", required_argument, NULL, 'e' },
	{ "most", required_argument, NULL, 'm' },
	{ "no-browser", no_argument, NULL, 'n' },
	{ "sketch", required_argument, NULL, 's' },
	{ "port", required_argument, NULL, 'p' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	stop = number;
}

/* Each once, though a recording may be read twice; who interrupts it knows that. */
static void say(void *arg, enum hyb_severity severity, const char *text)
{
	static const char *const words[] = { "note: ", "warning: ", "" };
	static char *said[64];
	size_t i = 0;

	(void)arg;
	if (stop)
		return;
	while (i < 64 && said[i] && strcmp(said[i], text))
		i++;
	if (i < 64 && said[i])
		return;
	if (i < 64)
		said[i] = strdup(text);
	fprintf(stderr, "hybmon view: %s%s\n", words[severity], text);
}

static void say_nothing(void *arg, enum hyb_severity severity, const char *text)
{
	(void)arg;
	(void)severity;
	(void)text;
}

enum reading {
	READ_FIRST,   /* what was kept, or samples if it is large, or all but messages */
	READ_WHOLE, /* all but messages, and with clocks of several nodes as they are */
	READ_ALL,
	READ_AGAIN, /* all, of a job that runs */
};

/* What there is of the jobs at one moment. */
struct load {
	const char *const *dirs;
	size_t count;
	struct hyb_merge merge;
	struct hyb_view_store store;
	struct hyb_view_sink *sink;
	struct hyb_kept kept;
};

static void unload(struct load *load)
{
	if (!load)
		return;
	hyb_merge_free(&load->merge);
	hyb_view_store_free(&load->store);
	hyb_view_sink_free(load->sink);
	free(load);
}

static int say_why(const char *dir, int err)
{
	if (err == -ENOMEM)
		fputs("hybmon view: out of memory\n", stderr);
	else if (err)
		fprintf(stderr, "hybmon view: %s: %s\n", dir, err == -ENODATA ? "no thread has any event" :
			err == -EIO	? "what hybmon view kept is damaged: remove view.cache, and start it again" :
					  strerror(-err));
	return err;
}

/* A directory of its own for what waits on disk; what is left of it has no name. */
static bool make_place(char place[PATH_MAX])
{
	snprintf(place, PATH_MAX, "%s/hybmon-view-XXXXXX", wish.tmp);
	if (mkdtemp(place))
		return true;
	fprintf(stderr, "hybmon view: cannot make the directory %s: %s; set TMPDIR\n", place, strerror(errno));
	return false;
}

/* One reading of the recording for a sink of the view's. samples: struct hyb_merge_options has them. */
static int run_merge(struct load *load, const struct hyb_sink_ops *ops, const char *place, enum reading reading,
		     uint64_t samples)
{
	static const struct hyb_diag loud = { say, NULL }, quiet = { say_nothing, NULL };
	struct hyb_merge_options o = {
		.dirs = load->dirs, .dir_count = load->count, .out = place, .force = true, .sinks = &ops, .sink_count = 1,
		.jobs = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), .kernel = HYB_MERGE_KERNEL_THREAD | HYB_MERGE_KERNEL_CPU,
		.diag = reading == READ_AGAIN ? &quiet : &loud, .stop = &stop, .samples = samples,
		.clocks_as_are = reading == READ_WHOLE,
	};

	return ops ? hyb_merge_run(&load->merge, &o) : -ENOMEM;
}

/* Reads the recording into the file `fd`, which is the load's then. */
static int merge(struct load *load, int fd, const char *place, enum reading reading)
{
	/* What is served can wait for its messages. */
	const uint32_t wanted = HYB_VIEW_RECORDS | (reading >= READ_ALL || wish.page ? HYB_VIEW_MESSAGES : 0);
	const uint64_t samples = reading == READ_FIRST && !wish.page ? wish.sketch : 0;
	const struct hyb_sink_ops *ops = hyb_view_sink(&load->store, fd, HYB_VIEW_HEAD, wanted, &load->sink);
	int err = run_merge(load, ops, place, reading, samples);

	if (err && err != -ENOMEM) /* which it has said */
		return err;
	if (!err)
		err = hyb_view_complete(&load->store);
	load->store.rough = !err && reading == READ_WHOLE && hyb_nodes_several(&load->merge);
#ifdef HAVE_JANSSON
	if (!err)
		err = hyb_html_timeline_describe(&load->store);
	/* What is shown is in the store now. */
	hyb_merge_free(&load->merge);
	memset(&load->merge, 0, sizeof(load->merge));
	load->store.merge = NULL;
#endif
	return reading == READ_AGAIN ? err : say_why(load->dirs[0], err);
}

/* NULL where that cannot be, which is said, but not when they are read again. */
static struct load *load_jobs(const char *const *dirs, size_t count, enum reading reading)
{
	char place[PATH_MAX];
	struct load *load = make_place(place) ? calloc(1, sizeof(*load)) : NULL;
	int err = -ENOMEM;

	if (load) {
		load->dirs = dirs;
		load->count = count;
		load->store.fd = -1;
		err = reading == READ_AGAIN ? -ENOENT : hyb_kept_find(&load->kept, dirs, count, &load->store);
	}
	if (load && err) {
		err = hyb_kept_make(&load->kept, place);
		err = err < 0 ? say_why(place, err) : merge(load, err, place, reading);
		if (!err && !load->store.running && !load->store.pairing && !load->store.sketch && !load->store.rough)
			hyb_kept_keep(&load->kept, load->dirs, load->count, &load->store);
	}
	rmdir(place);
	if (!err)
		return load;
	unload(load);
	return NULL;
}

#ifdef HAVE_JANSSON

static int write_all(const void *what, FILE *to)
{
	const struct load *load = what;
	struct hyb_html_findings *findings = hyb_html_findings_new(load->dirs, load->count, wish.tmp);
	int err = findings ? 0 : -ENOMEM;

	if (!err)
		err = hyb_html_timeline(&load->store, findings, load->dirs[0], wish.most, to, &wish.cut);
	hyb_html_findings_free(findings);
	return err;
}

static int write_page(const struct load *load)
{
	int err = hyb_page_write("hybmon view", wish.page, write_all, load);

	if (err == -ENOMEM)
		say_why(load->dirs[0], err);
	else if (!err && wish.cut)
		fprintf(stderr, "hybmon view: note: %s has %" PRIu64 " MiB of details and not all of them: --most\n", wish.page,
			wish.most >> 20);
	return err;
}

#ifdef HAVE_MICROHTTPD

/* The second reading, of what is served: its messages. */
static void add_messages(struct hyb_html_server *server, struct load *load)
{
	struct load messages = { .dirs = load->dirs, .count = load->count };
	char place[PATH_MAX];
	int err = make_place(place) ? 0 : -EIO;

	if (!err)
		err = run_merge(&messages, hyb_view_sink(&messages.store, load->store.fd, load->store.size,
							 HYB_VIEW_MESSAGES, &messages.sink), place, READ_AGAIN, 0);
	if (!err)
		err = hyb_html_serve_messages(server, &load->store, &messages.store);
	if (!err)
		hyb_kept_keep(&load->kept, load->dirs, load->count, &load->store);
	rmdir(place);
	messages.store.fd = -1;
	hyb_merge_free(&messages.merge);
	hyb_view_store_free(&messages.store);
	hyb_view_sink_free(messages.sink);
	if (err && !stop)
		fprintf(stderr, "hybmon view: the messages cannot be found: %s\n", strerror(-err));
}

/* Where there is a screen. */
static void open_browser(const char *address, const sigset_t *before)
{
	if (wish.no_browser || (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")))
		return;
	signal(SIGCHLD, SIG_IGN);
	if (fork())
		return;
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_SETMASK, before, NULL);
	if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
		_exit(1);
	execlp("xdg-open", "xdg-open", address, (char *)NULL);
	_exit(1);
}

static void print_address(const struct hyb_html_server *server, uint16_t port, const sigset_t *before)
{
	char address[128], host[256] = "HOST";

	gethostname(host, sizeof(host) - 1);
	snprintf(address, sizeof(address), "http://127.0.0.1:%u%s", port, hyb_html_server_path(server));
	printf("%s\n"
	       "From another machine: ssh -L %u:127.0.0.1:%u %s, and the same address there.\n"
	       "Ctrl-C ends it.\n", address, port, port, host);
	fflush(stdout);
	open_browser(address, before);
}

/* What is served is read again, or read for good. False: it is served as it was. */
static bool replace(struct hyb_html_server *server, struct load **load, enum reading reading, const sigset_t *before)
{
	struct load *next;
	sigset_t blocked;
	bool served;

	sigprocmask(SIG_SETMASK, before, &blocked);
	next = load_jobs((*load)->dirs, (*load)->count, reading);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	served = next && !hyb_html_serve_another(server, &next->store);
	unload(served ? *load : next);
	if (served)
		*load = next;
	return served;
}

static void add_what_is_left(struct hyb_html_server *server, struct load **load, const sigset_t *before)
{
	sigset_t blocked;

	if ((*load)->store.sketch && !replace(server, load, READ_WHOLE, before))
		return;
	if ((*load)->store.rough)
		replace(server, load, READ_ALL, before);
	if ((*load)->store.running || (*load)->store.rough || !(*load)->store.pairing)
		return;
	sigprocmask(SIG_SETMASK, before, &blocked);
	add_messages(server, *load);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/*
 * Until a signal comes, which are blocked but while it sleeps and reads. Of a job that runs it reads all again after a
 * second, or twice the time that the last reading took, so that it is at work a third of the time at most.
 */
static void follow(struct hyb_html_server *server, struct load **load, const sigset_t *before)
{
	struct timespec begin, end, pause = { .tv_sec = 1 };
	double took;

	add_what_is_left(server, load, before);
	while (!stop) {
		if (!(*load)->store.running) {
			sigsuspend(before);
			continue;
		}
		if (ppoll(NULL, 0, &pause, before) && errno == EINTR)
			continue;
		clock_gettime(CLOCK_MONOTONIC, &begin);
		replace(server, load, READ_AGAIN, before);
		clock_gettime(CLOCK_MONOTONIC, &end);
		took = 2 * ((double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
		pause.tv_sec = took > 1 ? (time_t)took : 1;
	}
}

static int serve(struct load **load)
{
	struct hyb_html_findings *findings = hyb_html_findings_new((*load)->dirs, (*load)->count, wish.tmp);
	struct hyb_html_server *server;
	uint16_t port = wish.port;
	sigset_t signals, before;
	int err;

	/* The program comes first, which may need all CPUs here. Threads that are made from now on have the same. */
	if ((*load)->store.running && nice(19) < 0)
		errno = 0;
	/* Its threads leave them to this one, which sees none between a look at `stop` and its sleep. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, &before);
	err = hyb_html_serve(&(*load)->store, (*load)->dirs[0], &port, &server);
	if (!err) {
		hyb_html_serve_findings(server, findings);
		print_address(server, port, &before);
		/* What is read in the background comes after what is asked for. */
		if (((*load)->store.pairing || (*load)->store.sketch) && nice(10) < 0)
			errno = 0;
		follow(server, load, &before);
	} else if (wish.port) {
		fprintf(stderr, "hybmon view: cannot serve on port %u: %s; without --port any free one is taken\n", wish.port,
			strerror(-err));
	} else {
		fprintf(stderr, "hybmon view: cannot serve on 127.0.0.1: %s; try --export=FILE\n", strerror(-err));
	}
	hyb_html_serve_end(server);
	hyb_html_findings_free(findings);
	return err;
}

#else

static int serve(struct load **load)
{
	(void)load;
	fputs("hybmon view: this hybmon view was built without libmicrohttpd; try --export=FILE\n", stderr);
	return -ENOTSUP;
}

#endif

static int show(struct load **load)
{
	return wish.page ? write_page(*load) : serve(load);
}

#else

static int show(struct load **load)
{
	(void)load;
	fputs("hybmon view: this hybmon view was built without jansson\n", stderr);
	return -ENOTSUP;
}

#endif

static int view(const char *const *dirs, size_t count)
{
	const char *tmp = getenv("TMPDIR");
	struct load *load;
	int err;

	wish.tmp = tmp && *tmp ? tmp : "/tmp";
	load = load_jobs(dirs, count, READ_FIRST);
	err = load ? show(&load) : -ENODATA;
	unload(load);
	return err ? EXIT_UNREAD : EXIT_SHOWN;
}

/* Of 1 to `most`. */
static bool take_number(const char *option, const char *text, unsigned long most, unsigned long *value)
{
	char *end;

	errno = 0;
	*value = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *value && *value <= most)
		return true;
	fprintf(stderr, "hybmon view: --%s=%s: that is no number from 1 to %lu\n", option, text, most);
	return false;
}

int main(int argc, char **argv)
{
	bool debuginfod = false;
	unsigned long value;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'D':
			debuginfod = true;
			break;
		case 'e':
			wish.page = optarg;
			break;
		case 'm':
			if (!take_number("most", optarg, 1ul << 20, &value))
				return EXIT_UNREAD;
			wish.most = (uint64_t)value << 20;
			break;
		case 'n':
			wish.no_browser = true;
			break;
		case 's':
			if (strcmp(optarg, "0") && !take_number("sketch", optarg, 1ul << 20, &value))
				return EXIT_UNREAD;
			wish.sketch = strcmp(optarg, "0") ? (uint64_t)value << 20 : 0;
			break;
		case 'p':
			if (!take_number("port", optarg, 65535, &value))
				return EXIT_UNREAD;
			wish.port = (uint16_t)value;
			break;
		case 'h':
			fputs(usage, stdout);
			return EXIT_SHOWN;
		case 'V':
			puts("hybmon view " PACKAGE_VERSION);
			return EXIT_SHOWN;
		default:
			return EXIT_UNREAD;
		}
	}
	/* libdw would ask them: nobody waits for a network that nobody spoke of. */
	if (!debuginfod)
		unsetenv("DEBUGINFOD_URLS");
	if (optind == argc) {
		fputs("hybmon view: no experiment given; try --help\n", stderr);
		return EXIT_UNREAD;
	}
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	return view((const char *const *)&argv[optind], (size_t)(argc - optind));
}
