/* SPDX-License-Identifier: BSD-3-Clause */
/* The event graph as one JSON document: doc/json.md. */
#ifndef HYB_EXPORT_JSON_GRAPH_H
#define HYB_EXPORT_JSON_GRAPH_H

#include <stdio.h>

#include "analysis/races/graph.h"

/* 0 or -errno; errors of the file are left to who closes it. */
int hyb_json_graph(const struct hyb_races *r, const struct hyb_graph_wish *wish, FILE *to);

#endif
