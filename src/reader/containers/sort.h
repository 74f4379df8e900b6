/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorts any number of records of one size by way of a file: memory is for one run and for a block of each run that is
 * being merged. Records are added, perhaps by several threads, then read back in order by one.
 */
#ifndef HYB_READER_CONTAINERS_SORT_H
#define HYB_READER_CONTAINERS_SORT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

typedef int (*hyb_sort_compare)(const void *a, const void *b);
/* A number by which records are in no other order than by comparing them; of records that differ it may be the same. */
typedef uint64_t (*hyb_sort_key)(const void *record);

/* In a function that compares: decides by this, if it differs. */
#define HYB_SORT_BY(a, b) \
	do { \
		if ((a) != (b)) \
			return (a) < (b) ? -1 : 1; \
	} while (0)

struct hyb_sort_run; /* sorted records in the file */
struct hyb_sort_merge;
struct hyb_sort_place;

struct hyb_sort {
	pthread_mutex_t lock;
	hyb_sort_compare compare;
	hyb_sort_key key; /* NULL: 0 for all */
	size_t size; /* of a record */
	size_t room; /* records of a run in memory */
	char *memory;
	size_t count; /* of records in memory */
	struct hyb_sort_place *places; /* of these, twice as many as there is room for records */
	int fd;
	uint64_t end; /* of the file */
	struct hyb_sort_run *runs;
	size_t run_count;
	size_t run_room;
	struct hyb_sort_merge *merge; /* while it is read */
	size_t next;		      /* or the next record in memory: nothing is in the file */
	const struct hyb_sort_place *ordered; /* then: where they are */
};

/*
 * `dir` is where the file is made, which has no name. `memory` is how many bytes a run has. compare must tell any two
 * records apart, so that the result is the same however they were added. 0 or -errno; after either, hyb_sort_free.
 */
int hyb_sort_init(struct hyb_sort *s, const char *dir, size_t memory, size_t size, hyb_sort_compare compare);
void hyb_sort_free(struct hyb_sort *s);
/* Before anything is added: sorts by numbers where these tell records apart, which takes a fraction of the time. */
static inline void hyb_sort_by_key(struct hyb_sort *s, hyb_sort_key key)
{
	s->key = key;
}
/* For keys: a part of so many bits, of which the largest value stands for all above it, too. */
static inline uint64_t hyb_sort_part(uint64_t value, unsigned int bits)
{
	return value >> bits ? (UINT64_C(1) << bits) - 1 : value;
}
/* A file without a name in a directory: its descriptor or -errno. */
int hyb_sort_file(const char *dir);
/* Adds records; for several threads at once. 0 or -errno. */
int hyb_sort_add(struct hyb_sort *s, const void *records, size_t count);
/* Nothing is added any more: reading begins, or begins anew. 0 or -errno. */
int hyb_sort_rewind(struct hyb_sort *s);
/* 1 and the next record, valid until the next call; 0: there are no more; -errno. */
int hyb_sort_next(struct hyb_sort *s, const void **record);

#endif
