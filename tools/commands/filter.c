/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon filter: from a recording to a filter file for the next one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/filter/proposal.h"
#include "export/documents/filter.h"
#include "pmpi/table/function-info.h"
#include "pmpi/table/functions.h"
#include "tools/common/command.h"
#include "tools/common/commands.h"
#include "tools/run/filter-price.h"

enum { EXIT_MADE = 0, EXIT_MISSED = 1, EXIT_UNREAD = 2 };

#define SHOWN	  20   /* regions that no rule is made for */
#define VISITS	  10000
#define SHORTEST  1000 /* ns */
#define PRICE	  45   /* ns: doc/benchmarks.md */

struct filter_wish {
	struct hyb_proposal_options options;
	const char **keep;
	const char *with;
	bool all;
	bool json;
};

/* A number that is not negative, with one of the units (name, factor), the last of which is none. */
static bool parse(const char *text, const char *const *units, const double *factors, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	if (errno || end == text || !(*value >= 0) || *value > 1e18)
		return false;
	for (; *units; units++, factors++) {
		if (!strcmp(end, *units)) {
			*value *= *factors;
			return *value <= 1e18;
		}
	}
	return !*end;
}

static bool parse_time(const char *text, int64_t *ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s", NULL };
	static const double factors[] = { 1, 1e3, 1e6, 1e9 };
	double value;

	if (!parse(text, units, factors, &value))
		return false;
	*ns = (int64_t)value;
	return true;
}

static bool parse_size(const char *text, uint64_t *bytes)
{
	static const char *const units[] = { "k", "M", "G", "T", "kB", "MB", "GB", "TB", NULL };
	static const double factors[] = { 1e3, 1e6, 1e9, 1e12, 1e3, 1e6, 1e9, 1e12 };
	double value;

	if (!parse(text, units, factors, &value) || value < 1)
		return false;
	*bytes = (uint64_t)value;
	return true;
}

static bool parse_count(const char *text, uint64_t *count)
{
	static const char *const units[] = { NULL };
	double value;

	if (!parse(text, units, NULL, &value))
		return false;
	*count = (uint64_t)value;
	return true;
}

static int take_visits(const char *text, void *wish)
{
	struct filter_wish *w = wish;

	return parse_count(text, &w->options.visits) ?
		       -1 : hyb_command_wrong("--visits=%s: that is no number of visits", text);
}

static int take_shortest(const char *text, void *wish)
{
	struct filter_wish *w = wish;

	return parse_time(text, &w->options.shortest) ?
		       -1 : hyb_command_wrong("--shortest=%s: that is no time such as 500ns or 2us", text);
}

static int take_target(const char *text, void *wish)
{
	struct filter_wish *w = wish;

	return parse_size(text, &w->options.target) ?
		       -1 : hyb_command_wrong("--target-size=%s: that is no size such as 500M or 2G", text);
}

static int take_keep(const char *pattern, void *wish)
{
	struct filter_wish *w = wish;

	w->keep[w->options.keep_count++] = pattern;
	return -1;
}

static int take_price(const char *text, void *wish)
{
	double *price = &((struct filter_wish *)wish)->options.price;
	char *end;

	if (!strcmp(text, "measure"))
		return hyb_price_measure("hybmon filter", price) ? EXIT_UNREAD : -1;
	*price = strtod(text, &end);
	if (end != text && !*end && *price >= 0 && *price < 1e9)
		return -1;
	return hyb_command_wrong("--price=%s: that is no number of nanoseconds, nor measure", text);
}

static const struct hyb_option options[] = {
	{ "visits", "=N", "leave alone what has fewer visits in all (10000)", HYB_TAKE(take_visits) },
	{ "shortest", "=TIME", "and what takes that long in the mean: 500ns, 2us (1us)", HYB_TAKE(take_shortest) },
	{ "target-size", "=SIZE", "go on until no more is left: 500M, 2G (decimal)", HYB_TAKE(take_target) },
	{ "keep", "=PATTERN", "never leave out what is called so; any number of times", HYB_TAKE(take_keep) },
	{ "messages", NULL, "also MPI functions that communicate, although others'\n"
			    "halves of their messages will be unmatched", HYB_FLAG(struct filter_wish, options.messages) },
	{ "price", "=NS", "what recording a visit costs (45), or measure: here, now", HYB_TAKE(take_price) },
	{ "with", "=FILE", "begin with the rules of FILE: those of this recording", HYB_TEXT(struct filter_wish, with) },
	{ "all", NULL, "show all regions that stay, not the 20 largest", HYB_FLAG(struct filter_wish, all) },
	{ "json", NULL, "all of it as one JSON document, for programs", HYB_FLAG(struct filter_wish, json),
	  .need = &hyb_json_need },
	{ .name = NULL },
};

static const struct hyb_command command = {
	.name = "hybmon filter",
	.usage = "usage: hybmon filter [options] DIR >FILE\n"
		 "\n"
		 "Proposes what to leave out of the next recording: a file for HYBMON_FILTER, made\n"
		 "from the trace or the profile in DIR. What each region cost stands in it.\n"
		 "\n",
	.notes = "\n"
		 "Exit status: 0 the file was written, 1 the target cannot be reached, 2 DIR cannot\n"
		 "be read, or wrong usage.\n",
	.column = 25,
	.failed = EXIT_UNREAD,
	.options = options,
};

/* What a rule can do about an MPI function, and what it would cost others. */
static enum hyb_mpi_use use_of(const char *name)
{
	for (unsigned int i = 1; i < HYB_MPI_FUNCTIONS; i++) {
		const struct hyb_function_info *f = &hyb_functions[i];

		if (strcmp(f->name, name))
			continue;
		if (f->acts)
			return HYB_MPI_FOLLOWED;
		return f->tells ? HYB_MPI_COMMUNICATES : HYB_MPI_PLAIN;
	}
	return HYB_MPI_PLAIN;
}

/* The rules that are there already, as they are. */
static int copy(const char *path)
{
	char buf[65536];
	FILE *f = fopen(path, "re");
	size_t n;
	int err;

	if (!f)
		return -errno;
	while ((n = fread(buf, 1, sizeof(buf), f)))
		fwrite(buf, 1, n, stdout);
	err = ferror(f) ? -EIO : 0;
	fclose(f);
	return err;
}

static int show(const struct hyb_proposal *p, const struct filter_wish *w)
{
	int err = 0;

	if (w->json) {
		err = hyb_json_filter(p, stdout);
		hyb_command_fail(err ? -ENOMEM : 0);
		return err;
	}
	if (w->with)
		err = copy(w->with);
	if (err)
		hyb_command_say("cannot read %s: %s", w->with, strerror(-err));
	else
		hyb_proposal_print(p, w->all ? SIZE_MAX : SHOWN, stdout);
	return err;
}

static int filter(const char *dir, const struct filter_wish *w)
{
	struct hyb_proposal p;
	int status = EXIT_UNREAD, err;

	hyb_command_begin(false);
	err = hyb_proposal_make(&p, dir, &w->options);
	if (err == -ENODATA)
		hyb_command_say("%s: no thread has recorded anything", dir);
	hyb_command_fail(err);
	if (!err && !show(&p, w))
		status = hyb_proposal_meets(&p) ? EXIT_MADE : EXIT_MISSED;
	if (status == EXIT_MISSED)
		hyb_command_say("the target size is not reached: the rest is not to be left out");
	hyb_proposal_free(&p);
	return hyb_command_end(status);
}

int hyb_filter_main(int argc, char **argv)
{
	struct filter_wish w = {
		.options = { .visits = VISITS, .shortest = SHORTEST, .price = PRICE, .mpi = use_of,
			     .diag = &hyb_command_diag, .stop = &hyb_command_stop },
		.keep = calloc((size_t)argc + 1, sizeof(*w.keep)),
	};
	int status;

	if (!w.keep)
		return EXIT_UNREAD;
	if (argc == 2 && !strcmp(argv[1], HYB_PRICE_ARGUMENT))
		return hyb_price_program();
	w.options.keep = w.keep;
	status = hyb_command_read(&command, argc, argv, &w);
	if (status < 0)
		status = hyb_command_count(argc, 1);
	if (status < 0)
		status = filter(argv[optind], &w);
	free(w.keep);
	return status;
}
