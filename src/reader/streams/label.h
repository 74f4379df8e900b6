/* SPDX-License-Identifier: BSD-3-Clause */
/* The English labels of what the kernel does. Outputs print them; nothing is recognised by them. */
#ifndef HYB_READER_STREAMS_LABEL_H
#define HYB_READER_STREAMS_LABEL_H

#include <stddef.h>
#include <stdint.h>

#include "format/kernel.h"

/* What runs on a CPU: nothing; a task of which no more is known. */
extern const char hyb_label_idle[], hyb_label_other[];

/* The names that the number of such an event stands for (enum hyb_kernel_names); 0: the number has no name. */
unsigned int hyb_label_names(enum hyb_kernel_what what);
/*
 * The label of an event that begins with such a record. name: of its number, or NULL if it has none or nobody recorded it.
 * Returns a constant or `buf`, or NULL if the event is not known.
 */
const char *hyb_label_event(enum hyb_kernel_what what, uint32_t number, const char *name, char *buf, size_t size);
/* The record that begins an event of a profile (enum hyb_profile_kind); 0 if the kind is not known. */
enum hyb_kernel_what hyb_label_profiled(uint32_t kind);

#endif
