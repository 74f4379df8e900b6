/* SPDX-License-Identifier: BSD-3-Clause */
/* Formatting of what the reader library has to say. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "reader/streams/diag.h"
#include "reader/streams/printable.h"

void hyb_diag_say(const struct hyb_diag *diag, enum hyb_severity severity, const char *format, ...)
{
	int saved = errno;
	char text[1024], shown[2048];
	va_list args;

	if (!diag || !diag->report)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* A path or a value from a file may hold anything. */
	hyb_printable(shown, sizeof(shown), text);
	diag->report(diag->arg, severity, shown);
	errno = saved;
}

/* A line for which there is no memory is not kept: whoever reads on meets the same. */
static void keep(void *arg, enum hyb_severity severity, const char *text)
{
	struct hyb_diag_held *held = arg;
	const size_t length = strlen(text) + 2;
	char *lines = hyb_array_hold(held->lines, &held->room, held->size + length, 1);

	if (!lines)
		return;
	held->lines = lines;
	lines[held->size] = (char)severity;
	memcpy(lines + held->size + 1, text, length - 1);
	held->size += length;
}

void hyb_diag_hold(struct hyb_diag_held *held)
{
	memset(held, 0, sizeof(*held));
	held->diag = (struct hyb_diag){ keep, held };
}

void hyb_diag_tell(struct hyb_diag_held *held, const struct hyb_diag *diag)
{
	for (size_t at = 0; diag && diag->report && at < held->size; at += strlen(held->lines + at + 1) + 2)
		diag->report(diag->arg, (enum hyb_severity)held->lines[at], held->lines + at + 1);
	free(held->lines);
	held->lines = NULL;
	held->size = held->room = 0;
}
