/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon races: which receives could have got another message. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/commands.h"
#include "tools/common/paint.h"
#include "analysis/races/races.h"
#include "reader/streams/printable.h"

enum { EXIT_NONE = 0, EXIT_SOME = 1, EXIT_UNREAD = 2 };

static const char usage[] =
	"usage: hybmon races [options] DIR [OTHER]\n"
	"\n"
	"Says which receives of the job recorded in DIR that name any source could have got\n"
	"another message, by the lines of the program: where its result may depend on the\n"
	"order in which messages come. Record with hybmon run --order=yes. With OTHER, another\n"
	"recording of the program (--order=only will do), also which receives got another\n"
	"message there: lines whose order changed come first.\n"
	"\n"
	"      --all             show all of long lists, and each receive with its number\n"
	"      --flip=RANK.NUMBER=SOURCE\n"
	"                        what hybmon replay --flip needs, for programs\n"
	"      --debuginfod      ask the servers in DEBUGINFOD_URLS for debug information\n"
	"  -h, --help            this text\n"
	"      --version         the version\n"
	"\n"
	"What does not fit into memory waits in TMPDIR.\n"
	"Exit status: 0 none could, 1 some could; with OTHER 0 the order is the same there, 1 it\n"
	"is another one; 2 it cannot be read, or wrong usage.\n";

static const struct option options[] = {
	{ "all", no_argument, NULL, 'a' },
	{ "flip", required_argument, NULL, 'f' },
	{ "debuginfod", no_argument, NULL, 'D' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static volatile sig_atomic_t stop;
static bool show_all;
static struct {
	bool wanted;
	uint64_t rank, number, source;
} flip;

static void on_signal(int number)
{
	stop = number;
}

static void say(void *arg, enum hyb_severity severity, const char *text)
{
	static const char *const words[] = { "note: ", "warning: ", "" };

	(void)arg;
	fprintf(stderr, "hybmon races: %s%s\n", words[severity], text);
}

static int write_text(const void *races, FILE *to)
{
	return hyb_races_print(races, show_all, to);
}

/* RANK.NUMBER=SOURCE; false: it is none. */
static bool take_flip(const char *text)
{
	int length = 0;

	flip.wanted = sscanf(text, "%" SCNu64 ".%" SCNu64 "=%" SCNu64 "%n", &flip.rank, &flip.number, &flip.source, &length) == 3 &&
		length && !text[length];
	if (!flip.wanted)
		hyb_show(stderr, "hybmon races: --flip=%s: that is no RANK.NUMBER=SOURCE\n", text);
	return flip.wanted;
}

/* What was found, or was asked for, goes to the standard output. 0 or -errno. */
static int show(struct hyb_races *races)
{
	if (flip.wanted)
		return hyb_races_flip(races, flip.rank, flip.number, flip.source, stdout);
	return hyb_paint_headings(stdout, write_text, races);
}

static int status_of(const struct hyb_races *races)
{
	if (flip.wanted)
		return EXIT_NONE;
	if (races->other.path)
		return hyb_races_same_order(races) ? EXIT_NONE : EXIT_SOME;
	return races->raced ? EXIT_SOME : EXIT_NONE;
}

/* other: NULL, there is none. */
static int find(const char *dir, const char *other)
{
	static const struct hyb_diag diag = { say, NULL };
	const char *tmp = getenv("TMPDIR");
	static struct hyb_races races;
	char place[PATH_MAX];
	int status = EXIT_UNREAD;
	int err;

	snprintf(place, sizeof(place), "%s/hybmon-races-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(place)) {
		hyb_show(stderr, "hybmon races: cannot make the directory %s: %s; set TMPDIR\n", place, strerror(errno));
		return EXIT_UNREAD;
	}
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	err = hyb_races_find(&races, &(struct hyb_races_options){ .dir = dir, .place = place, .diag = &diag, .stop = &stop });
	if (!err && !other && !races.track_count) {
		hyb_show(stderr, "hybmon races: %s: has no events: record it with hybmon run --order=yes\n", dir);
		err = -ENODATA;
	}
	if (!err && other)
		err = hyb_races_compare(&races, other, &diag);
	if (!err)
		err = show(&races);
	if (!err)
		status = status_of(&races);
	else if (err == -ENOMEM)
		fputs("hybmon races: out of memory\n", stderr);
	hyb_races_free(&races);
	rmdir(place);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "hybmon races: cannot write to the standard output: %s\n", strerror(errno));
		return EXIT_UNREAD;
	}
	return status;
}

int hyb_races_main(int argc, char **argv)
{
	bool debuginfod = false;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'a':
			show_all = true;
			break;
		case 'D':
			debuginfod = true;
			break;
		case 'f':
			if (!take_flip(optarg))
				return EXIT_UNREAD;
			break;
		case 'h':
			fputs(usage, stdout);
			return EXIT_NONE;
		case 'V':
			puts("hybmon races " PACKAGE_VERSION);
			return EXIT_NONE;
		default:
			return EXIT_UNREAD;
		}
	}
	/* libdw would ask them: nobody waits for a network that nobody spoke of. */
	if (!debuginfod)
		unsetenv("DEBUGINFOD_URLS");
	if (argc == optind || argc - optind > 2) {
		hyb_show(stderr, "hybmon races: %s; try --help\n",
			optind == argc ? "no experiment given" : "more than two experiments given");
		return EXIT_UNREAD;
	}
	if (flip.wanted && argc - optind > 1) {
		fputs("hybmon races: --flip is of one experiment; leave the other out\n", stderr);
		return EXIT_UNREAD;
	}
	return find(argv[optind], argv[optind + 1]);
}
