/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a document. It may go to a terminal, and names in it are programs': what is not ASCII is written as \u, and so
 * is DEL, which jansson leaves as it is.
 */
#include "export/documents/document.h"

#include <errno.h>
#include <string.h>

static int put(const char *bytes, size_t size, void *to)
{
	const char *end = bytes + size;

	while (bytes < end) {
		const char *del = memchr(bytes, 0x7f, (size_t)(end - bytes));
		size_t n = (size_t)((del ? del : end) - bytes);

		if (fwrite(bytes, 1, n, to) != n || (del && fputs("\\u007f", to) == EOF))
			return -1;
		bytes += n + (del != NULL);
	}
	return 0;
}

int hyb_json_document(json_t *document, FILE *to)
{
	if (!document)
		return -ENOMEM;
	json_dump_callback(document, put, to, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	putc('\n', to);
	json_decref(document);
	return 0;
}
