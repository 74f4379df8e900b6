/* SPDX-License-Identifier: BSD-3-Clause */
/* What lines are made of: names for the numbers of a process, times, addresses. */
#ifndef HYB_EXPORT_TEXT_NAMES_H
#define HYB_EXPORT_TEXT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reader/streams/printable.h"
#include "reader/streams/reader.h"

struct print_options {
	bool defs;
	bool events;
	bool summary;
	bool raw;   /* the words, too */
	bool times; /* and whatever else differs between two runs of the same program */
};

struct print_process {
	const struct hyb_process *process;
	struct hyb_defs *defs;	    /* NULL: it has none, numbers are shown as they are */
	struct hyb_reader *records; /* the same stream, record by record, where they are shown */
	const struct hyb_clock *clock;
	int64_t start;	/* of the experiment, in ns of that clock */
	char *label;	/* the rank, or what else tells the process */
	struct print_kernel *kernel; /* what tasks and numbers of the kernel are called; NULL: not read yet */
	size_t *counts; /* by region in defs: its place in the counts, plus 1 */
	size_t counts_room;
};

/* Bytes that could break a line, a word, or a terminal come as \xNN; a word is in quotes where it has blanks. */
void print_put_bytes(const char *text, size_t length);
void print_put_word(const char *text);
/* A word of at most `most` of the `length` bytes at `text`, which ends at the first zero. */
void print_put_part(const void *text, uint64_t length, size_t most);
void print_put_seconds(int64_t ns);
/* A raw time of the process's counter, from the experiment's start. */
void print_put_time(const struct print_process *p, uint64_t raw);
/* World ranks as 0-3,8,9; "-" where there are none. */
void print_put_members(const uint32_t *ranks, uint32_t count);
/* Bits as words with the separator between them; those without a word as numbers. */
void print_put_bits(const char *const *names, size_t count, uint32_t bits, const char *separator);

const struct hyb_region *print_find_region(const struct print_process *p, uint64_t id);
/* thread.count, as it was given out. */
void print_put_request(uint64_t request);
/* With where it is in the source and in the program, if that is known. */
void print_put_region(const struct print_process *p, uint64_t id);
void print_put_comm(const struct print_process *p, uint64_t id);
void print_put_file(const struct print_process *p, uint64_t id);
void print_put_win(const struct print_process *p, uint64_t id);
void print_put_text(const struct print_process *p, uint64_t id);
/* @object+0x..., if the object is known; nothing for address 0. */
void print_put_address(const struct hyb_object *object, uint64_t address);
void print_put_place(const struct print_process *p, const struct hyb_region *region);
/* What lies at the address at that time. */
void print_put_site(const struct print_process *p, uint64_t address, uint64_t time);

#endif
