/* SPDX-License-Identifier: BSD-3-Clause */
/* The source `bpf` of a collector that was built without clang or libbpf. */
#include <errno.h>
#include <stddef.h>

#include "kernel/source.h"

static int open_none(const struct hyb_kernel_wish *wish, int poll)
{
	(void)wish;
	(void)poll;
	hyb_source_missing("bpf", "hybmon was built without it: its configure needs clang and libbpf's headers");
	return -ECANCELED;
}

const struct hyb_source hyb_source_bpf = { .name = "bpf", .open = open_none };
