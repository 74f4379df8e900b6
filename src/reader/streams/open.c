/* SPDX-License-Identifier: BSD-3-Clause */
/* The stream reader: opening a stream, and what its header must say. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/streams/chunk.h"
#include "reader/streams/stream.h"

#define WINDOW_WORDS (256u << 7) /* 256 KiB */

#define HEADER_MAX (1u << 20) /* a first chunk further off than this is damage */

/* What is wrong with a header, or NULL; *err says how wrong. */
static const char *header_fault(const struct hyb_file_header *h, int *err)
{
	*err = -EINVAL;
	if (memcmp(h->magic, HYB_FILE_MAGIC, sizeof(h->magic)))
		return "is not a hybmon stream";
	if (h->byte_order != HYB_BYTE_ORDER) {
		*err = -EPROTONOSUPPORT;
		if (h->byte_order == __builtin_bswap32(HYB_BYTE_ORDER))
			return "has the other byte order: read it on a machine of that kind";
		return "has a damaged header (byte order)";
	}
	if (h->format_major != HYB_FORMAT_MAJOR) {
		*err = -EPROTONOSUPPORT;
		return h->format_major > HYB_FORMAT_MAJOR
			       ? "has a newer format than this program knows: use a newer hybmon"
			       : "has an older format than this program knows: use an older hybmon";
	}
	if (h->header_size < sizeof(*h) || h->header_size > HEADER_MAX || h->header_size % 8)
		return "has a damaged header (header size)";
	if (h->chunk_size < HYB_CHUNK_MIN || h->chunk_size > HYB_CHUNK_MAX || h->chunk_size % 8)
		return "has a damaged header (chunk size)";
	if (!h->slots || h->slots > UINT32_MAX)
		return "has a damaged header (slots)";
	if (h->kind < HYB_STREAM_DEFS || h->kind > HYB_STREAM_ORDER)
		return "is of a kind this program does not know: use a newer hybmon";
	return NULL;
}

/* The writer fills the header in any order and stores `state` last. */
static bool header_unwritten(const struct hyb_file_header *h)
{
	static const char none[sizeof(h->magic)];

	return !h->state && (!memcmp(h->magic, none, sizeof(none)) ||
			     !memcmp(h->magic, HYB_FILE_MAGIC, sizeof(h->magic)));
}

/*
 * Bytes, or -errno. It is copied from its begin on, and the writer may come to `state` meanwhile: then the rest may be from
 * before it was written, so it is read once more.
 */
static int64_t copy_header(struct hyb_reader *r)
{
	const int64_t n = hyb_chunk_pread(r->fd, &r->header, sizeof(r->header), 0);

	if (n < (int64_t)sizeof(r->header) || header_unwritten(&r->header))
		return n;
	return hyb_chunk_pread(r->fd, &r->header, sizeof(r->header), 0);
}

static int read_header(struct hyb_reader *r)
{
	const char *fault;
	int64_t n = copy_header(r);
	int err;

	if (n < 0) {
		hyb_diag_say(r->diag, HYB_SEV_ERROR, "%s: cannot be read: %s", r->path,
			     strerror((int)-n));
		return (int)n;
	}
	if (!n || ((size_t)n == sizeof(r->header) && header_unwritten(&r->header))) {
		hyb_diag_say(r->diag, HYB_SEV_WARNING,
			     "%s: is empty: its writer ended before it recorded anything", r->path);
		return -ENODATA;
	}
	if ((size_t)n < sizeof(r->header)) {
		bool ours = n < 8 || !memcmp(r->header.magic, HYB_FILE_MAGIC, 8);

		hyb_diag_say(r->diag, HYB_SEV_ERROR, "%s: %s", r->path,
			     ours ? "is cut short within its header" : "is not a hybmon stream");
		return -EINVAL;
	}
	fault = header_fault(&r->header, &err);
	if (fault) {
		hyb_diag_say(r->diag, HYB_SEV_ERROR, "%s: %s", r->path, fault);
		return err;
	}
	return 0;
}

int hyb_stream_major(const char *path, uid_t owner)
{
	const int fd = hyb_file_open(path, owner, INT64_MAX);
	struct hyb_file_header h;
	bool ours;

	if (fd < 0)
		return fd;
	ours = hyb_chunk_pread(fd, &h, sizeof(h), 0) == (int64_t)sizeof(h) &&
	       !memcmp(h.magic, HYB_FILE_MAGIC, sizeof(h.magic)) && h.byte_order == HYB_BYTE_ORDER;
	close(fd);
	return ours ? h.format_major : -EINVAL;
}

static int open_file(struct hyb_reader *r, const char *path, uid_t owner)
{
	r->path = strdup(path);
	if (!r->path)
		return -ENOMEM;
	r->fd = hyb_file_open(path, owner, INT64_MAX);
	if (r->fd >= 0)
		return read_header(r);
	if (r->fd == -EINVAL)
		hyb_diag_say(r->diag, HYB_SEV_ERROR, "%s: is not a hybmon stream", path);
	else
		hyb_diag_say(r->diag, HYB_SEV_ERROR, "%s: cannot be read: %s", path,
			     hyb_file_error(r->fd));
	return r->fd;
}

int hyb_reader_open(const char *path, uid_t owner, const struct hyb_diag *diag,
		    struct hyb_reader **reader)
{
	struct hyb_reader *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->fd = -1;
	r->diag = diag;
	r->place = HYB_PLACE_NONE;
	r->window = WINDOW_WORDS;
	err = open_file(r, path, owner);
	if (err) {
		hyb_reader_close(r);
		return err;
	}
	r->defs = r->header.kind == HYB_STREAM_DEFS;
	r->bytes = r->header.kind == HYB_STREAM_ORDER;
	r->untimed = r->defs || r->bytes;
	r->capacity = (r->header.chunk_size - sizeof(struct hyb_chunk_header)) / 8;
	*reader = r;
	return 0;
}

void hyb_reader_from(struct hyb_reader *reader, uint64_t seq, uint64_t lost)
{
	reader->seq = seq - 1;
	reader->lost_seen = lost;
}

bool hyb_reader_is_last(const struct hyb_reader *reader)
{
	return !reader->in_chunk || (reader->at == reader->have && reader->base + reader->have >= reader->used);
}

void hyb_reader_close(struct hyb_reader *reader)
{
	if (!reader)
		return;
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->buf);
	free(reader->index);
	free(reader->path);
	free(reader);
}
