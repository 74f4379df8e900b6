/* SPDX-License-Identifier: BSD-3-Clause */
/* unwind.h without libdw: no copy of a stack is unwound. */
#include "reader/symbols/unwind.h"

#include <errno.h>
#include <stdlib.h>

struct hyb_unwinder {
	char none;
};

bool hyb_unwinder_can(void)
{
	return false;
}

struct hyb_unwinder *hyb_unwinder_new(const struct hyb_kdefs *defs, const char *vdso, hyb_unwind_mapped mapped, void *arg)
{
	(void)defs;
	(void)vdso;
	(void)mapped;
	(void)arg;
	return calloc(1, sizeof(struct hyb_unwinder));
}

void hyb_unwinder_free(struct hyb_unwinder *u)
{
	free(u);
}

int hyb_unwinder_run(struct hyb_unwinder *u, uint32_t tgid, uint64_t time, const uint64_t *copy, size_t words,
		     struct hyb_kunwound *unwound, enum hyb_unwind_end *end)
{
	(void)u;
	(void)tgid;
	(void)time;
	(void)copy;
	(void)words;
	(void)unwound;
	(void)end;
	return -ENOTSUP;
}
