/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules of unwind tables: walking by them finds the callers that the C library's backtrace() finds; of every function of
 * the program something is known; and tables that were changed, byte by byte, are read without leaving them.
 */
#include <execinfo.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/tap.h"
#include "core/unwind/unwind.h"

#define DEEPEST 64
#define APART __attribute__((noinline))

struct object {
	uintptr_t begin;
	uintptr_t end;
	struct hyb_unwind_tables tables;
};

static struct object objects[32];
static int object_count;
static volatile int sink;

static int add_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct object *o = &objects[object_count];
	uintptr_t header = 0;

	(void)size;
	(void)arg;
	if (object_count == 32)
		return 1;
	*o = (struct object){ .begin = UINTPTR_MAX };
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			header = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + h->p_vaddr;

		if (h->p_type != PT_LOAD)
			continue;
		o->begin = from < o->begin ? from : o->begin;
		o->end = from + h->p_memsz > o->end ? from + h->p_memsz : o->end;
		if (header && header - from < h->p_memsz) {
			o->tables.header = (const unsigned char *)header;
			o->tables.begin = (const unsigned char *)from;
			o->tables.end = (const unsigned char *)from + h->p_memsz;
		}
	}
	object_count++;
	return 0;
}

static const struct hyb_unwind_tables *tables_of(uintptr_t pc)
{
	static const struct hyb_unwind_tables none;

	for (int i = 0; i < object_count; i++)
		if (pc >= objects[i].begin && pc < objects[i].end)
			return &objects[i].tables;
	return &none;
}

/* Its own stack may have marks of ASan on it. */
static APART __attribute__((no_sanitize("address"))) uintptr_t load(uintptr_t at)
{
	return *(const uintptr_t *)at;
}

static uintptr_t place(unsigned int base, intptr_t offset, uintptr_t frame, uintptr_t sp, uintptr_t fp)
{
	return (base == HYB_UNWIND_BY_FRAME ? frame : base == HYB_UNWIND_BY_STACK ? sp : fp) + (uintptr_t)offset;
}

/* The callers of its caller, who is at pc; how many. */
static int walk(uintptr_t pc, uintptr_t sp, uintptr_t fp, void **callers)
{
	struct hyb_unwind_rule r;
	uintptr_t frame;
	int n = 0;

	for (callers[n++] = (void *)pc; n < DEEPEST; callers[n++] = (void *)pc) {
		if (!hyb_unwind_find(tables_of(pc), pc - 1, &r) || r.address_base < HYB_UNWIND_BY_FRAME)
			break;
		frame = place(r.frame_base, r.frame, 0, sp, fp);
		frame = r.stored ? load(frame) : frame;
		pc = load(place(r.address_base, r.address, frame, sp, fp));
		if (r.pointer_base >= HYB_UNWIND_BY_FRAME)
			fp = load(place(r.pointer_base, r.pointer, frame, sp, fp));
		sp = frame;
		if (!pc)
			break;
	}
	return n;
}

struct found {
	void *ours[DEEPEST];
	void *theirs[DEEPEST];
	int our_count;
	int their_count;
};

static APART void look(struct found *f)
{
	f->our_count = walk((uintptr_t)__builtin_return_address(0), (uintptr_t)__builtin_dwarf_cfa(),
			    *(const uintptr_t *)__builtin_frame_address(0), f->ours);
	f->their_count = backtrace(f->theirs, DEEPEST);
}

static APART void plain(struct found *f, int depth)
{
	if (depth)
		plain(f, depth - 1);
	else
		look(f);
	sink++;
}

static APART void sized(struct found *f, int size)
{
	char *frame = __builtin_alloca((size_t)size);

	memset(frame, size, (size_t)size);
	plain(f, 3);
	sink += frame[size - 1];
}

static APART void aligned(struct found *f)
{
	__attribute__((aligned(256))) char frame[512];

	memset(frame, 1, sizeof(frame));
	sized(f, 100 + sink % 50);
	sink += frame[100];
}

static int compare(const void *a, const void *b)
{
	struct found **f = (struct found **)a;

	(void)b;
	aligned(*f);
	return 0;
}

/* The same callers, from that of look() on; `theirs` begins inside of it, or of what stands in for backtrace(). */
static bool same(const struct found *f)
{
	int inner = f->their_count - f->our_count;

	return inner > 0 && inner < 3 && !memcmp(f->ours, f->theirs + inner, (size_t)f->our_count * sizeof(f->ours[0]));
}

static void test_callers(void)
{
	struct found f, *both[2] = { &f, &f };

	plain(&f, 20);
	tap(same(&f) && f.our_count > 21, "callers of calls in calls: %d, %d", f.our_count, f.their_count);
	aligned(&f);
	tap(same(&f) && f.our_count > 6, "of frames that have a size of their own or are aligned: %d, %d", f.our_count,
	    f.their_count);
	qsort(both, 2, sizeof(both[0]), compare);
	tap(same(&f) && f.our_count > 7, "through the C library: %d, %d", f.our_count, f.their_count);
}

/* Of most addresses in the C library's code something is known. */
static void test_library(void)
{
	const uintptr_t begin = (uintptr_t)&qsort;
	struct hyb_unwind_rule r;
	int known = 0;

	for (uintptr_t pc = begin - 20000; pc < begin + 20000; pc++)
		known += hyb_unwind_find(tables_of(begin), pc, &r);
	tap(known > 20000, "around qsort %d addresses are known", known);
}

static void test_none(void)
{
	struct hyb_unwind_tables none = { .header = NULL };
	struct hyb_unwind_rule r;

	tap(!hyb_unwind_find(&none, 1, &r) && !r.known, "no tables");
	tap(!hyb_unwind_find(tables_of((uintptr_t)&look), 1, &r) && !r.known, "an address before all functions");
	tap(!hyb_unwind_find(tables_of((uintptr_t)&look), UINTPTR_MAX / 2, &r) && !r.known, "and after them");
}

static int ask(const struct hyb_unwind_tables *t, uintptr_t from)
{
	struct hyb_unwind_rule r;
	int known = 0;

	for (uintptr_t pc = from; pc < from + 2048; pc += 37)
		known += hyb_unwind_find(t, pc, &r);
	return known;
}

/* ASan has marks between what the program keeps there. */
static APART __attribute__((no_sanitize("address"))) void copy_bytes(unsigned char *to, const unsigned char *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((volatile unsigned char *)to)[i] = from[i];
}

/* A copy has all addresses moved by as much, since they are relative. Nothing is behind it, nor before. */
static void test_changed(void)
{
	const struct hyb_unwind_tables *t = tables_of((uintptr_t)&look);
	const size_t size = (size_t)(t->end - t->begin), at = (size_t)(t->header - t->begin);
	unsigned char *copy = malloc(size);
	const struct hyb_unwind_tables there = { .header = copy + at, .begin = copy, .end = copy + size };
	const uintptr_t code = (uintptr_t)&look + ((uintptr_t)copy - (uintptr_t)t->begin);
	int good, known = 0;

	copy_bytes(copy, t->begin, size);
	good = ask(&there, code);
	tap(good > 20, "tables elsewhere in memory: %d", good);
	for (size_t i = at; i < size; i++) {
		static const unsigned char others[] = { 0, 1, 0x0f, 0x7f, 0x80, 0xff };

		for (size_t k = 0; k < sizeof(others); k++) {
			copy[i] = others[k];
			known += ask(&there, code);
		}
		copy_bytes(&copy[i], &t->begin[i], 1);
	}
	tap(known > 0, "each byte changed");
	for (size_t cut = 0; at + cut < size; cut += 3) {
		struct hyb_unwind_tables less = there;

		less.end = less.header + cut;
		known += ask(&less, code);
	}
	tap(ask(&there, code) == good, "cut short anywhere");
	free(copy);
}

int main(void)
{
	if (!HYB_UNWIND_KNOWS) {
		puts("1..0 # SKIP not on this processor");
		return 0;
	}
	dl_iterate_phdr(add_object, NULL);
	test_callers();
	test_library();
	test_none();
	test_changed();
	return tap_done();
}
