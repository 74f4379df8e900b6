/* SPDX-License-Identifier: BSD-3-Clause */
/* compress.h without zstd: bytes stay as they are. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/store/compress.h"

struct hyb_view_compressor {
	char none;
};

const char *const hyb_view_compression = "none";

struct hyb_view_compressor *hyb_view_compressor_new(void)
{
	return calloc(1, sizeof(struct hyb_view_compressor));
}

void hyb_view_compressor_free(struct hyb_view_compressor *c)
{
	free(c);
}

int hyb_view_compress(struct hyb_view_compressor *c, const void *plain, size_t size, const void **bytes, uint32_t *packed)
{
	(void)c;
	*bytes = plain;
	*packed = (uint32_t)size;
	return 0;
}

int hyb_view_decompress(struct hyb_view_compressor *c, const void *bytes, size_t packed, void *plain, size_t room,
			size_t *size)
{
	(void)c;
	if (packed > room)
		return -EIO;
	memcpy(plain, bytes, packed);
	*size = packed;
	return 0;
}
