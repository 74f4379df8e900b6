/* SPDX-License-Identifier: BSD-3-Clause */
/* The raw counter that stamps events; see enum hyb_counter_kind. */
#ifndef HYB_CORE_SYS_COUNTER_H
#define HYB_CORE_SYS_COUNTER_H

#include <stdint.h>
#include <time.h>

#include "core/sys/compiler.h"

static HYB_HOT uint64_t hyb_counter(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
#else
#error "hybmon knows no counter of this processor"
#endif
}

/*
 * After this the counter is not read before the loads before it are done. A processor does that otherwise: where the
 * thread waited for what another one wrote, which takes a while to arrive, it goes on as if it had come, so that what
 * one thread did before the other would have the later time (seen: up to 0.3 us).
 */
static HYB_HOT void hyb_counter_fence(void)
{
#if defined(__x86_64__)
	__builtin_ia32_lfence();
#elif defined(__aarch64__)
	__asm__ volatile("isb" : : : "memory");
#endif
}

#endif
