/* SPDX-License-Identifier: BSD-3-Clause */
/* Times as people read them. For this folder only. */
#ifndef HYB_ANALYSIS_PROFILE_SPAN_H
#define HYB_ANALYSIS_PROFILE_SPAN_H

#include <stddef.h>
#include <stdio.h>

/* Nanoseconds in seconds, or in the unit that leaves three digits. Returns buf. */
static inline const char *hyb_span_text(double ns, char *buf, size_t size)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t unit = 0;

	while (ns >= 999.5 && unit < 3) {
		ns /= 1000;
		unit++;
	}
	snprintf(buf, size, "%.*f %s", !unit || ns >= 99.5 ? 0 : ns >= 9.95 ? 1 : 2, ns, units[unit]);
	return buf;
}

#endif
