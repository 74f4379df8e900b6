/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel lets this user see of a process; see rights.h. */
#include "collector/common/rights.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/sys.h"
#include "core/sys/text.h"

/* A value of the auxiliary vector, getauxval(3), of another process. A 32-bit program has pairs of 32-bit numbers. */
static uint64_t find_auxiliary(const char *text, size_t size, uint64_t type)
{
	uint64_t pair[2];
	uint32_t narrow[2];

	memcpy(&pair[0], text, sizeof(pair[0]));
	if (pair[0] >> 32) {
		for (size_t i = 0; i + sizeof(narrow) <= size; i += sizeof(narrow)) {
			memcpy(narrow, text + i, sizeof(narrow));
			if (narrow[0] == type)
				return narrow[1];
		}
		return 0;
	}
	for (size_t i = 0; i + sizeof(pair) <= size; i += sizeof(pair)) {
		memcpy(pair, text + i, sizeof(pair));
		if (pair[0] == type)
			return pair[1];
	}
	return 0;
}

/*
 * The open asks the kernel's rule. While the process executes another program, the open waits until that program has
 * its rights, so the answer is never about the program before.
 */
int hyb_rights_look(uint32_t tgid, uint64_t *start)
{
	char path[64];
	char text[1024];
	long n;

	if (!getuid())
		return 1;
	hyb_text_format(path, sizeof(path), "/proc/%u/auxv", tgid);
	n = hyb_sys_read_file(path, text, sizeof(text));
	if (n == -EACCES || n == -EPERM)
		return 0;
	if (n < (long)(2 * sizeof(uint64_t)))
		return -ESRCH;
	if (find_auxiliary(text, (size_t)n, AT_SECURE))
		return 0;
	/* The address of random bytes, which the kernel puts elsewhere for each program; never 0. */
	*start = find_auxiliary(text, (size_t)n, AT_RANDOM) + 1;
	return 1;
}
