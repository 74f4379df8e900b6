/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs say of code that they made themselves: /tmp/perf-PID.map, lines of address, size and name, as runtimes
 * of Java, Julia, Python, .NET and others write them for perf.
 */
#ifndef HYB_READER_SYMBOLS_JIT_H
#define HYB_READER_SYMBOLS_JIT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "reader/streams/diag.h"

struct hyb_jit;

struct hyb_jits {	/* all zero at first, but these two; used by one thread */
	uid_t owner; /* whose maps are believed */
	const struct hyb_diag *diag; /* hears of a map that is not read to its end */
	struct hyb_jit *maps;
	size_t count;
	size_t room;
};

/*
 * The name of what process pid had made at an address by a time, ns of system time: a file that is older than that is
 * another process's. NULL: nothing is known.
 */
const char *hyb_jits_name(struct hyb_jits *j, uint32_t pid, int64_t since, uint64_t address);
void hyb_jits_free(struct hyb_jits *j);

#endif
