/* SPDX-License-Identifier: BSD-3-Clause */
/* What is to be said of a set: which names are wrong, and which ones come nearest. */
#ifndef HYB_CORE_COUNTERS_NOTE_H
#define HYB_CORE_COUNTERS_NOTE_H

#include "core/counters/set.h"

/* As hyb_text_format. */
void hyb_counter_note(struct hyb_counter_set *set, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The names that are most like one. */
#define HYB_NEAREST 3
struct hyb_nearest {
	const char *name;
	const char *near[HYB_NEAREST];
	unsigned int edits[HYB_NEAREST];
};

/* Offers one more name; it is copied where it is near. */
void hyb_nearest_offer(struct hyb_nearest *nearest, const char *name);
/* "; did you mean A, B or C?" or "". Returns text. */
const char *hyb_nearest_text(const struct hyb_nearest *nearest, char *text, size_t size);

#endif
