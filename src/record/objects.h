/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects of the process, the program and its libraries, as far as something is recorded of places in them. Each is
 * defined when the first such place is seen: a library may be loaded at any time, and be gone at the end. Where a place
 * is in the source is found out from its address when the trace is read.
 */
#ifndef HYB_RECORD_OBJECTS_H
#define HYB_RECORD_OBJECTS_H

#include <stdint.h>

#include "base/compiler.h"

/* The number of the object that an address lies in, 0: none that is known. Keeps errno; on slow paths only. */
uint32_t hyb_object_of(uint64_t address);

/*
 * The pages of the program that calls came from, by their numbers modulo HYB_SITES: their objects are defined. No two
 * objects have a page in common. Where two pages have one place, calls from them take turns there, which costs some
 * nanoseconds. Written and read relaxed.
 */
#define HYB_SITES	1024
#define HYB_SITE_SHIFT	12
extern HYB_EXPORT uint64_t hyb_sites[HYB_SITES];
/* Sees to it that the object is defined that an address lies in. Keeps errno. */
HYB_EXPORT void hyb_site_new(uint64_t site) HYB_COLD;

/* The same for where a call returns to, at each call. */
static HYB_HOT void hyb_site(uint64_t site)
{
	uint64_t page = site >> HYB_SITE_SHIFT;

	if (hyb_unlikely(__atomic_load_n(&hyb_sites[page % HYB_SITES], __ATOMIC_RELAXED) != page))
		hyb_site_new(site);
}

#endif
