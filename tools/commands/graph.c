/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon graph: writes the order of events (happened-before) as a graph. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/commands.h"
#include "analysis/graph/graph.h"
#include "reader/streams/printable.h"

enum { EXIT_SHOWN = 0, EXIT_UNREAD = 2 };

static const char usage[] =
	"usage: hybmon graph [options] DIR\n"
	"\n"
	"Writes the event graph of the job recorded in DIR: sends, receives, begins and ends of\n"
	"collective operations, and what of it comes before what. Of a recording with its order\n"
	"(hybmon run --order=yes) also what receives could have got instead.\n"
	"\n"
	"      --format=FORMAT   graphml (networkx, igraph, Gephi; the default) or dot (graphviz)\n"
	"      --from=TIME       only from then on, since the begin: 2.5, 300ms, 40us\n"
	"      --to=TIME         only up to then\n"
	"      --ranks=LIST      only these: 0-15,32\n"
	"  -h, --help            this text\n"
	"      --version         the version\n"
	"\n"
	"What does not fit into memory waits in TMPDIR.\n"
	"Exit status: 0 written, 2 it cannot be read, or wrong usage.\n";

static const struct option options[] = {
	{ "format", required_argument, NULL, 'o' },
	{ "from", required_argument, NULL, 'F' },
	{ "to", required_argument, NULL, 'T' },
	{ "ranks", required_argument, NULL, 'R' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

typedef int (*write_function)(const struct hyb_races *r, const struct hyb_graph_wish *wish, FILE *to);

static volatile sig_atomic_t stop;
static write_function write_it = hyb_graph_ml;
static struct hyb_selection selection = HYB_SELECTION_ALL;

static void on_signal(int number)
{
	stop = number;
}

static void say(void *arg, enum hyb_severity severity, const char *text)
{
	static const char *const words[] = { "note: ", "warning: ", "" };

	(void)arg;
	fprintf(stderr, "hybmon graph: %s%s\n", words[severity], text);
}

static bool take_format(const char *word)
{
	static const struct {
		const char *name;
		write_function write;
	} formats[] = {
		{ "graphml", hyb_graph_ml }, { "dot", hyb_graph_dot },
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!strcmp(formats[i].name, word)) {
			write_it = formats[i].write;
			return true;
		}
	}
	return false;
}

/* False: a wrong one, which is said. */
static bool take_option(int c, const char *text)
{
	const char *what = c == 'o' ? "format" : c == 'F' ? "from" : c == 'T' ? "to" : "ranks";
	bool ok;

	if (c == 'o')
		ok = take_format(text);
	else if (c == 'R')
		ok = !hyb_selection_parse_ranks(text, &selection);
	else
		ok = hyb_selection_parse_time(text, c == 'F' ? &selection.from : &selection.to);
	if (!ok)
		hyb_show(stderr, "hybmon graph: --%s=%s: that is none; try --help\n", what, text);
	return ok;
}

static int write_graph(const struct hyb_races *r)
{
	const struct hyb_graph_wish wish = { .selection = &selection };

	return write_it(r, &wish, stdout);
}

static int graph(const char *dir)
{
	static const struct hyb_diag diag = { say, NULL };
	const char *tmp = getenv("TMPDIR");
	static struct hyb_races races;
	char place[PATH_MAX];
	int err;

	snprintf(place, sizeof(place), "%s/hybmon-graph-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(place)) {
		hyb_show(stderr, "hybmon graph: cannot make the directory %s: %s; set TMPDIR\n", place, strerror(errno));
		return EXIT_UNREAD;
	}
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	err = hyb_races_find(&races, &(struct hyb_races_options){ .dir = dir, .place = place, .diag = &diag, .stop = &stop });
	if (!err)
		err = write_graph(&races);
	if (err == -ENOMEM)
		fputs("hybmon graph: out of memory\n", stderr);
	hyb_races_free(&races);
	rmdir(place);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "hybmon graph: cannot write to the standard output: %s\n", strerror(errno));
		return EXIT_UNREAD;
	}
	return err ? EXIT_UNREAD : EXIT_SHOWN;
}

int hyb_graph_main(int argc, char **argv)
{
	int status;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'h') {
			fputs(usage, stdout);
			return EXIT_SHOWN;
		}
		if (c == 'V') {
			puts("hybmon graph " PACKAGE_VERSION);
			return EXIT_SHOWN;
		}
		if (c == '?' || !take_option(c, optarg))
			return EXIT_UNREAD;
	}
	unsetenv("DEBUGINFOD_URLS");
	if (argc - optind != 1) {
		hyb_show(stderr, "hybmon graph: %s; try --help\n", optind == argc ? "no experiment given" : "more than one experiment given");
		return EXIT_UNREAD;
	}
	status = graph(argv[optind]);
	hyb_selection_free(&selection);
	return status;
}
