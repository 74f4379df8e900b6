/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder without OTF2: no archive can be written. hybmon-merge refuses it before it comes here. */
#include <errno.h>

#include "export/otf2/sink.h"

static const char *const parts[] = { "traces.otf2", NULL };
static const char *const samples_parts[] = { "samples.otf2", NULL };

static int begin_none(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink)
{
	(void)ops;
	(void)m;
	(void)sink;
	return -ENOTSUP;
}

const struct hyb_sink_ops hyb_otf2_sink = { .name = "otf2", .parts = parts, .begin = begin_none };
const struct hyb_sink_ops hyb_otf2_samples_sink = { .name = "otf2-samples", .parts = samples_parts, .begin = begin_none };
