/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens and closes the OTF2 archive; see archive.h. */
#include "export/otf2/archive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/OTF2_Pthread_Locks.h>

#define MEMBER_BYTES 9 /* of one group member in a definition, at most */

/*
 * Memory for one buffer of the library: one chunk at a time, so that the next one waits for a
 * flush.
 */
struct buffer {
	void *chunk;
	uint64_t size;
	bool used;
};

/*
 * Each location has buffers of its own, one after the other: fresh memory would cost more than what is written into it.
 */
struct hyb_spare_chunk {
	struct hyb_spare_chunk *next;
	uint64_t size;
};

static void *take_chunk(struct hyb_archive *a, uint64_t size)
{
	struct hyb_spare_chunk **link = &a->spare, *spare;

	pthread_mutex_lock(&a->spare_lock);
	while (*link && (*link)->size != size)
		link = &(*link)->next;
	spare = *link;
	if (spare)
		*link = spare->next;
	pthread_mutex_unlock(&a->spare_lock);
	return spare ? (void *)spare : malloc(size);
}

static void keep_chunk(struct hyb_archive *a, void *chunk, uint64_t size)
{
	struct hyb_spare_chunk *spare = chunk;

	spare->size = size;
	pthread_mutex_lock(&a->spare_lock);
	spare->next = a->spare;
	a->spare = spare;
	pthread_mutex_unlock(&a->spare_lock);
}

static void free_spare(struct hyb_archive *a)
{
	struct hyb_spare_chunk *spare;

	while ((spare = a->spare)) {
		a->spare = spare->next;
		free(spare);
	}
}

static void *allocate_chunk(void *arg, OTF2_FileType type, OTF2_LocationRef location, void **data,
			    uint64_t size)
{
	struct buffer *b = *data;

	(void)type;
	(void)location;
	if (!b) {
		b = calloc(1, sizeof(*b));
		if (!b)
			return NULL;
		b->size = size;
		b->chunk = take_chunk(arg, size);
		if (!b->chunk) {
			free(b);
			return NULL;
		}
		*data = b;
	}
	if (b->used)
		return NULL;
	b->used = true;
	return b->chunk;
}

static void free_chunks(void *arg, OTF2_FileType type, OTF2_LocationRef location, void **data,
			bool final)
{
	struct buffer *b = *data;

	(void)type;
	(void)location;
	if (!b)
		return;
	b->used = false;
	if (final) {
		keep_chunk(arg, b->chunk, b->size);
		free(b);
		*data = NULL;
	}
}

static OTF2_FlushType pre_flush(void *arg, OTF2_FileType type, OTF2_LocationRef location,
				void *caller, bool final)
{
	(void)arg;
	(void)type;
	(void)location;
	(void)caller;
	(void) final;
	return OTF2_FLUSH;
}

static const OTF2_MemoryCallbacks memory_callbacks = { allocate_chunk, free_chunks };
static const OTF2_FlushCallbacks flush_callbacks = { pre_flush, NULL };

/* The library calls this for an error and again on its way up; the first one says what happened. */
static OTF2_ErrorCode on_error(void *arg, const char *file, uint64_t line, const char *function,
			       OTF2_ErrorCode code, const char *format, va_list va)
{
	struct hyb_archive *a = arg;
	char text[512];
	bool first;

	(void)file;
	(void)line;
	(void)function;
	pthread_mutex_lock(&a->error_lock);
	first = !a->failed;
	a->failed = true;
	pthread_mutex_unlock(&a->error_lock);
	if (first) {
		vsnprintf(text, sizeof(text), format ? format : "", va);
		/* What the system says of a file needs no explanation. */
		if (code >= OTF2_ERROR_E2BIG && code < OTF2_ERROR_END_OF_FUNCTION)
			text[0] = '\0';
		hyb_diag_say(a->output->diag, HYB_SEV_ERROR, "cannot write the archive in %s: %s%s%s",
			     a->output->dir, OTF2_Error_GetDescription(code), *text ? ": " : "", text);
	}
	return code;
}

int hyb_archive_check(struct hyb_archive *a, OTF2_ErrorCode code)
{
	if (code == OTF2_SUCCESS)
		return 0;
	if (!a->failed) {
		a->failed = true;
		hyb_diag_say(a->output->diag, HYB_SEV_ERROR, "cannot write the archive in %s: %s", a->output->dir,
			     OTF2_Error_GetDescription(code));
	}
	return -EIO;
}

int hyb_archive_open(struct hyb_archive *a, const struct hyb_output *output, const char *name, uint32_t members)
{
	uint64_t chunk = OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT;
	int ret;

	a->output = output;
	pthread_mutex_init(&a->error_lock, NULL);
	pthread_mutex_init(&a->spare_lock, NULL);
	if ((uint64_t)members * MEMBER_BYTES > chunk / 2)
		chunk = OTF2_CHUNK_SIZE_MAX;
	OTF2_Error_RegisterCallback(on_error, a);
	a->otf2 = OTF2_Archive_Open(output->tmp, name, OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN, chunk,
				    OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!a->otf2)
		return hyb_archive_check(a, OTF2_ERROR_INVALID);
	ret = hyb_archive_check(a, OTF2_Archive_SetFlushCallbacks(a->otf2, &flush_callbacks, NULL));
	if (!ret)
		ret = hyb_archive_check(a, OTF2_Archive_SetMemoryCallbacks(a->otf2, &memory_callbacks, a));
	if (!ret)
		ret = hyb_archive_check(a, OTF2_Archive_SetSerialCollectiveCallbacks(a->otf2));
	if (!ret)
		ret = hyb_archive_check(a, OTF2_Pthread_Archive_SetLockingCallbacks(a->otf2, NULL));
	return ret;
}

int hyb_archive_close(struct hyb_archive *a)
{
	OTF2_ErrorCode code = OTF2_Archive_Close(a->otf2);
	int ret;

	a->otf2 = NULL;
	ret = hyb_archive_check(a, code);
	return !ret && a->failed ? -EIO : ret;
}

void hyb_archive_free(struct hyb_archive *a)
{
	OTF2_Error_RegisterCallback(NULL, NULL);
	free_spare(a);
	pthread_mutex_destroy(&a->spare_lock);
	pthread_mutex_destroy(&a->error_lock);
}
