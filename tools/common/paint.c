/* SPDX-License-Identifier: BSD-3-Clause */
/* See paint.h. */
#include "tools/common/paint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOLD  "\033[1m"
#define PLAIN "\033[0m"

bool hyb_paint_may(FILE *to)
{
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return (!no || !*no) && terminal && *terminal && strcmp(terminal, "dumb") && isatty(fileno(to));
}

static void put_painted(const char *text, FILE *to)
{
	bool heading = true;

	while (*text) {
		size_t length = strcspn(text, "\n");

		if (heading && length)
			fprintf(to, BOLD "%.*s" PLAIN, (int)length, text);
		else
			fwrite(text, 1, length, to);
		heading = !length;
		text += length;
		if (*text)
			putc(*text++, to);
	}
}

int hyb_paint_headings(FILE *to, int (*write)(const void *what, FILE *to), const void *what)
{
	char *text = NULL;
	size_t size;
	FILE *held;
	int err;

	if (!hyb_paint_may(to))
		return write(what, to);
	held = open_memstream(&text, &size);
	if (!held)
		return -ENOMEM;
	err = write(what, held);
	if (fclose(held) && !err)
		err = -ENOMEM;
	if (!err)
		put_painted(text, to);
	free(text);
	return err;
}
