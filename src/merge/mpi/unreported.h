/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives of which MPI did not tell what came (RECV with HYB_BYTES_UNKNOWN): the send that they match has it. MPI
 * matches in the order in which both sides begin, so where there are such receives the sends and receives of their
 * pairs are put down in a further reading, each with the time when it began, and the n-th receive has the bytes of the
 * n-th send.
 *
 * One that did not name its source or tag is of the only pair and tag that has more sends than receives, if there is
 * but one. Else nobody knows, and it is left out. Memory goes with the messages of these pairs.
 */
#ifndef HYB_MERGE_MPI_UNREPORTED_H
#define HYB_MERGE_MPI_UNREPORTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/containers/table.h"

struct hyb_match;
struct hyb_match_facts;
struct hyb_message;

#define HYB_UNREPORTED_ANY UINT32_MAX /* in a message's key: source or tag */

struct hyb_unreported_half { /* of a message */
	int64_t time;	 /* when it began, ns; not of a receive that has a request */
	uint64_t bytes;
	uint64_t request;
	bool unreported;
	size_t at; /* among those of its key, as they were read */
};

struct hyb_unreported { /* all zero: empty and not begun */
	struct hyb_table keys;	/* what there is of each tag, in unreported.c */
	struct hyb_table found; /* struct hyb_unreported_found */
};

struct hyb_unreported_found { /* what a receive was */
	uint32_t member;
	uint64_t request;
	uint32_t source;
	uint32_t tag;
	uint64_t bytes;
};

/* When a thread's requests began; those are numbered one after the other. All zero: none. */
struct hyb_begun {
	int64_t *times;
	uint64_t first; /* number of the first */
	size_t count;
	size_t room;
};

/* 0 or -ENOMEM. */
int hyb_begun_note(struct hyb_begun *b, uint64_t request, int64_t time);
/* INT64_MIN where it is not known. */
int64_t hyb_begun_get(const struct hyb_begun *b, uint64_t request);
void hyb_begun_free(struct hyb_begun *b);

void hyb_unreported_free(struct hyb_unreported *u);
/* A half of a message, with HYB_UNREPORTED_ANY in its key where that was not named. half: enum hyb_half. 0 or -ENOMEM. */
int hyb_unreported_add(struct hyb_unreported *u, unsigned int half, const struct hyb_message *key,
		   const struct hyb_unreported_half *what);
/* Moves what is in another one to u. 0 or -ENOMEM. */
int hyb_unreported_merge(struct hyb_unreported *u, struct hyb_unreported *other);
/* After all is read: what did not name all is counted in m as what it turns out to be. 0 or -ENOMEM. */
int hyb_unreported_place(struct hyb_unreported *u, struct hyb_match *m, const struct hyb_match_facts *facts);
/* Once it is decided what is written. began: when a member's request began. 0 or -ENOMEM. */
int hyb_unreported_settle(struct hyb_unreported *u, const struct hyb_match *m,
		      int64_t (*began)(const void *arg, uint32_t member, uint64_t request), const void *arg);
/* What a receive was, or NULL. */
const struct hyb_unreported_found *hyb_unreported_find(const struct hyb_unreported *u, uint32_t member, uint64_t request);

#endif
