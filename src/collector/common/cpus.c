/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPUs that are online; see cpus.h. */
#include "collector/common/cpus.h"

#include <errno.h>
#include <stdio.h>

/* The kernel writes 0-3,6. */
int hyb_cpus_online(int (*visit)(uint32_t from, uint32_t to))
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	unsigned int from, to;
	int err = f ? 0 : -errno;

	while (!err && fscanf(f, "%u", &from) == 1) {
		int c = getc(f);

		to = from;
		if (c == '-' && fscanf(f, "%u", &to) == 1)
			c = getc(f);
		err = visit(from, to);
		if (c != ',')
			break;
	}
	if (f)
		fclose(f);
	return err;
}
