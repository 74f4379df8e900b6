/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call chains of samples, of a node: each frame and each chain once. A frame is a function at a line, so an address has
 * several where functions are inlined.
 */
#ifndef HYB_MERGE_KERNEL_CHAINS_H
#define HYB_MERGE_KERNEL_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/containers/table.h"
#include "merge/model/name.h"

enum hyb_frame_kind {
	HYB_FRAME_USER,
	HYB_FRAME_KERNEL,
	HYB_FRAME_HYBMON,    /* of a library of ours: between the program and the MPI */
	HYB_FRAME_GENERATED, /* code that the program made itself */
	HYB_FRAME_UNKNOWN,   /* no file was mapped there as far as that is known */
};

/* Texts are numbers of hyb_chains_text. */
struct hyb_frame {
	uint32_t kind; /* enum hyb_frame_kind */
	uint32_t function;
	uint32_t file; /* in the source; HYB_NAME_NONE: not known */
	uint32_t line;
	uint32_t path; /* of the binary; HYB_NAME_NONE: it is in none */
};

struct hyb_chain {
	uint32_t first; /* in the frames' numbers, the innermost first */
	uint32_t count;
};

/* A place in a file, and what is there. */
struct hyb_chain_place {
	uint32_t path;
	uint64_t at; /* offset << 1 | behind a call */
	struct hyb_chain frames;
};

struct hyb_chains {
	struct hyb_names texts;
	struct hyb_table frames; /* struct hyb_frame */
	struct hyb_table chains; /* struct hyb_chain */
	struct hyb_table places; /* struct hyb_chain_place */
	uint32_t *numbers; /* of frames: those of chains, and of places */
	size_t count;
	size_t room;
};

void hyb_chains_init(struct hyb_chains *c);
void hyb_chains_free(struct hyb_chains *c);

static inline const char *hyb_chains_text(const struct hyb_chains *c, uint32_t number)
{
	return hyb_names_text(&c->texts, number);
}

static inline const struct hyb_chain *hyb_chains_at(const struct hyb_chains *c, uint32_t chain)
{
	return hyb_table_at(&c->chains, chain);
}

/* Frame i of a chain, the innermost is 0. */
static inline const struct hyb_frame *hyb_chains_frame(const struct hyb_chains *c, const struct hyb_chain *chain,
						       uint32_t i)
{
	return hyb_table_at(&c->frames, c->numbers[chain->first + i]);
}

struct hyb_reading;
struct hyb_kernel_event;

/* The number of a call chain as it was mapped at that time; UINT32_MAX: it is not defined, or no memory. */
uint32_t hyb_chains_get(struct hyb_reading *k, uint64_t stack, uint64_t time);
/* That of a sample, which is unwound if it has a copy of the stack. */
uint32_t hyb_chains_sample(struct hyb_reading *k, const struct hyb_kernel_event *e);

#endif
