/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What there is once, with a number: what the program names (texts, regions, counters, functions), frames of its stacks.
 * Looking up takes no lock; what is there stays. Tables grow with what there is.
 */
#ifndef HYB_CORE_SYS_INTERN_H
#define HYB_CORE_SYS_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sys/compiler.h"

/* The begin of what is in a table. */
struct hyb_interned {
	uint64_t hash;
	uint32_t id;
};

struct hyb_intern_table {
	uint64_t mask;
	struct hyb_intern_table *older;	/* readers may still be in it */
	struct hyb_interned *places[];
};

struct hyb_intern {
	int lock;
	uint64_t used;
	struct hyb_intern_table *table;
};

/* Whether that is the one that is looked for. */
typedef bool hyb_intern_same(const struct hyb_interned *entry, const void *key);
/* Makes it, with what it names defined; NULL without memory. Under the table's lock, signals are blocked. */
typedef struct hyb_interned *hyb_intern_make(const void *key);

uint64_t hyb_intern_hash(uint64_t hash, const void *bytes, size_t length);
/* NULL where there is none. */
struct hyb_interned *hyb_intern_find(const struct hyb_intern *in, uint64_t hash, hyb_intern_same *same,
				     const void *key);
/* The one that is there, or it is made; NULL without memory. Keeps errno. */
struct hyb_interned *hyb_intern_get(struct hyb_intern *in, uint64_t hash, hyb_intern_same *same,
				    hyb_intern_make *make, const void *key) HYB_COLD;

#endif
