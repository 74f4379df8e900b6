/* SPDX-License-Identifier: BSD-3-Clause */
/* The sink that writes JSON Lines: each definition and each event is an object in a line of its own. doc/json.md. */
#ifndef HYB_EXPORT_JSON_SINK_H
#define HYB_EXPORT_JSON_SINK_H

#include "merge/sink/sink.h"

extern const struct hyb_sink_ops hyb_json_sink;

#endif
