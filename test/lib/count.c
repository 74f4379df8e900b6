/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * count STREAM...: how many Enters, Leaves, lost and attached records the streams have, and how many sequence
 * numbers are missing, one line each. Finds chunks and walks words by the description of the format and
 * not with the reader library, so that the two can disagree.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/format.h"

struct tally {
	uint64_t enters;
	uint64_t leaves;
	uint64_t missing;
	uint64_t bad;
	uint64_t attached;
};

static int walk(struct tally *t, const uint64_t *word, uint64_t used)
{
	uint64_t at = 0;

	while (at < used) {
		unsigned int type = word[at] >> HYB_TYPE_SHIFT;
		uint64_t size = (type >> 5 & 3) + 1;

		if (size == 4)
			size = word[at] >> HYB_ID_SHIFT & HYB_ID_MASK;
		if (type == 0 || size == 0 || at + size > used)
			return -1;
		t->enters += type == HYB_ENTER || type == HYB_ENTER_WIDE || type == HYB_CALL;
		t->leaves += type == HYB_LEAVE || type == HYB_LEAVE_WIDE || type == HYB_CALL;
		t->attached += type >> 7;
		at += size;
	}
	return 0;
}

/* Reads the chunk at `place`; false if chunk seq is not there. */
static int get_chunk(FILE *file, const struct hyb_file_header *h, uint64_t place, uint64_t seq,
		     char *buffer, size_t *n)
{
	const struct hyb_chunk_header *chunk = (const void *)buffer;

	if (fseek(file, (long)(h->header_size + place * h->chunk_size), SEEK_SET))
		return 0;
	*n = fread(buffer, 1, h->chunk_size, file);
	return *n >= sizeof(*chunk) && chunk->magic == HYB_CHUNK_MAGIC && chunk->seq == seq;
}

static void count_chunk(struct tally *t, FILE *file, const struct hyb_file_header *h, uint64_t seq,
			char *buffer)
{
	const struct hyb_chunk_header *chunk = (const void *)buffer;
	uint64_t behind = h->slots + (h->wrap ? (seq - 1) % h->wrap : seq - 1);
	size_t n;

	if (!get_chunk(file, h, (seq - 1) % h->slots, seq, buffer, &n) &&
	    (h->ring || !get_chunk(file, h, behind, seq, buffer, &n))) {
		t->missing++;
		return;
	}
	if (chunk->used > (n - sizeof(*chunk)) / 8 ||
	    walk(t, (const uint64_t *)(chunk + 1), chunk->used))
		t->bad++;
}

static int count(const char *path)
{
	struct hyb_file_header h;
	struct tally t = { 0 };
	FILE *file = fopen(path, "rb");
	char *buffer;

	if (!file || fread(&h, sizeof(h), 1, file) != 1 || h.chunk_size < HYB_CHUNK_MIN || !h.slots)
		return -1;
	buffer = malloc(h.chunk_size);
	if (!buffer)
		return -1;
	for (uint64_t seq = 1; seq <= h.newest_seq; seq++)
		count_chunk(&t, file, &h, seq, buffer);
	printf("%s enters %" PRIu64 " leaves %" PRIu64 " lost %" PRIu64 " missing %" PRIu64 " bad %" PRIu64
	       " attached %" PRIu64 "\n", path, t.enters, t.leaves, h.lost, t.missing, t.bad, t.attached);
	free(buffer);
	fclose(file);
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (count(argv[i])) {
			fprintf(stderr, "%s: cannot be read as a stream\n", argv[i]);
			return 1;
		}
	}
	return 0;
}
