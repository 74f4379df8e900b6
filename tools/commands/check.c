/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon check: whether a recording is sound, and of a job that hung or died who waits for whom. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/check/check.h"
#include "export/documents/check.h"
#include "tools/common/command.h"
#include "tools/common/commands.h"
#include "tools/common/paint.h"

enum { EXIT_SOUND = 0, EXIT_FOUND = 1, EXIT_UNREAD = 2 };

#define BUFFERED 65536 /* no MPI that is known to us buffers more than that by default between hosts */

struct check_wish {
	struct hyb_check_options check;
	bool json;
	bool debuginfod;
};

static int take_buffered(const char *text, void *wish)
{
	struct check_wish *w = wish;
	char *end;

	errno = 0;
	w->check.buffered = strtoull(text, &end, 10);
	if (!errno && end != text && !*end && *text != '-')
		return -1;
	return hyb_command_wrong("\"%s\" is no number of bytes", text);
}

static int take_json(const char *text, void *wish)
{
	struct check_wish *w = wish;

	(void)text;
	w->json = w->check.all = true;
	return -1;
}

static const struct hyb_option options[] = {
	{ "all", NULL, "show all of long lists", HYB_FLAG(struct check_wish, check.all) },
	{ "json", NULL, "all of it as one JSON document, for programs", HYB_TAKE(take_json), .need = &hyb_json_need },
	{ "buffered", "=BYTES", "an MPI_Send of so many bytes may come back before it is\n"
				"received: nobody waits for its receiver (65536)", HYB_TAKE(take_buffered) },
	HYB_OPTION_DEBUGINFOD(struct check_wish),
	{ .name = NULL },
};

static const struct hyb_command command = {
	.name = "hybmon check",
	.usage = "usage: hybmon check [options] DIR...\n"
		 "\n"
		 "Says whether what was recorded in DIR is sound; and of a program that hung or died,\n"
		 "or still runs, where its ranks stand, who waits for whom, and what can never end.\n"
		 "\n",
	.notes = "\n"
		 "Exit status: 0 sound and ended normally, 1 something was found, 2 it cannot be read,\n"
		 "or wrong usage.\n",
	.column = 24,
	.failed = EXIT_UNREAD,
	.options = options,
};

static int write_text(const void *check, FILE *to)
{
	hyb_check_print(check, to);
	return 0;
}

static int show(const struct hyb_check *c, bool json)
{
	int err;

	if (!json)
		return hyb_paint_headings(stdout, write_text, c);
	err = hyb_json_check(c, stdout);
	if (err)
		hyb_command_fail(-ENOMEM);
	return err;
}

int hyb_check_main(int argc, char **argv)
{
	struct check_wish w = {
		.check = { .buffered = BUFFERED, .diag = &hyb_command_diag, .stop = &hyb_command_stop },
	};
	static struct hyb_check c;
	int status = hyb_command_read(&command, argc, argv, &w);

	if (status < 0)
		status = hyb_command_count(argc, 0);
	if (status >= 0)
		return status;
	w.check.dirs = (const char *const *)&argv[optind];
	w.check.dir_count = (size_t)(argc - optind);
	hyb_command_begin(w.debuginfod);
	status = EXIT_UNREAD;
	if (!hyb_check_run(&c, &w.check) && !show(&c, w.json))
		status = hyb_check_found(&c) ? EXIT_FOUND : EXIT_SOUND;
	hyb_check_free(&c);
	return hyb_command_end(status);
}
