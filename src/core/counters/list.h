/* SPDX-License-Identifier: BSD-3-Clause */
/* All counters that a machine has, and why some of them cannot be counted; for the tools. */
#ifndef HYB_CORE_COUNTERS_LIST_H
#define HYB_CORE_COUNTERS_LIST_H

#include "core/counters/counter.h"

enum hyb_counter_section {
	HYB_SECTION_OWN, HYB_SECTION_KERNEL, HYB_SECTION_PAPI, HYB_SECTION_NATIVE,
};

/* lacks: why it cannot be counted here, NULL: it can; lives as long as the call. */
typedef void (*hyb_counter_visit)(const struct hyb_counter *counter, const char *lacks, void *context);

/* Those of a section; why there are none, or NULL. */
const char *hyb_counters_each(enum hyb_counter_section section, hyb_counter_visit visit, void *context);
/* PAPI's components; lacks: why one has nothing, NULL: it works. The rest as above. */
const char *hyb_counters_components(void (*visit)(const char *name, const char *description, const char *lacks,
						  void *context), void *context);
/* PAPI's version; NULL, or why it is not there. */
const char *hyb_counters_papi(char *text, size_t size);

#endif
