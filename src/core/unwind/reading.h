/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading what unwind tables are made of; what lies outside of them reads as 0, and is remembered. */
#ifndef HYB_CORE_UNWIND_READING_H
#define HYB_CORE_UNWIND_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hyb_unwind_reading {
	const unsigned char *at;
	const unsigned char *end;
	bool bad;
};

static inline uint64_t hyb_unwind_bytes(struct hyb_unwind_reading *r, size_t size)
{
	uint64_t value = 0;

	if ((size_t)(r->end - r->at) < size) {
		r->at = r->end;
		r->bad = true;
		return 0;
	}
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	memcpy((unsigned char *)&value + sizeof(value) - size, r->at, size);
#else
	memcpy(&value, r->at, size);
#endif
	r->at += size;
	return value;
}

static inline uint64_t hyb_unwind_uleb(struct hyb_unwind_reading *r)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = hyb_unwind_bytes(r, 1);
		value |= shift < 64 ? (byte & 0x7f) << shift : 0;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static inline int64_t hyb_unwind_sleb(struct hyb_unwind_reading *r)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = hyb_unwind_bytes(r, 1);
		value |= shift < 64 ? (byte & 0x7f) << shift : 0;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && byte & 0x40)
		value |= ~UINT64_C(0) << shift;
	return (int64_t)value;
}

static inline void hyb_unwind_skip(struct hyb_unwind_reading *r, uint64_t size)
{
	if (size > (uint64_t)(r->end - r->at)) {
		r->bad = true;
		size = (uint64_t)(r->end - r->at);
	}
	r->at += size;
}

/* A part of so many bytes, which is stepped over. */
static inline struct hyb_unwind_reading hyb_unwind_part(struct hyb_unwind_reading *r, uint64_t size)
{
	struct hyb_unwind_reading part = { .at = r->at };

	hyb_unwind_skip(r, size);
	part.end = r->at;
	part.bad = r->bad;
	return part;
}

/* A pointer as DW_EH_PE_... says, from tables whose header lies at `data`. Indirect ones are of no use here. */
static inline uint64_t hyb_unwind_pointer(struct hyb_unwind_reading *r, unsigned int encoding, const unsigned char *data)
{
	uint64_t base = 0, value;

	switch (encoding & 0x70) {
	case 0x00:
		break;
	case 0x10: /* relative to itself */
		base = (uintptr_t)r->at;
		break;
	case 0x30:
		base = (uintptr_t)data;
		break;
	default:
		r->bad = true;
	}
	switch (encoding & 0x0f) {
	case 0x00:
	case 0x04:
	case 0x0c:
		value = hyb_unwind_bytes(r, 8);
		break;
	case 0x01:
		value = hyb_unwind_uleb(r);
		break;
	case 0x02:
		value = hyb_unwind_bytes(r, 2);
		break;
	case 0x03:
		value = hyb_unwind_bytes(r, 4);
		break;
	case 0x09:
		value = (uint64_t)hyb_unwind_sleb(r);
		break;
	case 0x0a:
		value = (uint64_t)(int16_t)hyb_unwind_bytes(r, 2);
		break;
	case 0x0b:
		value = (uint64_t)(int32_t)hyb_unwind_bytes(r, 4);
		break;
	default:
		value = 0;
		r->bad = true;
	}
	return base + value;
}

/* What a function's entry (FDE) and what is common to several (CIE) say. */
struct hyb_unwind_entry {
	uint64_t begin; /* of the code */
	uint64_t size;
	uint64_t code_align;
	int64_t data_align;
	uint64_t address; /* the register that stands for the return address */
	unsigned int encoding; /* of pointers */
	bool sized; /* what a later version adds can be stepped over */
	bool signal;
	struct hyb_unwind_reading common; /* instructions */
	struct hyb_unwind_reading own;
};

/* program.c: executes the instructions up to `pc`. False: they do more than a rule can say, or make no sense. */
struct hyb_unwind_rule;
bool hyb_unwind_execute(const struct hyb_unwind_entry *entry, uint64_t pc, struct hyb_unwind_rule *rule);

#endif
