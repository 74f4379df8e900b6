/* SPDX-License-Identifier: BSD-3-Clause */
/* The sink that writes what samples add up to, as text: by function, by line, by region. */
#ifndef HYB_EXPORT_SAMPLES_SINK_H
#define HYB_EXPORT_SAMPLES_SINK_H

#include "merge/sink/sink.h"

extern const struct hyb_sink_ops hyb_samples_sink;

#endif
