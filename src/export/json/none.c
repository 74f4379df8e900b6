/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder without jansson: nothing can be written as JSON. Commands refuse it before they come here. */
#include <errno.h>

#include "export/json/sink.h"

static const char *const parts[] = { "traces.jsonl", NULL };

static int begin_none(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink)
{
	(void)ops;
	(void)m;
	(void)sink;
	return -ENOTSUP;
}

const struct hyb_sink_ops hyb_json_sink = { .name = "json", .parts = parts, .begin = begin_none };
