/* SPDX-License-Identifier: BSD-3-Clause */
/* See printable.h. */
#include "reader/streams/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void hyb_make_utf8(char *text)
{
	size_t left = strlen(text), n;

	for (; left; text += n ? n : 1, left -= n ? n : 1) {
		n = hyb_utf8_length(text, left);
		if (!n)
			*text = '?';
	}
}

/* Bytes of the character that may be shown as it is; 0: its first byte may not. */
static size_t plain(const char *text, size_t length, const char *also)
{
	size_t n = hyb_plain_length(text, length);

	return n == 1 && also && strchr(also, *text) ? 0 : n;
}

void hyb_printable(char *to, size_t size, const char *text)
{
	size_t length = strlen(text), at = 0, n;

	for (; length; text += n ? n : 1, length -= n ? n : 1) {
		n = plain(text, length, NULL);
		if (at + (n ? n : 4) >= size)
			break;
		if (n)
			memcpy(to + at, text, n);
		else
			snprintf(to + at, 5, "\\x%02x", (unsigned char)*text);
		at += n ? n : 4;
	}
	to[at] = 0;
}

void hyb_printable_put(FILE *to, const char *text, size_t length, const char *also)
{
	size_t n;

	for (; length; text += n ? n : 1, length -= n ? n : 1) {
		n = plain(text, length, also);
		if (n)
			fwrite(text, 1, n, to);
		else
			fprintf(to, "\\x%02x", (unsigned char)*text);
	}
}

void hyb_show_va(FILE *to, const char *format, va_list va)
{
	size_t length = strlen(format);
	bool ends = length && format[length - 1] == '\n';
	char *text;
	int n = vasprintf(&text, format, va);

	if (n < 0)
		return;
	hyb_printable_put(to, text, (size_t)n - ends, NULL);
	if (ends)
		fputc('\n', to);
	free(text);
}

void hyb_show(FILE *to, const char *format, ...)
{
	va_list va;

	va_start(va, format);
	hyb_show_va(to, format, va);
	va_end(va);
}

const char *hyb_span_text(double ns, char *buf, size_t size)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t unit = 0;

	while (ns >= 999.5 && unit < 3) {
		ns /= 1000;
		unit++;
	}
	snprintf(buf, size, "%.*f %s", !unit || ns >= 99.5 ? 0 : ns >= 9.95 ? 1 : 2, ns, units[unit]);
	return buf;
}
