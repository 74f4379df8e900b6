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

#include "timeline/web/timeline.h"
#include "tools/common/commands.h"
#include "tools/common/lacking.h"
#include "tools/common/page.h"
#include "reader/streams/printable.h"
#include "tools/view/view-browser.h"
#include "tools/view/view-follow.h"
#include "tools/view/view-load.h"

enum { EXIT_SHOWN = 0, EXIT_UNREAD = 2 };

#define EXPORT_MIB 64u /* browsers open larger pages slowly */
#define NICE	   10
#define SKETCH_MIB 32u /* are read in about a third of a second */

static struct {
	const char *page; /* --export */
	uint16_t port;
	bool no_browser;
	uint64_t most; /* bytes of the page's tiles */
	bool cut;      /* there were more */
	uint64_t sketch; /* of more bytes samples are shown first; 0: never */
} wish = { .most = (uint64_t)EXPORT_MIB << 20, .sketch = (uint64_t)SKETCH_MIB << 20 };

static const char usage[] =
	"usage: hybmon view [options] DIR...\n"
	"\n"
	"Shows the job recorded in DIR on a time axis, in a browser: what each rank and thread\n"
	"was in, what the kernel did to it meanwhile, what each CPU ran, and messages. Serves it\n"
	"on 127.0.0.1 until it is interrupted, to its user and root, by the address that it\n"
	"prints. A job that still runs is followed.\n"
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

static const struct hyb_library_need page_need = { "the timeline", HYB_OPTIONAL_JANSSON };
static const struct hyb_library_need server_need = { "all but --export=FILE", HYB_OPTIONAL_MICROHTTPD };
static const struct hyb_library_need debuginfod_need = { "--debuginfod", HYB_OPTIONAL_LIBDW };

static volatile sig_atomic_t stop;
static struct hyb_load_wish reading;

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

static int write_all(const void *what, FILE *to)
{
	const struct hyb_load *load = what;
	struct hyb_html_findings *findings = hyb_html_findings_new(reading.dirs, reading.count, reading.tmp);
	int err = findings ? 0 : -ENOMEM;

	if (!err)
		err = hyb_html_timeline(&load->store, findings, reading.dirs[0], wish.most, to, &wish.cut);
	hyb_html_findings_free(findings);
	if (!err || err == -ENOMEM)
		return err;
	hyb_show(stderr, "hybmon view: what hybmon view kept of %s cannot be read: %s; remove view.cache there, or "
		 "hybmon/view-*.cache in XDG_CACHE_HOME or ~/.cache\n", reading.dirs[0], strerror(-err));
	return HYB_PAGE_UNREAD;
}

static int write_page(const struct hyb_load *load)
{
	int err = hyb_page_write("hybmon view", wish.page, write_all, load);

	if (err == -ENOMEM)
		fputs("hybmon view: out of memory\n", stderr);
	else if (!err && wish.cut)
		hyb_show(stderr, "hybmon view: note: %s has %" PRIu64 " MiB of details and not all of them: --most\n", wish.page,
			wish.most >> 20);
	return err;
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
	if (!wish.no_browser)
		hyb_browser_open(address, before);
}

static int serve(struct hyb_load **load)
{
	struct hyb_html_findings *findings = hyb_html_findings_new(reading.dirs, reading.count, reading.tmp);
	struct hyb_html_server *server;
	uint16_t port = wish.port;
	sigset_t signals, before;
	int err;

	/*
	 * The program comes first, which may need all CPUs here; but what is new, which is little, has to be seen in time.
	 * Threads that are made from now on have the same.
	 */
	if ((*load)->store.running && nice(NICE) < 0)
		errno = 0;
	/* Its threads leave them to this one, which sees none between a look at `stop` and its sleep. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &before);
	err = hyb_html_serve(&(*load)->store, reading.dirs[0], &port, &server);
	if (!err) {
		hyb_html_serve_findings(server, findings);
		print_address(server, port, &before);
		/* What is read in the background comes after what is asked for. */
		if (!(*load)->store.running && ((*load)->store.pairing || (*load)->store.sketch) && nice(NICE) < 0)
			errno = 0;
		hyb_follow(server, load, &before);
	} else if (wish.port) {
		hyb_show(stderr, "hybmon view: cannot serve on port %u: %s; without --port any free one is taken\n", wish.port,
			strerror(-err));
	} else {
		hyb_show(stderr, "hybmon view: cannot serve on 127.0.0.1: %s; try --export=FILE\n", strerror(-err));
	}
	hyb_html_serve_end(server);
	hyb_browser_end();
	hyb_html_findings_free(findings);
	return err;
}

static int show(struct hyb_load **load)
{
	return wish.page ? write_page(*load) : serve(load);
}

static int view(const char *const *dirs, size_t count)
{
	static const struct hyb_diag loud = { say, NULL };
	const char *tmp = getenv("TMPDIR");
	struct hyb_load *load;
	int err;

	reading = (struct hyb_load_wish){
		.dirs = dirs, .count = count, .page = wish.page, .sketch = wish.sketch, .tmp = tmp && *tmp ? tmp : "/tmp",
		.diag = &loud, .stop = &stop,
	};
	load = hyb_load_jobs(&reading, HYB_LOAD_FIRST, NULL);
	err = load ? show(&load) : -ENODATA;
	hyb_unload(load);
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
	hyb_show(stderr, "hybmon view: --%s=%s: that is no number from 1 to %lu\n", option, text, most);
	return false;
}

int hyb_view_main(int argc, char **argv)
{
	bool debuginfod = false;
	unsigned long value;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'D':
			if (hyb_lacks("hybmon view", &debuginfod_need))
				return EXIT_UNREAD;
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
			hyb_lacks_help(&page_need);
			hyb_lacks_help(&server_need);
			hyb_lacks_help(&debuginfod_need);
			return EXIT_SHOWN;
		case 'V':
			puts("hybmon view " PACKAGE_VERSION);
			return EXIT_SHOWN;
		default:
			return EXIT_UNREAD;
		}
	}
	if (hyb_lacks("hybmon view", &page_need) || (!wish.page && hyb_lacks("hybmon view", &server_need)))
		return EXIT_UNREAD;
	/* libdw would ask them: nobody waits for a network that nobody spoke of. */
	if (!debuginfod)
		unsetenv("DEBUGINFOD_URLS");
	if (optind == argc) {
		fputs("hybmon view: no experiment given; try --help\n", stderr);
		return EXIT_UNREAD;
	}
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	/* The terminal was closed; nohup keeps it. */
	if (signal(SIGHUP, on_signal) == SIG_IGN)
		signal(SIGHUP, SIG_IGN);
	return view((const char *const *)&argv[optind], (size_t)(argc - optind));
}
