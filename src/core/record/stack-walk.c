/* SPDX-License-Identifier: BSD-3-Clause */
/* Walking up stacks; see stack-walk.h. */
#include "core/record/stack-walk.h"

#include <pthread.h>
#include <string.h>
#include <sys/uio.h>

#include "core/sys/log.h"
#include "core/sys/stack.h"
#include "core/sys/sys.h"
#include "core/record/objects.h"

#define PAGE 4096u
#define WORD sizeof(uintptr_t)
/* The kernel leaves at least so much to the main thread's stack, whatever else the program maps. */
#define MAIN_STACK ((uintptr_t)128 << 20)
#define LEAD_MOST 256	/* frames between the library and the program: of an MPI that calls back */

/* Set by the dynamic linker; with another libc than glibc there is none. */
extern void *__libc_stack_end __attribute__((weak));

struct search {
	uintptr_t wanted;
	uintptr_t begin;
	uintptr_t end;
};

static uintptr_t hexadecimal(const char **at)
{
	uintptr_t value = 0;
	unsigned int digit;

	for (;; ++*at) {
		digit = (unsigned char)**at;
		digit = digit - '0' < 10 ? digit - '0' : digit - 'a' < 6 ? digit - 'a' + 10 : 16;
		if (digit == 16)
			return value;
		value = value << 4 | digit;
	}
}

/* True once that is the one that is looked for. */
static bool take_line(struct search *s, const char *line)
{
	s->begin = hexadecimal(&line);
	line += *line == '-';
	s->end = hexadecimal(&line);
	return s->begin <= s->wanted && s->wanted < s->end;
}

/* Which mapping an address lies in, by /proc/self/maps; begin and end stay 0 where there is none. */
static void find_mapping(void *search)
{
	struct search *s = search;
	long fd = hyb_sys_open("/proc/self/maps", O_RDONLY, 0);
	char buf[PAGE], line[40];
	size_t length = 0;
	bool found = false;
	long n;

	while (fd >= 0 && !found && (n = hyb_sys_read(fd, buf, sizeof(buf))) > 0) {
		for (long i = 0; i < n && !found; i++) {
			if (buf[i] == '\n') {
				line[length < sizeof(line) ? length : sizeof(line) - 1] = 0;
				found = take_line(s, line);
				length = 0;
			} else if (length < sizeof(line) - 1) {
				line[length++] = buf[i];
			}
		}
	}
	if (fd >= 0)
		hyb_sys_close(fd);
	if (!found)
		s->begin = s->end = 0;
}

/*
 * Up to where the thread's first function has its frame: of the main thread that is where its stack was at first, of
 * others their descriptor, which glibc places on top of the stack. Down to where it may grow, or begins.
 */
void hyb_stack_bounds(struct hyb_stack_walking *w)
{
	struct search s = { .wanted = (uintptr_t)pthread_self() };

	w->low = w->high = 0;
	if (HYB_SYS(getpid, 0, 0, 0, 0, 0, 0) == HYB_SYS(gettid, 0, 0, 0, 0, 0, 0)) {
		if (!&__libc_stack_end || !__libc_stack_end)
			return;
		w->high = (uintptr_t)__libc_stack_end & ~(WORD - 1);
		w->low = w->high > MAIN_STACK ? w->high - MAIN_STACK : 0;
		return;
	}
	hyb_stack_run(find_mapping, &s);
	if (!s.end)
		return;
	w->low = s.begin;
	w->high = s.wanted & ~(WORD - 1);
}

void hyb_stack_forget_rules(struct hyb_stack_walking *w)
{
	for (size_t i = 0; i < HYB_STACK_RULES; i++)
		w->rules[i].pc = 0;
}

HYB_STACK_READS uintptr_t load(uintptr_t at)
{
	return *(const uintptr_t *)at;
}

/* What is there of another stack, up to the first page that cannot be read. */
static HYB_COLD bool fill_window(struct hyb_stack_walking *w, uintptr_t at)
{
	struct iovec to = { .iov_base = w->window, .iov_len = sizeof(w->window) }, from[3];
	uintptr_t next = at;
	int parts = 0;
	long n;

	for (size_t left = sizeof(w->window); left; parts++) {
		size_t size = PAGE - next % PAGE;

		size = size < left ? size : left;
		from[parts] = (struct iovec){ .iov_base = (void *)next, .iov_len = size };
		next += size;
		left -= size;
	}
	n = HYB_SYS(process_vm_readv, HYB_SYS(getpid, 0, 0, 0, 0, 0, 0), &to, 1, from, parts, 0);
	w->window_at = at;
	w->window_size = n > 0 ? (size_t)n / WORD : 0;
	return w->window_size;
}

/* False: it cannot be read. */
static HYB_HOT bool read_word(struct hyb_stack_walking *w, bool own, uintptr_t at, uintptr_t *value)
{
	if (hyb_unlikely(at % WORD))
		return false;
	if (hyb_likely(own)) {
		if (!hyb_stack_is_own(w, at))
			return false;
		*value = load(at);
		return true;
	}
	if ((at - w->window_at) / WORD >= w->window_size && !fill_window(w, at))
		return false;
	*value = w->window[(at - w->window_at) / WORD];
	return true;
}

static void say_cut(const struct hyb_stack_rule *r)
{
	if (r->object)
		hyb_log_once(HYB_LOG_NOTE, "call paths are cut at functions that unwind tables do not cover, or not in a "
			     "way that can be followed; the first is at address 0x%llx", (unsigned long long)r->pc);
}

static HYB_COLD const struct hyb_stack_rule *new_rule(struct hyb_stack_rule *r, uintptr_t pc)
{
	struct hyb_unwind_tables tables = { .header = NULL };

	/* Should a handler leave this by longjmp, there is none. */
	r->pc = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	r->object = hyb_object_tables(pc, &tables);
	hyb_unwind_find(&tables, pc, &r->rule);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	r->pc = pc;
	if (!r->rule.known)
		say_cut(r);
	return r;
}

static HYB_HOT const struct hyb_stack_rule *rule_of(struct hyb_stack_walking *w, uintptr_t pc)
{
	struct hyb_stack_rule *r = &w->rules[(pc * UINT64_C(0x9e3779b97f4a7c15)) >> 54];

	return hyb_likely(r->pc == pc) ? r : new_rule(r, pc);
}

_Static_assert(HYB_STACK_RULES == 1 << 10, "as many bits as rule_of takes");

/* Where a walk is. */
struct going {
	struct hyb_stack_walking *w;
	struct hyb_stack_walk *walk;
	struct hyb_stack_registers now;
	uintptr_t fp_at;	/* where its fp was stored; 0: it is still the first one's */
	uintptr_t link;		/* the link register, where a signal interrupted; 0: not known */
	uintptr_t stored_at;	/* where pc was */
	bool fp_known;
	bool exact;		/* pc is what a signal interrupted, not what comes after a call */
	bool own;
};

enum step { STEP_ON, STEP_OUTERMOST, STEP_CUT };

/* The walk has come to depend on what is there. */
static HYB_HOT void depend(struct going *g, uintptr_t at, uintptr_t value)
{
	struct hyb_stack_walk *walk = g->walk;

	if (hyb_unlikely(walk->check_count == walk->most_checks || !g->own)) {
		walk->checked = false;
		return;
	}
	walk->checks[walk->check_count].at = (const uintptr_t *)at;
	walk->checks[walk->check_count++].value = value;
}

static HYB_HOT bool use_fp(struct going *g)
{
	if (!g->fp_known)
		return false;
	if (g->fp_at)
		depend(g, g->fp_at, g->now.fp);
	else
		g->walk->uses_fp = true;
	return true;
}

/* Where something is stored; 0: that is not known. */
static HYB_HOT uintptr_t place(struct going *g, unsigned int base, int32_t offset, uintptr_t frame)
{
	switch ((enum hyb_unwind_base)base) {
	case HYB_UNWIND_BY_FRAME:
		return frame + (uintptr_t)(intptr_t)offset;
	case HYB_UNWIND_BY_STACK:
		return g->now.sp + (uintptr_t)(intptr_t)offset;
	case HYB_UNWIND_BY_POINTER:
		return use_fp(g) ? g->now.fp + (uintptr_t)(intptr_t)offset : 0;
	default:
		return 0;
	}
}

static HYB_HOT uintptr_t bare(uintptr_t address)
{
#ifdef __aarch64__
	register uintptr_t x30 __asm__("x30") = address;

	__asm__("hint 7" : "+r"(x30));	/* xpaclri */
	return x30;
#else
	return address;
#endif
}

/* The caller's frame pointer, as far as that is known. */
static HYB_HOT void step_pointer(struct going *g, const struct hyb_unwind_rule *rule, uintptr_t frame)
{
	uintptr_t at;

	if (rule->pointer_base == HYB_UNWIND_SAME)
		return;
	at = place(g, rule->pointer_base, rule->pointer, frame);
	g->fp_known = at && read_word(g->w, g->own, at, &g->now.fp);
	g->fp_at = at;
}

#ifdef __aarch64__
/* What the kernel stored before it called a handler: siginfo, then the context; its tables tell less. */
#define SIGNAL_REGISTERS (128 + 176 + 8)

static enum step step_signal(struct going *g)
{
	const uintptr_t at = g->now.sp + SIGNAL_REGISTERS;
	uintptr_t sp, pc, fp, link;

	if (!read_word(g->w, g->own, at + 29 * WORD, &fp) || !read_word(g->w, g->own, at + 30 * WORD, &link) ||
	    !read_word(g->w, g->own, at + 31 * WORD, &sp) || !read_word(g->w, g->own, at + 32 * WORD, &pc))
		return STEP_CUT;
	g->walk->checked = false;
	g->own = hyb_stack_is_own(g->w, sp);
	g->now = (struct hyb_stack_registers){ .pc = pc, .sp = sp, .fp = fp };
	g->link = link;
	g->fp_at = 0;
	g->fp_known = true;
	g->exact = true;
	return STEP_ON;
}
#else
static enum step step_signal(struct going *g)
{
	(void)g;
	return STEP_CUT;
}
#endif

/* Whose frame ends at `frame`; it may have been interrupted on another stack than that of the signal's handler. */
static HYB_HOT bool moves_on(struct going *g, const struct hyb_unwind_rule *rule, uintptr_t frame)
{
	if (hyb_likely(frame > g->now.sp && !rule->signal))
		return true;
	/* On a leaf's frame of no size that a signal interrupted. */
	if (g->exact && frame == g->now.sp)
		return true;
	if (!rule->signal)
		return false;
	g->walk->checked = false;
	return true;
}

/* From a function to who called it. */
static HYB_HOT enum step step(struct going *g, const struct hyb_unwind_rule *rule)
{
	uintptr_t frame, at, address;

	if (hyb_unlikely(!rule->known))
		return STEP_CUT;
	if (rule->address_base == HYB_UNWIND_GONE)
		return STEP_OUTERMOST;
	if (hyb_unlikely(rule->signal && HYB_UNWIND_RA == 30))
		return step_signal(g);
	frame = place(g, rule->frame_base, rule->frame, 0);
	if (!frame)
		return STEP_CUT;
	if (hyb_unlikely(rule->stored)) {
		at = frame;
		if (!read_word(g->w, g->own, at, &frame))
			return STEP_CUT;
		depend(g, at, frame);
	}
	if (!moves_on(g, rule, frame))
		return STEP_CUT;
	if (rule->address_base == HYB_UNWIND_SAME) {
		address = g->link;
		at = 0;
		if (!address)
			return STEP_CUT;
	} else {
		at = place(g, rule->address_base, rule->address, frame);
		if (!at || !read_word(g->w, g->own, at, &address))
			return STEP_CUT;
		depend(g, at, address);
	}
	step_pointer(g, rule, frame);
	g->now.pc = rule->is_signed ? bare(address) : address;
	g->now.sp = frame;
	g->stored_at = at;
	g->link = 0;
	g->exact = rule->signal;
	if (hyb_unlikely(rule->signal))
		g->own = hyb_stack_is_own(g->w, frame);
	return g->now.pc ? STEP_ON : STEP_OUTERMOST;
}

static HYB_HOT const struct hyb_stack_rule *rule_here(struct going *g)
{
	return rule_of(g->w, g->now.pc - !g->exact);
}

/* Whether the program's frames begin here; *object is what has to be left out still. */
static HYB_HOT bool begins(const struct going *g, const struct hyb_stack_rule *rule, unsigned int *left, uint32_t *object)
{
	const struct hyb_stack_begin *begin = &g->walk->begin;

	if (begin->address)
		return g->now.pc == begin->address && g->stored_at > begin->above;
	if (rule->object == *object)
		return false;
	*object = rule->object;
	return !(*left)--;
}

/* Leads to the program's innermost frame; false: nobody knows the way. */
static bool lead(struct going *g)
{
	const struct hyb_stack_rule *rule = rule_here(g);
	unsigned int left = g->walk->begin.skip;
	uint32_t object = UINT32_MAX;

	for (unsigned int i = 0; i < LEAD_MOST; i++) {
		if (begins(g, rule, &left, &object))
			return true;
		if (step(g, &rule->rule) != STEP_ON)
			return false;
		rule = rule_here(g);
	}
	return false;
}

static void collect(struct going *g)
{
	struct hyb_stack_walk *walk = g->walk;
	const struct hyb_stack_rule *rule;
	enum step how;

	do {
		rule = rule_here(g);
		walk->frames[walk->count].address = g->now.pc + g->exact;
		walk->frames[walk->count++].object = rule->object;
		how = step(g, &rule->rule);
	} while (how == STEP_ON && walk->count < walk->most);
	walk->end = how == STEP_ON ? HYB_FRAME_ENOUGH : how == STEP_CUT ? HYB_FRAME_CUT : HYB_FRAME_OUTERMOST;
}

void hyb_stack_go(struct hyb_stack_walking *w, struct hyb_stack_walk *walk)
{
	struct going g = {
		.w = w,
		.walk = walk,
		.now = walk->from,
		.fp_known = true,
		.own = hyb_stack_is_own(w, walk->from.sp),
	};

	w->window_size = 0;
	walk->count = 0;
	walk->check_count = 0;
	walk->checked = g.own;
	walk->uses_fp = false;
	walk->end = HYB_FRAME_CUT;
	if (lead(&g))
		collect(&g);
}
