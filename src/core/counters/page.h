/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a counter of the processor without a system call: the kernel maps a page for each event, which says where the
 * counter is and what is to be added to it, and lets the program execute rdpmc. Given as a function of its own, so that
 * a test can make up both.
 */
#ifndef HYB_CORE_COUNTERS_PAGE_H
#define HYB_CORE_COUNTERS_PAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/sys/compiler.h"

/* Whether the page's event may be read so at all; the event is on the processor now and then only. */
static inline bool hyb_page_allows(const volatile struct perf_event_mmap_page *page)
{
	return page->cap_user_rdpmc && page->pmc_width > 0 && page->pmc_width <= 64;
}

/* The event's value; false where the counter is not on the processor at this moment, so that the kernel has to be asked. */
static inline bool hyb_page_read(const volatile struct perf_event_mmap_page *page, uint64_t (*counter)(uint32_t index),
				 uint64_t *value)
{
	uint32_t sequence, index, shift;
	int64_t count = 0;

	/* The kernel changes the page in an interrupt on this CPU: an odd number, or another one, says so. */
	do {
		sequence = __atomic_load_n(&page->lock, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		index = page->index;
		if (!page->cap_user_rdpmc || !index)
			return false;
		/* What the register has beyond its width is not part of it. */
		shift = 64 - page->pmc_width;
		count = (int64_t)(counter(index - 1) << shift) >> shift;
		*value = (uint64_t)page->offset + (uint64_t)count;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != sequence || sequence & 1);
	return true;
}

#endif
