/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program itself tells, as far as it is defined: texts, and where its regions are in the source. */
#ifndef HYB_READER_STREAMS_TOLD_H
#define HYB_READER_STREAMS_TOLD_H

#include <stddef.h>
#include <stdint.h>

#include "reader/streams/stream.h"

struct hyb_id_map;

/* Texts of a process; all zero: none. */
struct hyb_texts {
	char **texts; /* in order of definition; unprintable bytes as they were */
	size_t count;
	size_t room;
	struct hyb_id_map *map; /* id -> place */
};

struct hyb_defs;

/* The place of a text, or SIZE_MAX. */
size_t hyb_texts_place(const struct hyb_texts *t, uint64_t id);
/* The text with that id, or NULL. */
const char *hyb_texts_find(const struct hyb_texts *t, uint64_t id);
/* Of the library: take in a HYB_DEF_TEXT, a HYB_DEF_SOURCE. 0, -EBADMSG: it makes no sense, or -ENOMEM. */
int hyb_texts_add(struct hyb_texts *t, const struct hyb_event *e);
int hyb_source_add(struct hyb_defs *d, const struct hyb_event *e);
void hyb_texts_free(struct hyb_texts *t);

#endif
