/* SPDX-License-Identifier: BSD-3-Clause */
/* The source `bpf` of a collector that was built without clang or libbpf. */
#include <errno.h>
#include <stdio.h>

#include "core/config/optional.h"
#include "collector/common/source.h"

static int open_none(const struct hyb_collect_request *wish, int poll)
{
	char why[128];

	(void)wish;
	(void)poll;
	snprintf(why, sizeof(why), "this build lacks clang and libbpf: install %s, then configure and build again",
		 hyb_optional_packages(HYB_OPTIONAL_BPF));
	hyb_source_missing("bpf", why);
	return -ECANCELED;
}

const struct hyb_source hyb_source_bpf = { .name = "bpf", .open = open_none };
