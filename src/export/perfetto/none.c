/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder without protobuf-c: nothing can be written for Perfetto. hybmon-merge refuses it before it comes here. */
#include <errno.h>

#include "export/perfetto/sink.h"

static const char *const parts[] = { "traces.pftrace", NULL };

static int begin_none(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink)
{
	(void)ops;
	(void)m;
	(void)sink;
	return -ENOTSUP;
}

const struct hyb_sink_ops hyb_perfetto_sink = { .name = "perfetto", .parts = parts, .begin = begin_none };
