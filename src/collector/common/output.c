/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector's streams; see output.h. */
#include "collector/common/output.h"

#include "core/config/config.h"
#include "core/sys/text.h"

bool hyb_output_none;

int hyb_output_open(struct hyb_output *o, enum hyb_stream_kind kind, uint32_t number, uint32_t pid, uint32_t tid,
		    uint64_t now)
{
	o->stream.kind = kind;
	o->stream.counter = HYB_COUNTER_MONOTONIC_RAW;
	o->stream.number = number;
	o->stream.pid = pid;
	o->stream.tid = tid;
	o->stream.ring_chunks = hyb_config.ring / hyb_config.chunk;
	if (hyb_config.ring && o->stream.ring_chunks < 2)
		o->stream.ring_chunks = 2;
	o->last = now;
	hyb_text_format(o->stream.name, sizeof(o->stream.name),
			kind == HYB_STREAM_TASK	  ? "task-%u.hyb" :
			kind == HYB_STREAM_SAMPLE ? "sample-%u.hyb" :
						    "cpu-%u.hyb",
			number);
	if (hyb_output_none)
		return 0;
	return hyb_stream_create(&o->stream, &o->writer, now);
}

void hyb_output_close(struct hyb_output *o)
{
	hyb_stream_close(&o->stream, &o->writer);
}

size_t hyb_output_most(const struct hyb_output *o)
{
	const size_t words = (o->stream.chunk_size - sizeof(struct hyb_chunk_header)) / sizeof(uint64_t);

	return o->stream.file ? words - 2 * HYB_CHUNK_SLACK : 0;
}

bool hyb_output_reserve(struct hyb_output *o, uint64_t now, size_t words)
{
	struct hyb_thread *w = &o->writer;

	/* The space of a stream grows in steps that may be smaller. */
	while (!w->end || w->pos + words > w->end)
		if (!o->stream.file || hyb_stream_extend(&o->stream, w, now > o->last ? now : o->last))
			return false;
	return true;
}

bool hyb_output_make_room(struct hyb_output *o, uint64_t now)
{
	struct hyb_thread *w = &o->writer;

	if (w->pos < w->end) {
		w->epoch = now >> HYB_TIME_BITS;
		*w->pos++ = (uint64_t)HYB_EPOCH << HYB_TYPE_SHIFT | w->epoch;
		return true;
	}
	return o->stream.file && !hyb_stream_extend(&o->stream, w, now);
}
