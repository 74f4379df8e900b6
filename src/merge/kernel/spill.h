/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many rows of records of one size, added in turn to one file and each read back by itself: what has to wait on
 * disk since memory must not grow with a trace. A record can still be changed after others were added.
 */
#ifndef HYB_MERGE_KERNEL_SPILL_H
#define HYB_MERGE_KERNEL_SPILL_H

#include <stddef.h>
#include <stdint.h>

#define HYB_SPILL_NONE UINT64_MAX

struct hyb_spill {
	int fd; /* while it is written; -1 then */
	char *path;
	size_t size;   /* of a record */
	uint64_t end;  /* of the file */
	uint64_t used; /* bytes in it, for people */
};

struct hyb_spill_block;

struct hyb_spill_row {
	uint64_t first; /* place of its first block in the file, HYB_SPILL_NONE: it is empty */
	uint64_t last;	/* of the one that is being filled */
	struct hyb_spill_block *block;
};

/* Makes the file. 0 or -errno. */
int hyb_spill_open(struct hyb_spill *s, const char *dir, uint32_t number, size_t size);
/* Closes it for writing; rows stay to be read. */
void hyb_spill_close(struct hyb_spill *s);
/* Removes it. Harmless on a zeroed one. */
void hyb_spill_free(struct hyb_spill *s);

void hyb_spill_row_init(struct hyb_spill_row *row);
/* Adds a record; *place is where, for hyb_spill_change. 0 or -errno. */
int hyb_spill_add(struct hyb_spill *s, struct hyb_spill_row *row, const void *record, uint64_t *place);
/* Some bytes of a record that was added. 0 or -errno. */
int hyb_spill_change(struct hyb_spill *s, struct hyb_spill_row *row, uint64_t place, size_t offset,
		     const void *bytes, size_t count);
/* Nothing more will be added: writes what is left and gives the memory back. 0 or -errno. */
int hyb_spill_row_end(struct hyb_spill *s, struct hyb_spill_row *row);

/* Reads one row, in the order of adding; any number of readers at once, after hyb_spill_close. */
struct hyb_spill_reader {
	int fd;
	size_t size;
	struct hyb_spill_block *block;
	uint64_t next; /* place of the next block */
	uint32_t at;   /* the next record in block */
};

/* An empty row opens nothing. 0 or -errno. */
int hyb_spill_read(const struct hyb_spill *s, const struct hyb_spill_row *row, struct hyb_spill_reader *r);
/* 1 and the next record in *record, valid until the next call; 0 at the end; -errno. */
int hyb_spill_next(struct hyb_spill_reader *r, const void **record);
/* Harmless on a zeroed one. */
void hyb_spill_read_end(struct hyb_spill_reader *r);

#endif
