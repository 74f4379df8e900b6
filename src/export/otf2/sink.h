/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sink that writes an OTF2 archive, for Vampir and every other OTF2 tool. What the merge tells of a track becomes
 * the events of a location (write.c); definitions are written last (define.c). Needs nothing of OTF2 to be included.
 */
#ifndef HYB_EXPORT_OTF2_SINK_H
#define HYB_EXPORT_OTF2_SINK_H

#include "merge/sink/sink.h"

extern const struct hyb_sink_ops hyb_otf2_sink;
/* Samples, as an archive of its own: OTF2 excludes them from one that has regions. */
extern const struct hyb_sink_ops hyb_otf2_samples_sink;

#endif
