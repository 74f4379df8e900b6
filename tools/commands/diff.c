/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon diff: what differs between two recordings of a program, or between two sets of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/compare.h"
#include "export/documents/compare.h"
#include "tools/common/command.h"
#include "tools/common/commands.h"
#include "tools/common/paint.h"

enum { EXIT_ALIKE = 0, EXIT_GREW = 1, EXIT_UNREAD = 2 };

struct diff_wish {
	const char **dirs;
	size_t count;
	size_t of_a;
	double allowed; /* less than 0: any */
	bool all;
	bool json;
	bool debuginfod;
};

static int take_allowed(const char *text, void *wish)
{
	struct diff_wish *w = wish;
	char *end;
	double value = strtod(text, &end);

	if (end == text || !(value >= 0) || value > 1e9 || (*end && strcmp(end, "%"))) {
		hyb_command_say("--fail-above %s: this is no percentage, such as 5%%", text);
		return EXIT_UNREAD;
	}
	w->allowed = value / 100;
	return -1;
}

static const struct hyb_option options[] = {
	{ "all", NULL, "show all of long lists", HYB_FLAG(struct diff_wish, all) },
	{ "fail-above", " P%", "exit with 1 if the run takes longer by more than P % of A,\n"
			       "or a region takes more by that part of all threads' time", HYB_TAKE(take_allowed) },
	{ "json", NULL, "all of it as one JSON document, for programs", HYB_FLAG(struct diff_wish, json),
	  .need = &hyb_json_need },
	HYB_OPTION_DEBUGINFOD(struct diff_wish),
	{ .name = NULL },
};

static const struct hyb_command command = {
	.name = "hybmon diff",
	.usage = "usage: hybmon diff [options] A B\n"
		 "       hybmon diff [options] A... -- B...\n"
		 "\n"
		 "Sets the recordings A and B of a program against each other: how long they took,\n"
		 "where the time went, by region, who waited for others, and what that goes back\n"
		 "to. Of several runs on both sides it says how likely it is that they differ by\n"
		 "chance (the rank test of Mann and Whitney).\n"
		 "\n",
	.notes = "\n"
		 "What does not fit into memory waits in TMPDIR.\n"
		 "Exit status: 0 shown, 1 B takes more than --fail-above allows, 2 they cannot be\n"
		 "read or compared, or wrong usage.\n",
	.column = 24,
	.failed = EXIT_UNREAD,
	.options = options,
};

/* Options and directories, up to the next `--`. -1 or the exit status. */
static int read_words(struct diff_wish *w, int argc, char **argv)
{
	int status = hyb_command_read(&command, argc, argv, w);

	while (status < 0 && optind < argc)
		w->dirs[w->count++] = argv[optind++];
	return status;
}

/* Both sides. As read_words. */
static int read_sides(struct diff_wish *w, int argc, char **argv)
{
	int split = 1, status;

	while (split < argc && strcmp(argv[split], "--"))
		split++;
	status = read_words(w, split, argv);
	w->of_a = split < argc ? w->count : 1;
	if (status < 0 && split < argc) {
		argv[split] = argv[0];
		status = read_words(w, argc - split, argv + split);
	}
	if (status < 0 && (!w->of_a || w->of_a >= w->count || (split == argc && w->count > 2))) {
		hyb_command_say(w->count > 2 ? "more than two recordings: put -- between those of A and those of B" :
					       "two recordings are needed; try --help");
		return EXIT_UNREAD;
	}
	return status;
}

static int write_most(const void *compare, FILE *to)
{
	return hyb_compare_print(compare, false, to);
}

static int write_all(const void *compare, FILE *to)
{
	return hyb_compare_print(compare, true, to);
}

static int show(const struct hyb_compare *c, const struct diff_wish *w)
{
	if (w->json)
		return hyb_json_compare(c, w->allowed, stdout);
	return hyb_paint_headings(stdout, w->all ? write_all : write_most, c);
}

/* One report at a time. */
static int add_runs(struct hyb_compare *c, const struct diff_wish *w, const char *place)
{
	struct hyb_report_options o = {
		.dir_count = 1, .place = place, .diag = &hyb_command_diag, .stop = &hyb_command_stop, .or_profiles = true,
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

static int compare(const struct diff_wish *w)
{
	const char *place = hyb_command_begin_in_place(w->debuginfod), *why = NULL;
	int status = EXIT_UNREAD, err;
	struct hyb_compare c;

	if (!place)
		return EXIT_UNREAD;
	err = hyb_compare_init(&c, w->count, w->of_a);
	if (!err)
		err = add_runs(&c, w, place);
	if (!err)
		err = hyb_compare_end(&c, w->allowed, &why);
	if (!err)
		err = show(&c, w);
	if (!err)
		status = c.failed ? EXIT_GREW : EXIT_ALIKE;
	else if (err != -ENOMEM && why)
		hyb_command_say("%s and %s cannot be compared: %s", w->dirs[0], w->dirs[w->of_a], why);
	hyb_command_fail(err);
	hyb_compare_free(&c);
	return hyb_command_end(status);
}

int hyb_diff_main(int argc, char **argv)
{
	struct diff_wish w = { .allowed = -1 };
	int status;

	w.dirs = calloc((size_t)argc + 1, sizeof(*w.dirs));
	if (!w.dirs) {
		fputs("hybmon diff: out of memory\n", stderr);
		return EXIT_UNREAD;
	}
	status = read_sides(&w, argc, argv);
	if (status < 0)
		status = compare(&w);
	free(w.dirs);
	return status;
}
