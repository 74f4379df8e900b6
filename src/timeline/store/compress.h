/* SPDX-License-Identifier: BSD-3-Clause */
/* Compresses packed columns with zstd (compress.c), or leaves them alone where the build lacks it (compress-none.c). */
#ifndef HYB_TIMELINE_STORE_COMPRESS_H
#define HYB_TIMELINE_STORE_COMPRESS_H

#include <stddef.h>
#include <stdint.h>

/* The method's name, which files that keep packed records depend on. */
extern const char *const hyb_view_compression;

struct hyb_view_compressor;

/* For one thread at a time. NULL without memory. */
struct hyb_view_compressor *hyb_view_compressor_new(void);
void hyb_view_compressor_free(struct hyb_view_compressor *c);
/* *bytes is valid until the next call, and as long as `plain` is. Returns 0 or -ENOMEM. */
int hyb_view_compress(struct hyb_view_compressor *c, const void *plain, size_t size, const void **bytes, uint32_t *packed);
/* Into `plain`, which has `room` bytes; *size is set. Returns 0, -ENOMEM, or -EIO if the bytes are damaged. */
int hyb_view_decompress(struct hyb_view_compressor *c, const void *bytes, size_t packed, void *plain, size_t room,
			size_t *size);

#endif
