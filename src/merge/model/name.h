/* SPDX-License-Identifier: BSD-3-Clause */
/* The strings of the model's definitions: each once, by number. */
#ifndef HYB_MERGE_MODEL_NAME_H
#define HYB_MERGE_MODEL_NAME_H

#include <stdint.h>

#include "reader/containers/table.h"

#define HYB_NAME_NONE UINT32_MAX

struct hyb_names {
	struct hyb_table table;
};

void hyb_names_init(struct hyb_names *names);
void hyb_names_free(struct hyb_names *names);
/* The number of text, which is copied and made UTF-8; HYB_NAME_NONE without memory. */
uint32_t hyb_names_add(struct hyb_names *names, const char *text);
/* The number of such a text, HYB_NAME_NONE: there is none, or no memory. */
uint32_t hyb_names_find(const struct hyb_names *names, const char *text);
/* The number of formatted text. */
uint32_t hyb_names_format(struct hyb_names *names, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const char *hyb_names_text(const struct hyb_names *names, uint32_t number);

#endif
