/* SPDX-License-Identifier: BSD-3-Clause */
/* Records as the rest of a line, by the table in format/records.tbl.h. */
#ifndef HYB_EXPORT_TEXT_RECORDS_H
#define HYB_EXPORT_TEXT_RECORDS_H

#include "export/text/fields.h"

enum print_kernel_part { PRINT_KERNEL_EVENT, PRINT_KERNEL_BEGIN, PRINT_KERNEL_END };

/* False: the table has no such definition, or it is too short. */
bool print_definition(const struct print_line *line, uint32_t type);
/* The same of timed records. */
bool print_timed(const struct print_line *line, uint32_t type);
void print_attached(const struct print_line *line, uint32_t type);
void print_kernel(const struct print_line *line, uint64_t what);
/* What to count the event as, and which part of it this is. */
enum print_kernel_part print_kernel_name(struct print_process *p, const struct hyb_event *e, char *buf, size_t size);

/* The same of counters, of which one reader sees all of a stream in turn, and of what the kernel did (metric.c). */
bool print_metric_definition(const struct print_line *line, uint32_t type);
void print_metric(const struct print_line *line, struct hyb_metric_reader *reader, const struct hyb_event *e);
void print_sums(const struct print_options *o, const struct hyb_event *e);

#endif
