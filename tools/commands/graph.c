/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon graph: writes the order of events (happened-before) as a graph. */
#include <stdio.h>
#include <string.h>

#include "analysis/graph/graph.h"
#include "tools/common/command.h"
#include "tools/common/commands.h"

enum { EXIT_SHOWN = 0, EXIT_UNREAD = 2 };

struct graph_wish {
	int (*write)(const struct hyb_races *r, const struct hyb_graph_wish *wish, FILE *to);
	struct hyb_selection selection;
};

static int refuse(const char *option, const char *text)
{
	hyb_command_say("--%s=%s: that is none; try --help", option, text);
	return EXIT_UNREAD;
}

static int take_format(const char *word, void *wish)
{
	struct graph_wish *w = wish;

	if (!strcmp(word, "graphml"))
		w->write = hyb_graph_ml;
	else if (!strcmp(word, "dot"))
		w->write = hyb_graph_dot;
	else
		return refuse("format", word);
	return -1;
}

static int take_from(const char *text, void *wish)
{
	struct graph_wish *w = wish;

	return hyb_selection_parse_time(text, &w->selection.from) ? -1 : refuse("from", text);
}

static int take_to(const char *text, void *wish)
{
	struct graph_wish *w = wish;

	return hyb_selection_parse_time(text, &w->selection.to) ? -1 : refuse("to", text);
}

static int take_ranks(const char *text, void *wish)
{
	struct graph_wish *w = wish;

	return hyb_selection_parse_ranks(text, &w->selection) ? refuse("ranks", text) : -1;
}

static const struct hyb_option options[] = {
	{ "format", "=FORMAT", "graphml (networkx, igraph, Gephi; the default) or dot (graphviz)", HYB_TAKE(take_format) },
	{ "from", "=TIME", "only from then on, since the begin: 2.5, 300ms, 40us", HYB_TAKE(take_from) },
	{ "to", "=TIME", "only up to then", HYB_TAKE(take_to) },
	{ "ranks", "=LIST", "only these: 0-15,32", HYB_TAKE(take_ranks) },
	{ .name = NULL },
};

static const struct hyb_command command = {
	.name = "hybmon graph",
	.usage = "usage: hybmon graph [options] DIR\n"
		 "\n"
		 "Writes the event graph of the job recorded in DIR: sends, receives, begins and ends of\n"
		 "collective operations, and what of it comes before what. Of a recording with its order\n"
		 "(hybmon run --order=yes) also what receives could have got instead.\n"
		 "\n",
	.notes = "\n"
		 "What does not fit into memory waits in TMPDIR.\n"
		 "Exit status: 0 written, 2 it cannot be read, or wrong usage.\n",
	.column = 24,
	.failed = EXIT_UNREAD,
	.options = options,
};

static int write_graph(const char *dir, const struct graph_wish *w)
{
	const struct hyb_graph_wish wish = { .selection = &w->selection };
	const char *place = hyb_command_begin_in_place(false);
	static struct hyb_races races;
	int err;

	if (!place)
		return EXIT_UNREAD;
	err = hyb_races_find(&races, &(struct hyb_races_options){
		.dir = dir, .place = place, .diag = &hyb_command_diag, .stop = &hyb_command_stop });
	if (!err)
		err = w->write(&races, &wish, stdout);
	hyb_command_fail(err);
	hyb_races_free(&races);
	return hyb_command_end(err ? EXIT_UNREAD : EXIT_SHOWN);
}

int hyb_graph_main(int argc, char **argv)
{
	struct graph_wish w = { .write = hyb_graph_ml, .selection = HYB_SELECTION_ALL };
	int status = hyb_command_read(&command, argc, argv, &w);

	if (status < 0)
		status = hyb_command_count(argc, 1);
	if (status < 0)
		status = write_graph(argv[optind], &w);
	hyb_selection_free(&w.selection);
	return status;
}
