/* SPDX-License-Identifier: BSD-3-Clause */
/* See printable.h. */
#include "trace/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t hyb_utf8_length(const char *text, size_t length)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n, i;

	if (!length)
		return 0;
	if (*p < 0x80)
		return 1;
	n = *p >= 0xc2 && *p < 0xe0   ? 2
	    : *p >= 0xe0 && *p < 0xf0 ? 3
	    : *p >= 0xf0 && *p < 0xf5 ? 4
				      : 0;
	if (n > length)
		return 0;
	for (i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] >= 0xa0) ||
	    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] >= 0x90))
		return 0;
	return n;
}

void hyb_make_utf8(char *text)
{
	size_t left = strlen(text), n;

	for (; left; text += n ? n : 1, left -= n ? n : 1) {
		n = hyb_utf8_length(text, left);
		if (!n)
			*text = '?';
	}
}

/* What a character of n bytes means. */
static uint32_t code_of(const char *text, size_t n)
{
	static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (unsigned char)*text & first[n];

	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

/* Controls, separators of lines, and marks that turn the direction of what follows. */
static bool is_control(uint32_t code)
{
	static const uint32_t ranges[][2] = {
		{ 0, 0x1f },	      { 0x7f, 0x9f },	    { 0x61c, 0x61c },	  { 0x200e, 0x200f },
		{ 0x2028, 0x202e },   { 0x2066, 0x206f },   { 0xfeff, 0xfeff },   { 0xfff9, 0xfffb },
		{ 0xfffe, 0xffff },   { 0xe0000, 0xe007f },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i][0] && code <= ranges[i][1])
			return true;
	return false;
}

/* Bytes of the character that may be shown as it is; 0: its first byte may not. */
static size_t plain(const char *text, size_t length, const char *also)
{
	size_t n = hyb_utf8_length(text, length);

	if (!n || is_control(code_of(text, n)))
		return 0;
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
