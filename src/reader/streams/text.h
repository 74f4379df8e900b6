/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts in records. */
#ifndef HYB_READER_STREAMS_TEXT_H
#define HYB_READER_STREAMS_TEXT_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "reader/streams/stream.h"

/* `length` bytes of an event from word `at` on as a string, the caller's. 0, -EBADMSG: they are not there, or -ENOMEM. */
static inline int hyb_event_text(const struct hyb_event *e, size_t at, uint64_t length, char **text)
{
	if (at > e->count || length > (uint64_t)(e->count - at) * 8)
		return -EBADMSG;
	*text = strndup((const char *)(e->words + at), (size_t)length);
	return *text ? 0 : -ENOMEM;
}

#endif
