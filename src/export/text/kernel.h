/* SPDX-License-Identifier: BSD-3-Clause */
/* What a collector knows: names of tasks and numbers, call chains. */
#ifndef HYB_EXPORT_TEXT_KERNEL_H
#define HYB_EXPORT_TEXT_KERNEL_H

#include "export/text/names.h"

/* NULL: it has no name. */
const char *print_kernel_find_name(struct print_process *p, uint32_t kind, uint32_t number);
/* The name, or the number. */
void print_put_kernel_name(struct print_process *p, uint32_t kind, uint32_t number);
/* The name; numbers differ between two runs, so with --times only. */
void print_put_kernel_task(struct print_process *p, uint32_t task, uint64_t time, bool number);
/* What samples are of. */
void print_put_kernel_metric(struct print_process *p, uint32_t id);
/* A call chain: its number, and what is in it, as it was at that time of the stream. */
void print_put_kernel_stack(struct print_process *p, uint64_t id, uint64_t time);
/* What a collector's manifest has more than a program's. */
void print_kernel_line(const struct print_process *p);
/* Nanoseconds on the process's clock of an event's time in one of its streams. */
int64_t print_kernel_ns(const struct print_process *p, uint64_t raw);
void print_kernel_free(struct print_process *p);

#endif
