/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The instructions of unwind tables (DWARF's call frame information), for the two registers and the frame's end that
 * are needed to get from one function to who called it. Expressions are understood where they are no more than a place
 * and what is stored there: so glibc tells of what a signal interrupted, and compilers of frames that they align.
 */
#include "core/unwind/unwind.h"

#include "core/unwind/reading.h"

#define REMEMBERED 8 /* states; compilers nest them one or two deep */

struct place {
	int64_t offset;
	enum hyb_unwind_base base;
};

struct state {
	struct place frame; /* base: BY_STACK, BY_POINTER, or GONE: another register, or too much of an expression */
	bool stored;
	struct place address;
	struct place pointer;
	bool is_signed;
};

struct program {
	const struct hyb_unwind_entry *entry;
	struct hyb_unwind_reading *r;
	uint64_t at; /* the code that the next instructions are of */
	uint64_t pc;
	struct state now;
	struct state first; /* after the common ones */
	struct state kept[REMEMBERED];
	unsigned int depth;
};

static enum hyb_unwind_base base_of(uint64_t number)
{
	if (number == HYB_UNWIND_SP)
		return HYB_UNWIND_BY_STACK;
	return number == HYB_UNWIND_FP ? HYB_UNWIND_BY_POINTER : HYB_UNWIND_GONE;
}

/* The rule of a register, NULL: of one that is not needed. */
static struct place *place_of(struct program *p, struct state *state, uint64_t number)
{
	if (number == p->entry->address)
		return &state->address;
	return number == HYB_UNWIND_FP ? &state->pointer : NULL;
}

static void set(struct program *p, uint64_t number, enum hyb_unwind_base base, int64_t offset)
{
	struct place *place = place_of(p, &p->now, number);

	if (place)
		*place = (struct place){ offset, base };
}

static void restore(struct program *p, uint64_t number)
{
	struct place *place = place_of(p, &p->now, number);

	if (place)
		*place = *place_of(p, &p->first, number);
}

/* DW_OP_breg, and DW_OP_deref: relative to which register, and whether what is stored there is meant. */
static struct place expression(struct program *p, bool *stored)
{
	uint64_t size = hyb_unwind_uleb(p->r);
	struct hyb_unwind_reading r = hyb_unwind_part(p->r, size);
	unsigned int op = (unsigned int)hyb_unwind_bytes(&r, 1);
	struct place place = { .base = HYB_UNWIND_GONE };

	if (op < 0x70 || op > 0x8f)
		return place;
	place.offset = hyb_unwind_sleb(&r);
	*stored = r.at != r.end;
	if (*stored && (hyb_unwind_bytes(&r, 1) != 0x06 || r.at != r.end))
		return place;
	if (!r.bad)
		place.base = base_of(op - 0x70);
	return place;
}

/* A register is stored where an expression says. */
static void set_by_expression(struct program *p)
{
	uint64_t number = hyb_unwind_uleb(p->r);
	bool stored = false;
	struct place place = expression(p, &stored);

	if (stored || place.base == HYB_UNWIND_GONE)
		set(p, number, HYB_UNWIND_GONE, INT64_MAX);
	else
		set(p, number, place.base, place.offset);
}

static void define_frame(struct program *p, uint64_t number, int64_t offset)
{
	p->now.frame = (struct place){ offset, base_of(number) };
	p->now.stored = false;
}

static int64_t scaled(const struct program *p, int64_t offset)
{
	int64_t value;

	return __builtin_mul_overflow(offset, p->entry->data_align, &value) ? INT64_MAX : value;
}

static void advance(struct program *p, uint64_t by)
{
	p->at += by * p->entry->code_align;
}

/* Those that say where a register is; each names it first. */
static void on_register(struct program *p, unsigned int op)
{
	uint64_t number = hyb_unwind_uleb(p->r);

	switch (op) {
	case 0x05: /* DW_CFA_offset_extended */
		set(p, number, HYB_UNWIND_BY_FRAME, scaled(p, (int64_t)hyb_unwind_uleb(p->r)));
		break;
	case 0x06: /* restore_extended */
		restore(p, number);
		break;
	case 0x07: /* undefined */
		set(p, number, HYB_UNWIND_GONE, 0);
		break;
	case 0x08: /* same_value */
		set(p, number, HYB_UNWIND_SAME, 0);
		break;
	case 0x11: /* offset_extended_sf */
		set(p, number, HYB_UNWIND_BY_FRAME, scaled(p, hyb_unwind_sleb(p->r)));
		break;
	case 0x2f: /* GNU_negative_offset_extended */
		set(p, number, HYB_UNWIND_BY_FRAME, scaled(p, (int64_t)-hyb_unwind_uleb(p->r)));
		break;
	case 0x09: /* register */
	case 0x14: /* val_offset */
		hyb_unwind_uleb(p->r);
		set(p, number, HYB_UNWIND_GONE, INT64_MAX);
		break;
	case 0x15: /* val_offset_sf */
		hyb_unwind_sleb(p->r);
		set(p, number, HYB_UNWIND_GONE, INT64_MAX);
		break;
	default: /* 0x16 val_expression */
		hyb_unwind_skip(p->r, hyb_unwind_uleb(p->r));
		set(p, number, HYB_UNWIND_GONE, INT64_MAX);
	}
}

static void on_frame(struct program *p, unsigned int op)
{
	uint64_t number;

	switch (op) {
	case 0x0c: /* DW_CFA_def_cfa */
		number = hyb_unwind_uleb(p->r);
		define_frame(p, number, (int64_t)hyb_unwind_uleb(p->r));
		break;
	case 0x0d: /* def_cfa_register */
		define_frame(p, hyb_unwind_uleb(p->r), p->now.frame.offset);
		break;
	case 0x0e: /* def_cfa_offset */
		p->now.frame.offset = (int64_t)hyb_unwind_uleb(p->r);
		break;
	case 0x0f: /* def_cfa_expression */
		p->now.frame = expression(p, &p->now.stored);
		break;
	case 0x12: /* def_cfa_sf */
		number = hyb_unwind_uleb(p->r);
		define_frame(p, number, scaled(p, hyb_unwind_sleb(p->r)));
		break;
	default: /* 0x13 def_cfa_offset_sf */
		p->now.frame.offset = scaled(p, hyb_unwind_sleb(p->r));
	}
}

static void on_state(struct program *p, unsigned int op)
{
	if (op == 0x0a && p->depth < REMEMBERED)
		p->kept[p->depth++] = p->now;
	else if (op == 0x0b && p->depth)
		p->now = p->kept[--p->depth];
	else
		p->r->bad = true;
}

/* One without an operand in its first byte. */
static void on_other(struct program *p, unsigned int op)
{
	switch (op) {
	case 0x00: /* DW_CFA_nop */
		break;
	case 0x01: /* set_loc */
		p->at = hyb_unwind_pointer(p->r, p->entry->encoding, NULL);
		break;
	case 0x02: /* advance_loc1, 2, 4 */
	case 0x03:
	case 0x04:
		advance(p, hyb_unwind_bytes(p->r, (size_t)1 << (op - 2)));
		break;
	case 0x0a:
	case 0x0b:
		on_state(p, op);
		break;
	case 0x0c:
	case 0x0d:
	case 0x0e:
	case 0x0f:
	case 0x12:
	case 0x13:
		on_frame(p, op);
		break;
	case 0x10: /* expression */
		set_by_expression(p);
		break;
	case 0x2d: /* AARCH64_negate_ra_state */
		p->now.is_signed = !p->now.is_signed;
		break;
	case 0x2e: /* GNU_args_size */
		hyb_unwind_uleb(p->r);
		break;
	case 0x05:
	case 0x06:
	case 0x07:
	case 0x08:
	case 0x09:
	case 0x11:
	case 0x14:
	case 0x15:
	case 0x16:
	case 0x2f:
		on_register(p, op);
		break;
	default:
		p->r->bad = true;
	}
}

/* False: they make no sense. */
static bool run(struct program *p, struct hyb_unwind_reading *r)
{
	unsigned int op;

	p->r = r;
	while (r->at != r->end && !r->bad && p->at <= p->pc) {
		op = (unsigned int)hyb_unwind_bytes(r, 1);
		switch (op & 0xc0) {
		case 0x40: /* DW_CFA_advance_loc */
			advance(p, op & 0x3f);
			break;
		case 0x80: /* offset */
			set(p, op & 0x3f, HYB_UNWIND_BY_FRAME, scaled(p, (int64_t)hyb_unwind_uleb(r)));
			break;
		case 0xc0: /* restore */
			restore(p, op & 0x3f);
			break;
		default:
			on_other(p, op);
		}
	}
	return !r->bad;
}

/* What is undefined is marked by an offset of 0, what is not understood by another one. */
static bool is_understood(const struct place *place)
{
	return place->base != HYB_UNWIND_GONE || !place->offset;
}

static bool fits(const struct place *place)
{
	return place->offset == (int32_t)place->offset;
}

bool hyb_unwind_execute(const struct hyb_unwind_entry *entry, uint64_t pc, struct hyb_unwind_rule *rule)
{
	struct hyb_unwind_reading common = entry->common, own = entry->own;
	struct program p = {
		.entry = entry,
		.at = entry->begin,
		.pc = pc,
		.now = { .address = { 0, HYB_UNWIND_SAME }, .pointer = { 0, HYB_UNWIND_SAME } },
	};
	const struct state *now = &p.now;

	if (!run(&p, &common))
		return false;
	p.first = p.now;
	if (!run(&p, &own) || !is_understood(&now->address) || now->frame.base == HYB_UNWIND_GONE)
		return false;
	if (!fits(&now->frame) || !fits(&now->address) || (now->pointer.base != HYB_UNWIND_GONE && !fits(&now->pointer)))
		return false;
	*rule = (struct hyb_unwind_rule){
		.frame = (int32_t)now->frame.offset,
		.frame_base = now->frame.base,
		.stored = now->stored,
		.address = (int32_t)now->address.offset,
		.address_base = now->address.base,
		.pointer = now->pointer.base == HYB_UNWIND_GONE ? 0 : (int32_t)now->pointer.offset,
		.pointer_base = now->pointer.base,
		.signal = entry->signal,
		.is_signed = now->is_signed,
		.known = true,
	};
	return true;
}
