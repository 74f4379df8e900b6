/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables whose entries are found by the bytes of their keys: keys of several lengths, growing, freeing, a hash that fits by chance. */
#include "reader/containers/table.h"
#include "../lib/tap.h"

struct pair {
	uint64_t object;
	uint32_t member;
	uint32_t value; /* none of the key */
};

struct single {
	uint32_t key;
	uint32_t value;
};

static void check_pairs(void)
{
	struct hyb_table t;
	bool ok = true;

	HYB_TABLE_KEYED(&t, struct pair, member);
	for (uint32_t i = 0; i < 1000; i++) {
		const struct pair key = { .object = i / 10, .member = i % 10, .value = 7 };
		struct pair *p = hyb_table_get(&t, &key);

		ok = ok && p && !p->value && hyb_table_index(&t, p) == i;
		if (p)
			p->value = i;
	}
	tap(ok && t.count == 1000, "new entries have their key and zeroes, and are numbered as they come");
	ok = true;
	for (uint32_t i = 0; i < 1000; i++) {
		const struct pair key = { .object = i / 10, .member = i % 10 };
		const struct pair *p = hyb_table_look(&t, &key);

		ok = ok && p && p->value == i && hyb_table_get(&t, &key) == p;
	}
	tap(ok && t.count == 1000, "they are found again, by the last part of the key, too");
	tap(!hyb_table_look(&t, &(struct pair){ .object = 5, .member = 10 }), "others are not");
	hyb_table_free(&t);
	tap(!hyb_table_look(&t, &(struct pair){ .object = 5, .member = 5 }) &&
	    hyb_table_get(&t, &(struct pair){ .object = 5, .member = 5 }) && t.count == 1,
	    "a table that was freed is empty, and has the same keys");
	hyb_table_free(&t);
}

/* So many keys that the 32 bits of a hash are the same of two. */
static void check_many(void)
{
	struct hyb_table t;
	bool ok = true;

	HYB_TABLE_KEYED(&t, struct single, key);
	for (uint32_t i = 0; i < 300000 && ok; i++) {
		struct single *s = hyb_table_get(&t, &i);

		ok = s && s->key == i && !s->value;
		if (ok)
			s->value = 1;
	}
	tap(ok && t.count == 300000, "keys are compared, not only their hashes");
	hyb_table_free(&t);
}

int main(void)
{
	check_pairs();
	check_many();
	return tap_done();
}
