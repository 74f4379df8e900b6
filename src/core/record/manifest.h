/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process's manifest: a text file that says what it was, how it goes and how it ended, true at every
 * moment. Its first page is mapped; the lines there are changed in place. doc/trace-format.md has the format.
 */
#ifndef HYB_CORE_RECORD_MANIFEST_H
#define HYB_CORE_RECORD_MANIFEST_H

#include "core/record/record.h"

#define HYB_MANIFEST_LINE	64	/* bytes of a fixed line, newline included */
#define HYB_MANIFEST_LINES	16
#define HYB_MANIFEST_TITLE	"hybmon process manifest 1"
#define HYB_MANIFEST_STATE	1	/* numbers of fixed lines; the first is 0 */
#define HYB_MANIFEST_ENDED	2
#define HYB_MANIFEST_PID	8
#define HYB_MANIFEST_UNTIL	10
#define HYB_MANIFEST_START	11
#define HYB_MANIFEST_SIZE	(HYB_MANIFEST_LINE * HYB_MANIFEST_LINES)

/* Makes dir/manifest with the fixed lines. 0 or -errno. */
int hyb_manifest_create(void);
/* Changes a fixed line. Where it does not fit it is cut. Nothing happens without a manifest. */
void hyb_manifest_set(const char *key, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a line `key: value` at the end, value of any length, escaped. 0 or -errno. */
int hyb_manifest_add(const char *key, const char *value, size_t length);
/* Of many lines one after another those between these two are written together. One thread at a time, at the start. */
void hyb_manifest_hold(void);
void hyb_manifest_release(void);

#endif
