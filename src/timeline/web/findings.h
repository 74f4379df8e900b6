/* SPDX-License-Identifier: BSD-3-Clause */
/* What hybmon report finds, for the page of a timeline. It takes a reading of its own, so it is made when asked for. */
#ifndef HYB_TIMELINE_WEB_FINDINGS_H
#define HYB_TIMELINE_WEB_FINDINGS_H

#include <stddef.h>
#include <stdio.h>

struct hyb_html_findings;

/* `tmp`: where a directory for what waits on disk is made. All stays the caller's. NULL without memory. */
struct hyb_html_findings *hyb_html_findings_new(const char *const *dirs, size_t count, const char *tmp);
/* Ends what is still at work. */
void hyb_html_findings_free(struct hyb_html_findings *f);
/* Writes them as JSON. 0 or -errno. */
int hyb_html_findings_write(struct hyb_html_findings *f, FILE *to);
/*
 * Begins to look for them, in a thread of its own, or has begun: 0, and the JSON is in *json, of that size; -EAGAIN: not
 * yet; other -errno: there are none. Thread-safe.
 */
int hyb_html_findings_get(struct hyb_html_findings *f, const char **json, size_t *size);

#endif
