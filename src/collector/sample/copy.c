/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of stacks, as perf makes them, as records; see copy.h. */
#include "collector/sample/copy.h"

#include <elf.h>
#include <string.h>

#include "format/format.h"

/*
 * Which of perf's registers, by their bits (asm/perf_regs.h), each of DWARF's is; the last one is the program counter.
 * perf writes those that were asked for in the order of their bits.
 */
#if defined(__x86_64__)
#define MACHINE EM_X86_64
#define REGISTERS 17
static const uint8_t bits[REGISTERS] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 };
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#define REGISTERS 33
static const uint8_t bits[REGISTERS] = { 0,  1,	 2,  3,	 4,  5,	 6,  7,	 8,  9,	 10, 11, 12, 13, 14, 15, 16,
					 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };
#else
#define MACHINE EM_NONE
#define REGISTERS 0
static const uint8_t bits[1];
#endif

#define RECORD_MAX 0xffffu /* words */

static uint64_t mask(void)
{
	uint64_t all = 0;

	for (int i = 0; i < REGISTERS; i++)
		all |= UINT64_C(1) << bits[i];
	return all;
}

bool hyb_copy_can(void)
{
	return REGISTERS > 0;
}

void hyb_copy_ask(struct perf_event_attr *attr, unsigned int bytes)
{
	if (!bytes || !hyb_copy_can())
		return;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = mask();
	attr->sample_stack_user = (bytes < HYB_COPY_MAX ? bytes + 7 : HYB_COPY_MAX) & ~7u;
}

/* The place of a register among those that perf wrote. */
static unsigned int place_of(unsigned int bit)
{
	return (unsigned int)__builtin_popcountll(mask() & ((UINT64_C(1) << bit) - 1));
}

/* What perf has: which kind of registers, these, the bytes it made room for, the stack, the bytes that were there. */
const uint64_t *hyb_copy_make(const uint64_t *from, size_t count, size_t most, size_t *words)
{
	static uint64_t copy[RECORD_MAX];
	size_t bytes, there, stack;
	bool goes_on;

	*words = 0;
	if (!count || from[0] != PERF_SAMPLE_REGS_ABI_64 || count < 1 + REGISTERS + 2 || most < 2 * REGISTERS)
		return NULL;
	bytes = from[1 + REGISTERS];
	if (!bytes || bytes % 8 || count < 1 + REGISTERS + 2 + bytes / 8)
		return NULL;
	there = from[1 + REGISTERS + 1 + bytes / 8];
	stack = (there < bytes ? there : bytes) / 8;
	goes_on = there >= bytes;
	most = most < RECORD_MAX ? most : RECORD_MAX;
	if (1 + REGISTERS + stack > most) {
		stack = most - 1 - REGISTERS;
		goes_on = true;
	}
	for (unsigned int i = 0; i < REGISTERS; i++)
		copy[1 + i] = from[1 + place_of(bits[i])];
	memcpy(copy + 1 + REGISTERS, from + 1 + REGISTERS + 1, stack * sizeof(*copy));
	*words = 1 + REGISTERS + stack;
	copy[0] = (uint64_t)HYB_STACK_COPY << HYB_TYPE_SHIFT | (uint64_t)*words << HYB_ID_SHIFT |
		  (uint64_t)REGISTERS << HYB_COPY_REGISTERS_SHIFT | (goes_on ? HYB_COPY_GOES_ON : 0) | MACHINE;
	return copy;
}
