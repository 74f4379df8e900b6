/* SPDX-License-Identifier: BSD-3-Clause */
/* debug.h without libdw: nothing is known of addresses. */
#include "reader/symbols/debug.h"

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
