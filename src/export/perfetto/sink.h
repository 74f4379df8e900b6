/* SPDX-License-Identifier: BSD-3-Clause */
/* The sink that writes a trace for Perfetto's UI and trace processor; README.md says what becomes what. */
#ifndef HYB_EXPORT_PERFETTO_SINK_H
#define HYB_EXPORT_PERFETTO_SINK_H

#include "merge/sink/sink.h"

extern const struct hyb_sink_ops hyb_perfetto_sink;

#endif
