/* SPDX-License-Identifier: BSD-3-Clause */
/* Formatting of what the reader library has to say. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "trace/diag.h"
#include "trace/printable.h"

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
