/* SPDX-License-Identifier: BSD-3-Clause */
/* The definitions of the JSON sink, once the model is complete. For this folder only. */
#ifndef HYB_EXPORT_JSON_DEFINE_H
#define HYB_EXPORT_JSON_DEFINE_H

#include <stdio.h>

#include "merge/merge.h"
#include "merge/sink/parts.h"

#define HYB_JSON_VERSION 1 /* of the schema: changes when what was there means something else */

/* Writes all definitions. 0 or -errno. */
int hyb_json_define(const struct hyb_sink *sink, FILE *to);

#endif
