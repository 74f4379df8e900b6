/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a place in the program to how one gets from there to who called: what an object's unwind tables (.eh_frame) say,
 * as one small rule. Reads the tables where they lie in memory and nothing else: no lock, no memory of its own, no
 * system call. Tables may say anything: nothing outside of them is read.
 */
#ifndef HYB_CORE_UNWIND_UNWIND_H
#define HYB_CORE_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

/* Which processors' tables are understood. */
#if defined(__x86_64__)
#define HYB_UNWIND_FP	6	/* DWARF's numbers: the frame pointer, the stack pointer, where a return address is */
#define HYB_UNWIND_SP	7
#define HYB_UNWIND_RA	16
#elif defined(__aarch64__)
#define HYB_UNWIND_FP	29
#define HYB_UNWIND_SP	31
#define HYB_UNWIND_RA	30
#endif
#ifdef HYB_UNWIND_FP
#define HYB_UNWIND_KNOWS 1
#else
#define HYB_UNWIND_KNOWS 0
#define HYB_UNWIND_FP	0
#define HYB_UNWIND_SP	0
#define HYB_UNWIND_RA	0
#endif

/* An object's: its PT_GNU_EH_FRAME, and the segment that this and the tables lie in. */
struct hyb_unwind_tables {
	const unsigned char *header; /* NULL: it has none */
	const unsigned char *begin;
	const unsigned char *end;
};

/* What something is relative to. */
enum hyb_unwind_base {
	HYB_UNWIND_GONE = 0,	/* nobody knows; of a return address: there is none, the thread begins here */
	HYB_UNWIND_SAME,	/* it is what it was: in its register */
	HYB_UNWIND_BY_FRAME,	/* it is stored there: relative to the frame's end (CFA) */
	HYB_UNWIND_BY_STACK,	/* relative to the stack pointer */
	HYB_UNWIND_BY_POINTER,	/* relative to the frame pointer */
};

struct hyb_unwind_rule {
	int32_t frame;		/* where the frame ends, which is the caller's stack pointer */
	int32_t address;	/* where the return address is stored */
	int32_t pointer;	/* where the caller's frame pointer is */
	uint8_t frame_base;	/* enum hyb_unwind_base: BY_STACK or BY_POINTER */
	uint8_t address_base;
	uint8_t pointer_base;
	bool stored : 1;	/* where the frame ends is what is stored at that place */
	bool signal : 1;	/* a signal handler returns here: what comes is no call */
	bool is_signed : 1;	/* the return address has a signature (ARM's pointer authentication) */
	bool known : 1;		/* else the tables do not say it, or not in so few words */
};

/* How one gets on from `pc`, an address of an instruction. False, and the rule not known: they do not say. */
bool hyb_unwind_find(const struct hyb_unwind_tables *tables, uint64_t pc, struct hyb_unwind_rule *rule);

#endif
