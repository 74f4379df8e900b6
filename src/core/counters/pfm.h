/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libpfm4, which knows the events of processors by name; PAPI brings it. It is loaded when a name is looked up that
 * needs it.
 */
#ifndef HYB_CORE_COUNTERS_PFM_H
#define HYB_CORE_COUNTERS_PFM_H

#include <linux/perf_event.h>
#include <stdbool.h>

/* How perf counts the event, by the thread in user mode unless the name says otherwise; NULL, or why not. */
const char *hyb_pfm_find(const char *name, struct perf_event_attr *attr, const char **description);
/* Calls visit for each event of this machine; why there are none, or NULL. */
const char *hyb_pfm_each(void (*visit)(const char *name, const char *description, void *context), void *context);

#endif
