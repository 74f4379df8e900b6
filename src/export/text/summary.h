/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon-print --summary: how often what happened, by region. */
#ifndef HYB_EXPORT_TEXT_SUMMARY_H
#define HYB_EXPORT_TEXT_SUMMARY_H

#include "export/text/lines.h"

/* Counts for the summary, by region and kind. 0 or -ENOMEM. */
int print_count(struct print_stream *s, const struct hyb_event *e);
/* To be called once when a stream was read. */
void print_count_stream(const struct print_stream *s);
void print_summary(const struct print_options *o);

#endif
