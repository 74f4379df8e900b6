/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formatting into a fixed buffer for places where stdio may not be used: in signal handlers, in a program
 * whose malloc or locale is not ours to touch.
 */
#ifndef HYB_CORE_SYS_TEXT_H
#define HYB_CORE_SYS_TEXT_H

#include <stdarg.h>
#include <stddef.h>

#include "core/sys/compiler.h"

/*
 * Like snprintf for %s %c %d %u %x %lld %llu %llx %ld %lu %lx %zu %p %%, with width and 0 flag. Always
 * terminates; returns the length the whole text has, so that >= size means it was cut.
 */
HYB_EXPORT size_t hyb_text_format(char *buf, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
size_t hyb_text_vformat(char *buf, size_t size, const char *format, va_list ap);
/* The name and text of an errno value; never NULL, no locale. */
const char *hyb_text_errno(int err);
/* Time as 2026-01-31T23:59:59Z into buf (at least 21 bytes). Seconds since 1970. */
void hyb_text_utc(char *buf, size_t size, long long seconds);

#endif
