/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon diff: what differs between two recordings of a program, or between two sets of them. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/diff/compare.h"
#include "export/documents/compare.h"
#include "tools/common/commands.h"
#include "tools/common/lacking.h"
#include "tools/common/paint.h"
#include "reader/streams/printable.h"

enum { EXIT_ALIKE = 0, EXIT_GREW = 1, EXIT_UNREAD = 2 };

static const char usage[] = "usage: hybmon diff [options] A B\n"
			    "       hybmon diff [options] A... -- B...\n"
			    "\n"
			    "Sets the recordings A and B of a program against each other: how long they took,\n"
			    "where the time went, by region, who waited for others, and what that goes back\n"
			    "to. Of several runs on both sides it says how likely it is that they differ by\n"
			    "chance (the rank test of Mann and Whitney).\n"
			    "\n"
			    "      --all             show all of long lists\n"
			    "      --fail-above P%   exit with 1 if the run takes longer by more than P % of A,\n"
			    "                        or a region takes more by that part of all threads' time\n"
			    "      --json            all of it as one JSON document, for programs\n"
			    "      --debuginfod      ask the servers in DEBUGINFOD_URLS for debug information\n"
			    "  -h, --help            this text\n"
			    "      --version         the version\n"
			    "\n"
			    "What does not fit into memory waits in TMPDIR.\n"
			    "Exit status: 0 shown, 1 B takes more than --fail-above allows, 2 they cannot be\n"
			    "read or compared, or wrong usage.\n";

static const struct option options[] = {
	{ "all", no_argument, NULL, 'a' },
	{ "debuginfod", no_argument, NULL, 'D' },
	{ "fail-above", required_argument, NULL, 'f' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

struct wanted {
	const char **dirs;
	size_t count;
	size_t of_a;
	double allowed; /* less than 0: any */
	bool all;
	bool json;
	bool debuginfod;
};

static const struct hyb_library_need json_need = { "--json", HYB_OPTIONAL_JANSSON };
static const struct hyb_library_need debuginfod_need = { "--debuginfod", HYB_OPTIONAL_LIBDW };

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	stop = number;
}

static void say(void *arg, enum hyb_severity severity, const char *text)
{
	static const char *const words[] = { "note: ", "warning: ", "" };

	(void)arg;
	fprintf(stderr, "hybmon diff: %s%s\n", words[severity], text);
}

static int read_allowed(const char *text, double *allowed)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || !(value >= 0) || value > 1e9 || (*end && strcmp(end, "%"))) {
		hyb_show(stderr, "hybmon diff: --fail-above %s: this is no percentage, such as 5%%\n", text);
		return -EINVAL;
	}
	*allowed = value / 100;
	return 0;
}

/* Options and directories, up to the next `--`. 0; 1: it is answered; -errno: it is said what is wrong. */
static int read_words(struct wanted *w, int argc, char **argv)
{
	int c;

	optind = 0;
	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'a':
			w->all = true;
			break;
		case 'D':
			if (hyb_lacks("hybmon diff", &debuginfod_need))
				return -ENOTSUP;
			w->debuginfod = true;
			break;
		case 'f':
			if (read_allowed(optarg, &w->allowed))
				return -EINVAL;
			break;
		case 'j':
			if (hyb_lacks("hybmon diff", &json_need))
				return -ENOTSUP;
			w->json = true;
			break;
		case 'h':
			fputs(usage, stdout);
			hyb_lacks_help(&json_need);
			hyb_lacks_help(&debuginfod_need);
			return 1;
		case 'V':
			puts("hybmon diff " PACKAGE_VERSION);
			return 1;
		default:
			return -EINVAL;
		}
	}
	while (optind < argc)
		w->dirs[w->count++] = argv[optind++];
	return 0;
}

/* Both sides. As read_words. */
static int read_sides(struct wanted *w, int argc, char **argv)
{
	int split = 1, err;

	while (split < argc && strcmp(argv[split], "--"))
		split++;
	err = read_words(w, split, argv);
	w->of_a = split < argc ? w->count : 1;
	if (!err && split < argc) {
		argv[split] = argv[0];
		err = read_words(w, argc - split, argv + split);
	}
	if (!err && (!w->of_a || w->of_a >= w->count || (split == argc && w->count > 2))) {
		fputs(w->count > 2 ? "hybmon diff: more than two recordings: put -- between those of A and those of B\n"
				   : "hybmon diff: two recordings are needed; try --help\n",
		      stderr);
		return -EINVAL;
	}
	return err;
}

static int write_most(const void *compare, FILE *to)
{
	return hyb_compare_print(compare, false, to);
}

static int write_all(const void *compare, FILE *to)
{
	return hyb_compare_print(compare, true, to);
}

static int show(const struct hyb_compare *c, const struct wanted *w)
{
	if (w->json)
		return hyb_json_compare(c, w->allowed, stdout);
	return hyb_paint_headings(stdout, w->all ? write_all : write_most, c);
}

/* One report at a time. */
static int add_runs(struct hyb_compare *c, const struct wanted *w, const char *place)
{
	static const struct hyb_diag diag = { say, NULL };
	struct hyb_report_options o = {
		.dir_count = 1, .place = place, .diag = &diag, .stop = &stop, .or_profiles = true,
	};
	static struct hyb_report r;
	int err = 0;

	for (size_t i = 0; i < w->count && !err; i++) {
		o.dirs = &w->dirs[i];
		err = hyb_report_make(&r, &o);
		if (!err)
			err = hyb_compare_add(c, w->dirs[i], &r);
		hyb_report_free(&r);
	}
	return err;
}

static int compare(const struct wanted *w, const char *place)
{
	struct hyb_compare c;
	const char *why = NULL;
	int status = EXIT_UNREAD, err = hyb_compare_init(&c, w->count, w->of_a);

	if (!err)
		err = add_runs(&c, w, place);
	if (!err)
		err = hyb_compare_end(&c, w->allowed, &why);
	if (!err)
		err = show(&c, w);
	if (!err)
		status = c.failed ? EXIT_GREW : EXIT_ALIKE;
	else if (err == -ENOMEM)
		fputs("hybmon diff: out of memory\n", stderr);
	else if (why)
		hyb_show(stderr, "hybmon diff: %s and %s cannot be compared: %s\n", w->dirs[0], w->dirs[w->of_a], why);
	hyb_compare_free(&c);
	return status;
}

static int run(const struct wanted *w)
{
	const char *tmp = getenv("TMPDIR");
	char place[PATH_MAX];
	int status;

	snprintf(place, sizeof(place), "%s/hybmon-diff-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(place)) {
		hyb_show(stderr, "hybmon diff: cannot make the directory %s: %s; set TMPDIR\n", place, strerror(errno));
		return EXIT_UNREAD;
	}
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	status = compare(w, place);
	rmdir(place);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "hybmon diff: cannot write to the standard output: %s\n", strerror(errno));
		return EXIT_UNREAD;
	}
	return status;
}

int hyb_diff_main(int argc, char **argv)
{
	struct wanted w = { .allowed = -1 };
	int err;

	w.dirs = calloc((size_t)argc + 1, sizeof(*w.dirs));
	if (!w.dirs) {
		fputs("hybmon diff: out of memory\n", stderr);
		return EXIT_UNREAD;
	}
	err = read_sides(&w, argc, argv);
	/* libdw would ask them: nobody waits for a network that nobody spoke of. */
	if (!w.debuginfod)
		unsetenv("DEBUGINFOD_URLS");
	if (!err)
		err = run(&w);
	else
		err = err < 0 ? EXIT_UNREAD : EXIT_ALIKE;
	free(w.dirs);
	return err;
}
