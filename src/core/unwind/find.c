/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry of a function in an object's unwind tables: by the sorted table that the linker makes of them. */
#include "core/unwind/unwind.h"

#include "core/unwind/reading.h"

#define SORTED 0x3b /* DW_EH_PE_datarel | DW_EH_PE_sdata4: what all linkers write */
#define LEFT_OUT 0xff

struct row {
	int32_t code; /* relative to the header */
	int32_t entry;
};

static struct row row_at(const unsigned char *rows, uint64_t n)
{
	struct row row;

	memcpy(&row, rows + n * sizeof(row), sizeof(row));
	return row;
}

/* Where the entry is of the last function that begins at or before `pc`; NULL: there is none. */
static const unsigned char *find_entry(const struct hyb_unwind_tables *t, uint64_t pc)
{
	struct hyb_unwind_reading r = { .at = t->header, .end = t->end };
	unsigned int version = (unsigned int)hyb_unwind_bytes(&r, 1);
	unsigned int frames = (unsigned int)hyb_unwind_bytes(&r, 1);
	unsigned int counted = (unsigned int)hyb_unwind_bytes(&r, 1);
	unsigned int sorted = (unsigned int)hyb_unwind_bytes(&r, 1);
	const int64_t wanted = (int64_t)(pc - (uintptr_t)t->header);
	uint64_t low = 0, high;
	uintptr_t at;

	if (r.bad || version != 1 || counted == LEFT_OUT || sorted != SORTED)
		return NULL;
	if (frames != LEFT_OUT)
		hyb_unwind_pointer(&r, frames, t->header);
	high = hyb_unwind_pointer(&r, counted, t->header);
	if (r.bad || high > (uint64_t)(r.end - r.at) / sizeof(struct row))
		return NULL;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (row_at(r.at, middle).code <= wanted)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	at = (uintptr_t)t->header + (uintptr_t)(intptr_t)row_at(r.at, low - 1).entry;
	return at >= (uintptr_t)t->begin && at < (uintptr_t)t->end ? t->begin + (at - (uintptr_t)t->begin) : NULL;
}

/* What one entry holds behind its length. */
static struct hyb_unwind_reading entry_at(const struct hyb_unwind_tables *t, const unsigned char *at)
{
	struct hyb_unwind_reading r = { .at = at, .end = t->end };
	uint64_t length = hyb_unwind_bytes(&r, 4);

	/* Longer ones have their CIE's distance in four bytes, too. */
	if (length == UINT32_MAX)
		length = hyb_unwind_bytes(&r, 8);
	return hyb_unwind_part(&r, length);
}

/* Of the letters of its augmentation what matters here. */
static void read_augmentation(struct hyb_unwind_reading *r, const char *letters, const unsigned char *header,
			      struct hyb_unwind_entry *e)
{
	struct hyb_unwind_reading part;

	if (*letters != 'z') {
		r->bad |= *letters != 0;
		return;
	}
	e->sized = true;
	part = hyb_unwind_part(r, hyb_unwind_uleb(r));
	while (*++letters && !part.bad) {
		switch (*letters) {
		case 'R':
			e->encoding = (unsigned int)hyb_unwind_bytes(&part, 1);
			break;
		case 'P':
			/* Where its function is found may be told indirectly, which is as long. */
			hyb_unwind_pointer(&part, hyb_unwind_bytes(&part, 1) & 0x0f, header);
			break;
		case 'L':
			hyb_unwind_bytes(&part, 1);
			break;
		case 'S':
			e->signal = true;
			break;
		case 'B':
		case 'G':
			break;
		default:
			return;
		}
	}
	r->bad |= part.bad;
}

static bool read_common(const struct hyb_unwind_tables *t, uintptr_t at, struct hyb_unwind_entry *e)
{
	struct hyb_unwind_reading r;
	const char *letters;
	uint64_t version;

	if (at < (uintptr_t)t->begin || at >= (uintptr_t)t->end)
		return false;
	r = entry_at(t, t->begin + (at - (uintptr_t)t->begin));
	if (hyb_unwind_bytes(&r, 4) != 0)
		return false;
	version = hyb_unwind_bytes(&r, 1);
	letters = (const char *)r.at;
	while (hyb_unwind_bytes(&r, 1))
		;
	if (r.bad || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4 && (hyb_unwind_bytes(&r, 1) != 8 || hyb_unwind_bytes(&r, 1) != 0))
		return false;
	e->code_align = hyb_unwind_uleb(&r);
	e->data_align = hyb_unwind_sleb(&r);
	e->address = version == 1 ? hyb_unwind_bytes(&r, 1) : hyb_unwind_uleb(&r);
	read_augmentation(&r, letters, t->header, e);
	e->common = r;
	return !r.bad && e->address == HYB_UNWIND_RA;
}

bool hyb_unwind_find(const struct hyb_unwind_tables *t, uint64_t pc, struct hyb_unwind_rule *rule)
{
	struct hyb_unwind_entry e = { .encoding = 0 };
	struct hyb_unwind_reading r;
	const unsigned char *at = HYB_UNWIND_KNOWS && t->header ? find_entry(t, pc) : NULL;
	uintptr_t common;

	*rule = (struct hyb_unwind_rule){ .known = false };
	if (!at)
		return false;
	r = entry_at(t, at);
	common = (uintptr_t)r.at;
	common -= (uintptr_t)hyb_unwind_bytes(&r, 4);
	if (r.bad || common == (uintptr_t)r.at - 4 || !read_common(t, common, &e))
		return false;
	e.begin = hyb_unwind_pointer(&r, e.encoding, t->header);
	e.size = hyb_unwind_pointer(&r, e.encoding & 0x0f, t->header);
	if (e.sized)
		hyb_unwind_skip(&r, hyb_unwind_uleb(&r));
	e.own = r;
	/* What lies between functions is none's. */
	return !r.bad && pc - e.begin < e.size && hyb_unwind_execute(&e, pc, rule);
}
