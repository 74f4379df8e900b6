/* SPDX-License-Identifier: BSD-3-Clause */
/* debug.h and unwind.h without libdw: nothing is known of addresses, and no copy of a stack is unwound. */
#include <errno.h>
#include <stdlib.h>

#include "reader/symbols/dwarf/debug.h"
#include "reader/symbols/dwarf/unwind.h"

struct hyb_unwinder {
	char none;
};

struct hyb_debug *hyb_debug_open(const struct hyb_diag *diag, const char *file, const char *path,
				 const unsigned char *build, uint32_t build_length, int64_t since)
{
	(void)diag;
	(void)file;
	(void)path;
	(void)build;
	(void)build_length;
	(void)since;
	return NULL;
}

void hyb_debug_free(struct hyb_debug *b)
{
	(void)b;
}

bool hyb_debug_line(struct hyb_debug *b, uint64_t at, struct hyb_place *place, char *buf, size_t size)
{
	(void)b;
	(void)at;
	(void)place;
	(void)buf;
	(void)size;
	return false;
}

bool hyb_debug_function(struct hyb_debug *b, uint64_t at, struct hyb_place *place, char *buf, size_t size)
{
	return hyb_debug_line(b, at, place, buf, size);
}

bool hyb_debug_functions(struct hyb_debug *b, uint64_t at, hyb_source_visit visit, void *arg)
{
	(void)b;
	(void)at;
	(void)visit;
	(void)arg;
	return false;
}

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
