/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text that came from files, programs or the environment, as it may be shown: what a terminal would take for a command,
 * what breaks a line or turns its direction, and what is no UTF-8, becomes \xNN for each byte.
 */
#ifndef HYB_READER_STREAMS_PRINTABLE_H
#define HYB_READER_STREAMS_PRINTABLE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "format/printable.h"

/* Each byte that is no part of a UTF-8 character becomes a question mark: readers of traces stop at such. */
void hyb_make_utf8(char *text);
/* Into `to`, terminated, as far as it fits. */
void hyb_printable(char *to, size_t size, const char *text);
/* Writes it; the characters of `also` become \xNN, too. */
void hyb_printable_put(FILE *to, const char *text, size_t length, const char *also);
/* Nanoseconds as people read them: in seconds, or in the unit that leaves three digits. Returns buf. */
const char *hyb_span_text(double ns, char *buf, size_t size);
/* As fprintf, with whatever its arguments brought made printable; a newline that ends `format` is one. */
void hyb_show(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hyb_show_va(FILE *to, const char *format, va_list va) __attribute__((format(printf, 2, 0)));

#endif
