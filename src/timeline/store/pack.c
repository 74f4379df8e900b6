/* SPDX-License-Identifier: BSD-3-Clause */
/* See pack.h. */
#include "timeline/store/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/store/compress.h"

#define COLUMNS 6u
#define SLOTS (2 * HYB_VIEW_SEGMENT)

/* A column: a byte that says how many bytes each value has, then those; and the table of what records are. */
#define PLAIN ((size_t)HYB_VIEW_SEGMENT * 8 * (COLUMNS + 1) + COLUMNS + 16)

struct hyb_view_packer {
	char plain[PLAIN];
	uint64_t column[HYB_VIEW_SEGMENT];
	uint64_t table[HYB_VIEW_SEGMENT]; /* what << 32 | detail */
	uint16_t slots[SLOTS];		  /* of `table`, + 1 */
	struct hyb_view_compressor *compressor;
};

struct hyb_view_packer *hyb_view_packer_new(void)
{
	struct hyb_view_packer *p = malloc(sizeof(*p));

	if (!p)
		return NULL;
	p->compressor = hyb_view_compressor_new();
	if (p->compressor)
		return p;
	free(p);
	return NULL;
}

void hyb_view_packer_free(struct hyb_view_packer *p)
{
	if (!p)
		return;
	hyb_view_compressor_free(p->compressor);
	free(p);
}

static int compress(struct hyb_view_packer *p, size_t size, const void **bytes, uint32_t *packed)
{
	return hyb_view_compress(p->compressor, p->plain, size, bytes, packed);
}

/* Into p->plain; *size. */
static int decompress(struct hyb_view_packer *p, const void *bytes, size_t packed, size_t *size)
{
	return hyb_view_decompress(p->compressor, bytes, packed, p->plain, sizeof(p->plain), size);
}

static char *put_column(const uint64_t *values, uint32_t count, char *to)
{
	uint64_t all = 0;
	uint32_t i;

	for (i = 0; i < count; i++)
		all |= values[i];
	char *width = to++;
	for (*width = 0; all; all >>= 8, (*width)++)
		for (i = 0; i < count; i++)
			*to++ = (char)(values[i] >> 8 * *width);
	return to;
}

/* NULL: there is less than that. */
static const char *get_column(const char *from, const char *end, uint32_t count, uint64_t *values)
{
	uint32_t i, width;

	if (!from || from == end || (unsigned char)*from > 8)
		return NULL;
	width = (unsigned char)*from++;
	if ((size_t)(end - from) < (size_t)width * count)
		return NULL;
	memset(values, 0, count * sizeof(*values));
	for (uint32_t k = 0; k < width; k++)
		for (i = 0; i < count; i++)
			values[i] |= (uint64_t)(unsigned char)*from++ << 8 * k;
	return from;
}

/* Numbers for what records are, into the column. How many there are. */
static uint32_t number(struct hyb_view_packer *p, const struct hyb_view_record *records,
		       const uint32_t *details, uint32_t count)
{
	uint32_t distinct = 0;

	memset(p->slots, 0, sizeof(p->slots));
	for (uint32_t i = 0; i < count; i++) {
		uint64_t key = (uint64_t)records[i].what << 32 | details[i];
		size_t at = hyb_mix(key) % SLOTS;

		while (p->slots[at] && p->table[p->slots[at] - 1] != key)
			at = (at + 1) % SLOTS;
		if (!p->slots[at]) {
			p->table[distinct++] = key;
			p->slots[at] = (uint16_t)distinct;
		}
		p->column[i] = p->slots[at] - 1u;
	}
	return distinct;
}

static char *put_times(struct hyb_view_packer *p, const struct hyb_view_segment *s,
		       const struct hyb_view_record *records, char *to)
{
	uint64_t end = s->time;
	uint32_t slices = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		p->column[i] = records[i].time - end;
		end = records[i].time;
		end += hyb_view_form(records[i].what) == HYB_VIEW_SLICE ? records[i].extent : 0;
	}
	to = put_column(p->column, s->count, to);
	for (uint32_t i = 0; i < s->count; i++)
		if (hyb_view_form(records[i].what) == HYB_VIEW_SLICE)
			p->column[slices++] = records[i].extent;
	return put_column(p->column, slices, to);
}

int hyb_view_pack(struct hyb_view_packer *p, const struct hyb_view_segment *s,
		  const struct hyb_view_record *records, const uint32_t *details,
		  const struct hyb_view_outer *outer, const void **bytes, uint32_t *size)
{
	const uint32_t distinct = number(p, records, details, s->count);
	const uint64_t counts[3] = { distinct, outer->count, outer->open };
	char *to = p->plain + sizeof(counts);

	memcpy(p->plain, counts, sizeof(counts));
	to = put_column(p->table, distinct, to);
	to = put_column(p->column, s->count, to);
	to = put_times(p, s, records, to);
	to = put_column(outer->left, outer->count, to);
	return compress(p, (size_t)(to - p->plain), bytes, size);
}

/* What is open while records are gone through. */
struct place {
	uint64_t first;
	uint64_t left[HYB_VIEW_SEGMENT];
	uint32_t left_count;
	uint32_t left_next;
	uint64_t below; /* + 1 */
	uint16_t stack[HYB_VIEW_SEGMENT];
	uint32_t depth;
};

static uint64_t open_at(const struct place *at)
{
	if (at->depth)
		return at->first + at->stack[at->depth - 1] + 1;
	return at->left_next < at->left_count ? at->left[at->left_next] + 1 : at->below;
}

/* How far apart the records of regions are, which follows from their order. */
static int nest(struct hyb_view_part *part, uint32_t i, struct place *at)
{
	struct hyb_view_record *r = &part->records[i];
	uint64_t extent;

	if (hyb_view_form(r->what) == HYB_VIEW_ENTER) {
		at->stack[at->depth++] = (uint16_t)i;
	} else if (hyb_view_form(r->what) == HYB_VIEW_LEAVE && at->depth) {
		r->extent = i - at->stack[--at->depth];
		part->records[i - r->extent].extent = r->extent;
	} else if (hyb_view_form(r->what) == HYB_VIEW_LEAVE) {
		if (at->left_next == at->left_count)
			return -EIO;
		extent = at->first + i - at->left[at->left_next++];
		r->extent = extent > UINT32_MAX ? 0 : (uint32_t)extent;
	}
	return 0;
}

static int fill_in(struct hyb_view_part *part, const struct hyb_view_segment *s, struct place *at)
{
	uint64_t passed[HYB_VIEW_CLASSES], last = s->time;
	uint32_t class = s->class;
	int err = 0;

	memcpy(passed, s->passed, sizeof(passed));
	for (uint32_t i = 0; !err && i < s->count; i++) {
		const struct hyb_view_record *r = &part->records[i];

		passed[class] += r->time - last;
		last = r->time;
		if (i % HYB_VIEW_BLOCK == 0) {
			struct hyb_view_block *b = &part->blocks[i / HYB_VIEW_BLOCK];

			*b = (struct hyb_view_block){ .time = r->time,
						      .open = open_at(at),
						      .class = class };
			memcpy(b->passed, passed, sizeof(passed));
		}
		if (hyb_view_form(r->what) == HYB_VIEW_SLICE) {
			passed[hyb_view_class(r->what)] += r->extent;
			last += r->extent;
			continue;
		}
		class = hyb_view_class(r->what);
		err = nest(part, i, at);
	}
	return err;
}

static bool is_known(uint64_t entry, uint32_t regions)
{
	const uint32_t what = (uint32_t)(entry >> 32);

	return hyb_view_form(what) == HYB_VIEW_POINT || (what & HYB_VIEW_ID_MASK) < regions;
}

/* What the records are, and their times. Where that ends, or NULL. */
static const char *get_records(struct hyb_view_packer *p, const char *from, const char *end,
			       const struct hyb_view_segment *s, uint32_t distinct,
			       uint32_t regions, struct hyb_view_part *part)
{
	uint64_t time = s->time;
	uint32_t slices = 0, i;

	from = get_column(from, end, distinct, p->table);
	for (i = 0; from && i < distinct; i++)
		from = is_known(p->table[i], regions) ? from : NULL;
	from = get_column(from, end, s->count, p->column);
	for (i = 0; from && i < s->count; i++) {
		if (p->column[i] >= distinct)
			return NULL;
		part->records[i].what = (uint32_t)(p->table[p->column[i]] >> 32);
		part->records[i].extent = 0;
		part->details[i] = (uint32_t)p->table[p->column[i]];
		slices += hyb_view_form(part->records[i].what) == HYB_VIEW_SLICE;
	}
	from = get_column(from, end, s->count, p->column);
	if (!from)
		return NULL;
	/* Times since the end of the one before; those of slices come next. */
	from = get_column(from, end, slices, p->table);
	for (i = slices = 0; from && i < s->count; i++) {
		time += p->column[i];
		part->records[i].time = time;
		if (hyb_view_form(part->records[i].what) == HYB_VIEW_SLICE) {
			part->records[i].extent = (uint32_t)p->table[slices++];
			time += part->records[i].extent;
		}
	}
	return from;
}

int hyb_view_unpack(struct hyb_view_packer *p, const void *bytes, const struct hyb_view_segment *s,
		    uint64_t first, uint32_t regions, struct hyb_view_part *part)
{
	const char *from = p->plain, *end;
	struct place at = { .first = first };
	uint64_t counts[3];
	size_t size;
	int err = decompress(p, bytes, s->size, &size);

	if (err)
		return err;
	if (size < sizeof(counts))
		return -EIO;
	memcpy(counts, from, sizeof(counts));
	end = p->plain + size;
	if (counts[0] > HYB_VIEW_SEGMENT || counts[1] > HYB_VIEW_SEGMENT || counts[2] > first)
		return -EIO;
	from = get_records(p, from + sizeof(counts), end, s, (uint32_t)counts[0], regions, part);
	at.left_count = (uint32_t)counts[1];
	at.below = counts[2];
	if (!get_column(from, end, at.left_count, at.left))
		return -EIO;
	for (uint32_t i = 0; i < at.left_count; i++)
		if (at.left[i] >= first)
			return -EIO;
	return fill_in(part, s, &at);
}

static uint64_t value_of(const struct hyb_view_message *m, uint32_t column, uint64_t before)
{
	switch (column) {
	case 0:
		return m->received - before;
	case 1: /* It may be negative: the lowest bit says so. */
		return m->sent > m->received ? (m->sent - m->received) << 1 | 1
					     : (m->received - m->sent) << 1;
	case 2:
		return m->from;
	case 3:
		return m->comm;
	case 4:
		return m->tag;
	default:
		return m->bytes;
	}
}

int hyb_view_pack_messages(struct hyb_view_packer *p, const struct hyb_view_message *messages,
			   uint32_t count, const void **bytes, uint32_t *size)
{
	char *to = p->plain;

	for (uint32_t column = 0; column < COLUMNS; column++) {
		for (uint32_t i = 0; i < count; i++)
			p->column[i] =
				value_of(&messages[i], column, i ? messages[i - 1].received : 0);
		to = put_column(p->column, count, to);
	}
	return compress(p, (size_t)(to - p->plain), bytes, size);
}

static void set_value(struct hyb_view_message *m, uint32_t column, uint64_t value, uint64_t before)
{
	switch (column) {
	case 0:
		m->received = before + value;
		break;
	case 1:
		m->sent = value & 1 ? m->received + (value >> 1) : m->received - (value >> 1);
		break;
	case 2:
		m->from = (uint32_t)value;
		break;
	case 3:
		m->comm = (uint32_t)value;
		break;
	case 4:
		m->tag = (uint32_t)value;
		break;
	default:
		m->bytes = value;
	}
}

int hyb_view_unpack_messages(struct hyb_view_packer *p, const void *bytes,
			     const struct hyb_view_batch *b, struct hyb_view_message *messages)
{
	const char *from = p->plain;
	size_t size;
	int err = decompress(p, bytes, b->size, &size);

	if (err)
		return err;
	for (uint32_t column = 0; column < COLUMNS; column++) {
		from = get_column(from, p->plain + size, b->count, p->column);
		if (!from)
			return -EIO;
		for (uint32_t i = 0; i < b->count; i++)
			set_value(&messages[i], column, p->column[i],
				  i ? messages[i - 1].received : 0);
	}
	for (uint32_t i = 0; i < b->count; i++)
		messages[i].to = b->to;
	return 0;
}

_Static_assert(HYB_VIEW_VALUES <= HYB_VIEW_SEGMENT, "they have room in a packer");

/* What is the same as in the value before becomes 0. */
int hyb_view_pack_values(struct hyb_view_packer *p, const struct hyb_view_value *values, uint32_t count,
			 const void **bytes, uint32_t *size)
{
	char *to = p->plain;
	uint64_t bits, before = 0;

	for (uint32_t i = 0; i < count; i++)
		p->column[i] = values[i].time - (i ? values[i - 1].time : values[0].time);
	to = put_column(p->column, count, to);
	for (uint32_t i = 0; i < count; i++) {
		memcpy(&bits, &values[i].value, sizeof(bits));
		p->column[i] = bits ^ before;
		before = bits;
	}
	to = put_column(p->column, count, to);
	return compress(p, (size_t)(to - p->plain), bytes, size);
}

int hyb_view_unpack_values(struct hyb_view_packer *p, const void *bytes,
			   const struct hyb_view_stretch *s, struct hyb_view_value *values)
{
	const char *from = p->plain;
	uint64_t time = s->time, bits = 0;
	size_t size;
	int err = decompress(p, bytes, s->size, &size);

	if (err)
		return err;
	from = get_column(from, p->plain + size, s->count, p->column);
	for (uint32_t i = 0; from && i < s->count; i++) {
		if (p->column[i] > s[1].time - time)
			return -EIO;
		time += p->column[i];
		values[i].time = time;
	}
	from = get_column(from, p->plain + size, s->count, p->column);
	for (uint32_t i = 0; from && i < s->count; i++) {
		bits ^= p->column[i];
		memcpy(&values[i].value, &bits, sizeof(bits));
	}
	return from ? 0 : -EIO;
}

_Static_assert(HYB_VIEW_PART <= HYB_VIEW_SEGMENT && (HYB_VIEW_CLASSES + 1) * (HYB_VIEW_PART * 8 + 1) <= PLAIN,
	       "a part has room in a packer");

int hyb_view_pack_sums(struct hyb_view_packer *p, const struct hyb_view_sums *sums, const void **bytes, uint32_t *size)
{
	char *to = p->plain;

	for (int column = 0; column <= HYB_VIEW_CLASSES; column++) {
		for (uint32_t i = 0; i < HYB_VIEW_PART; i++)
			p->column[i] = column < HYB_VIEW_CLASSES ? sums[i].passed[column] : sums[i].records;
		to = put_column(p->column, HYB_VIEW_PART, to);
	}
	return compress(p, (size_t)(to - p->plain), bytes, size);
}

int hyb_view_unpack_sums(struct hyb_view_packer *p, const void *bytes, uint32_t packed, struct hyb_view_sums *sums)
{
	const char *from = p->plain;
	size_t size;
	int err = decompress(p, bytes, packed, &size);

	if (err)
		return err;
	for (int column = 0; from && column <= HYB_VIEW_CLASSES; column++) {
		from = get_column(from, p->plain + size, HYB_VIEW_PART, p->column);
		for (uint32_t i = 0; from && i < HYB_VIEW_PART; i++)
			*(column < HYB_VIEW_CLASSES ? &sums[i].passed[column] : &sums[i].records) = p->column[i];
	}
	return from ? 0 : -EIO;
}
