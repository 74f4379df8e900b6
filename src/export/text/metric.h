/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters as the rest of a line, and what the kernel did since the record before. */
#ifndef HYB_EXPORT_TEXT_METRIC_H
#define HYB_EXPORT_TEXT_METRIC_H

#include "export/text/fields.h"

/* False: it defines no counter and no set of them. */
bool print_metric_definition(const struct print_line *line, uint32_t type);
/* All of a stream are to be shown in turn, by one reader. */
void print_metric(const struct print_line *line, struct hyb_metric_reader *reader, const struct hyb_event *e);
void print_sums(const struct print_options *o, const struct hyb_event *e);

#endif
