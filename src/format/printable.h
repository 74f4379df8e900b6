/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which text may be shown as it is, in the library's messages and in the tools'. What a terminal would take for a command,
 * what breaks a line or turns its direction, and what is no UTF-8, is shown as \xNN for each byte.
 */
#ifndef HYB_FORMAT_PRINTABLE_H
#define HYB_FORMAT_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the UTF-8 character that text begins with; 0: it is none. */
static inline size_t hyb_utf8_length(const char *text, size_t length)
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

/* What a character of n bytes means. */
static inline uint32_t hyb_utf8_code(const char *text, size_t n)
{
	static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (unsigned char)*text & first[n];

	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

/* Controls, separators of lines, and marks that turn the direction of what follows. */
static inline bool hyb_is_control(uint32_t code)
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

/* Bytes of the character that text begins with, if it may be shown; 0: its first byte may not. */
static inline size_t hyb_plain_length(const char *text, size_t length)
{
	size_t n = hyb_utf8_length(text, length);

	return n && !hyb_is_control(hyb_utf8_code(text, n)) ? n : 0;
}

#endif
