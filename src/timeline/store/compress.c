/* SPDX-License-Identifier: BSD-3-Clause */
/* Compression by zstd; see compress.h. */
#include "timeline/store/compress.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#define LEVEL 1 /* more takes twice the time for a tenth of the size */

struct hyb_view_compressor {
	ZSTD_CCtx *compress; /* NULL until it is first used */
	ZSTD_DCtx *decompress;
	char *packed;
	size_t room; /* of `packed` */
};

const char *const hyb_view_compression = "zstd";

struct hyb_view_compressor *hyb_view_compressor_new(void)
{
	return calloc(1, sizeof(struct hyb_view_compressor));
}

void hyb_view_compressor_free(struct hyb_view_compressor *c)
{
	if (!c)
		return;
	ZSTD_freeCCtx(c->compress);
	ZSTD_freeDCtx(c->decompress);
	free(c->packed);
	free(c);
}

int hyb_view_compress(struct hyb_view_compressor *c, const void *plain, size_t size, const void **bytes, uint32_t *packed)
{
	size_t most = ZSTD_compressBound(size);

	if (!c->compress)
		c->compress = ZSTD_createCCtx();
	if (c->room < most) {
		free(c->packed);
		c->packed = malloc(most);
		c->room = c->packed ? most : 0;
	}
	if (!c->compress || !c->packed)
		return -ENOMEM;
	most = ZSTD_compressCCtx(c->compress, c->packed, c->room, plain, size, LEVEL);
	if (ZSTD_isError(most))
		return -ENOMEM;
	*bytes = c->packed;
	*packed = (uint32_t)most;
	return 0;
}

int hyb_view_decompress(struct hyb_view_compressor *c, const void *bytes, size_t packed, void *plain, size_t room,
			size_t *size)
{
	if (!c->decompress)
		c->decompress = ZSTD_createDCtx();
	if (!c->decompress)
		return -ENOMEM;
	*size = ZSTD_decompressDCtx(c->decompress, plain, room, bytes, packed);
	return ZSTD_isError(*size) ? -EIO : 0;
}
