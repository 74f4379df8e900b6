/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon races: which receives could have got another message. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "analysis/races/races.h"
#include "tools/common/command.h"
#include "tools/common/commands.h"
#include "tools/common/paint.h"

enum { EXIT_NONE = 0, EXIT_SOME = 1, EXIT_UNREAD = 2 };

static struct races_wish {
	bool all;
	bool debuginfod;
	bool flip; /* what hybmon replay needs for it, instead of a list */
	uint64_t rank, number, source;
} wished;

/* RANK.NUMBER=SOURCE */
static int take_flip(const char *text, void *wish)
{
	struct races_wish *w = wish;
	int length = 0;

	w->flip = sscanf(text, "%" SCNu64 ".%" SCNu64 "=%" SCNu64 "%n", &w->rank, &w->number, &w->source, &length) == 3 &&
		length && !text[length];
	if (w->flip)
		return -1;
	hyb_command_say("--flip=%s: that is no RANK.NUMBER=SOURCE", text);
	return EXIT_UNREAD;
}

static const struct hyb_option options[] = {
	{ "all", NULL, "show all of long lists, and each receive with its number", HYB_FLAG(struct races_wish, all) },
	{ "flip", "=RANK.NUMBER=SOURCE", "what hybmon replay --flip needs, for programs", HYB_TAKE(take_flip) },
	{ "debuginfod", NULL, "ask the servers in DEBUGINFOD_URLS for debug information",
	  HYB_FLAG(struct races_wish, debuginfod) },
	{ .name = NULL },
};

static const struct hyb_command command = {
	.name = "hybmon races",
	.usage = "usage: hybmon races [options] DIR [OTHER]\n"
		 "\n"
		 "Says which receives of the job recorded in DIR that name any source could have got\n"
		 "another message, by the lines of the program: where its result may depend on the\n"
		 "order in which messages come. Record with hybmon run --order=yes. With OTHER, another\n"
		 "recording of the program (--order=only will do), also which receives got another\n"
		 "message there: lines whose order changed come first.\n"
		 "\n",
	.notes = "\n"
		 "What does not fit into memory waits in TMPDIR.\n"
		 "Exit status: 0 none could, 1 some could; with OTHER 0 the order is the same there, 1 it\n"
		 "is another one; 2 it cannot be read, or wrong usage.\n",
	.column = 24,
	.failed = EXIT_UNREAD,
	.options = options,
};

static int write_text(const void *races, FILE *to)
{
	return hyb_races_print(races, wished.all, to);
}

/* What was found, or was asked for, goes to the standard output. 0 or -errno. */
static int show(struct hyb_races *races)
{
	if (wished.flip)
		return hyb_races_flip(races, wished.rank, wished.number, wished.source, stdout);
	return hyb_paint_headings(stdout, write_text, races);
}

static int status_of(const struct hyb_races *races)
{
	if (wished.flip)
		return EXIT_NONE;
	if (races->other.path)
		return hyb_races_same_order(races) ? EXIT_NONE : EXIT_SOME;
	return races->raced ? EXIT_SOME : EXIT_NONE;
}

/* other: NULL, there is none. */
static int find(const char *dir, const char *other)
{
	const char *place = hyb_command_begin_in_place(wished.debuginfod);
	static struct hyb_races races;
	int status = EXIT_UNREAD;
	int err;

	if (!place)
		return EXIT_UNREAD;
	err = hyb_races_find(&races, &(struct hyb_races_options){
		.dir = dir, .place = place, .diag = &hyb_command_diag, .stop = &hyb_command_stop });
	if (!err && !other && !races.track_count) {
		hyb_command_say("%s: has no events: record it with hybmon run --order=yes", dir);
		err = -ENODATA;
	}
	if (!err && other)
		err = hyb_races_compare(&races, other, &hyb_command_diag);
	if (!err)
		err = show(&races);
	if (!err)
		status = status_of(&races);
	hyb_command_fail(err);
	hyb_races_free(&races);
	return hyb_command_end(status);
}

int hyb_races_main(int argc, char **argv)
{
	int status = hyb_command_read(&command, argc, argv, &wished);

	if (status < 0)
		status = hyb_command_count(argc, 2);
	if (status >= 0)
		return status;
	if (wished.flip && argc - optind > 1) {
		hyb_command_say("--flip is of one experiment; leave the other out");
		return EXIT_UNREAD;
	}
	return find(argv[optind], argv[optind + 1]);
}
