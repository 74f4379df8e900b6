/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program reads from clocks; see clocks.h. */
#include "pmpi/adapter/order/clocks.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <time.h>

#include "core/config/config.h"
#include "core/sys/sys.h"
#include "pmpi/adapter/order/order.h"
#include "pmpi/adapter/order/replay.h"
#include "pmpi/entry/symbols.h"
#include "core/record/copied.h"

#define SECOND INT64_C(1000000000)

static bool on;
static uint64_t usual_signals;	/* blocked ones when MPI had started */

static uint64_t blocked_signals(void)
{
	uint64_t signals = 0;

	HYB_SYS(rt_sigprocmask, SIG_BLOCK, NULL, &signals, sizeof(signals), 0, 0);
	return signals;
}

/*
 * The calling thread's order if the clock belongs to it. These functions may be called in a handler of a signal, in the
 * middle of an entry. There the signal is blocked, so what is called with other signals blocked than usual does not
 * belong to the order, neither then nor in a replay. Nor does what MPI's calls call of the program's.
 */
static struct hyb_order *mine(void)
{
	struct hyb_order *order = hyb_order_self;

	if (!__atomic_load_n(&on, __ATOMIC_RELAXED) || !order || order->number || order->inside ||
	    order->calls.within != order->calls.unseen || hyb_copied() || blocked_signals() != usual_signals)
		return NULL;
	return order;
}

static uint64_t zigzag(uint64_t number)
{
	return number << 1 ^ (uint64_t)((int64_t)number >> 63);
}

static void put(struct hyb_order *order, uint64_t which, int64_t value)
{
	hyb_order_outcome(order, HYB_ORDER_OTHER, HYB_ORDER_CLOCK);
	hyb_order_number(order, which);
	hyb_order_number(order, zigzag((uint64_t)value - order->clock) + 1);
	order->clock = (uint64_t)value;
}

/* What it was then; false: the recording has no more. */
static bool take(struct hyb_order *order, const char *function, uint64_t which, int64_t *value)
{
	struct hyb_replay *replay = hyb_replay_mine();
	uint64_t number;

	if (!replay || !hyb_replay_take_other(replay, function, HYB_ORDER_CLOCK))
		return false;
	number = hyb_replay_number(replay);
	if (number != which)
		hyb_replay_diverged(function, "another clock was read", "this is clock %llu", which);
	number = hyb_replay_number(replay) - 1;
	order->clock += number >> 1 ^ -(number & 1);
	*value = (int64_t)order->clock;
	return true;
}

/* The value in *value is written down, or becomes that of the recording. Keeps errno. */
static void pass(const char *function, uint64_t which, int64_t *value)
{
	struct hyb_order *order = mine();
	const int saved = errno;

	if (order && order->replays)
		take(order, function, which, value);
	else if (order)
		put(order, which, *value);
	errno = saved;
}

static time_t o_time(time_t *to)
{
	int64_t value = time(NULL);

	pass("time", HYB_ORDER_CLOCK_TIME, &value);
	if (to)
		*to = (time_t)value;
	return (time_t)value;
}

static int o_gettimeofday(struct timeval *to, void *zone)
{
	const int ret = gettimeofday(to, zone);
	int64_t value;

	if (ret || !to)
		return ret;
	value = to->tv_sec * INT64_C(1000000) + to->tv_usec;
	pass("gettimeofday", HYB_ORDER_CLOCK_TIMEOFDAY, &value);
	to->tv_sec = (time_t)(value / 1000000);
	to->tv_usec = (suseconds_t)(value % 1000000);
	return ret;
}

static int o_clock_gettime(clockid_t id, struct timespec *to)
{
	const int ret = clock_gettime(id, to);
	int64_t value;

	if (ret)
		return ret;
	value = to->tv_sec * SECOND + to->tv_nsec;
	pass("clock_gettime", HYB_ORDER_CLOCK_OTHERS + zigzag((uint64_t)(int64_t)id), &value);
	to->tv_sec = (time_t)(value / SECOND);
	to->tv_nsec = (long)(value % SECOND);
	return ret;
}

static clock_t o_clock(void)
{
	int64_t value = clock();

	pass("clock", HYB_ORDER_CLOCK_CPU, &value);
	return (clock_t)value;
}

/* std::chrono's in libstdc++, as C has them. */
typedef int64_t now_fn(void);
static now_fn *system_now, *steady_now;

static int64_t o_system_now(void)
{
	int64_t value = system_now();

	pass("std::chrono::system_clock::now", HYB_ORDER_CLOCK_SYSTEM, &value);
	return value;
}

static int64_t o_steady_now(void)
{
	int64_t value = steady_now();

	pass("std::chrono::steady_clock::now", HYB_ORDER_CLOCK_STEADY, &value);
	return value;
}

#define FUNCTION(name) (uintptr_t)(name)

static const struct {
	const char *symbol;
	uintptr_t function;
	now_fn **next;
} functions[] = {
	{ "time", FUNCTION(o_time), NULL },
	{ "gettimeofday", FUNCTION(o_gettimeofday), NULL },
	{ "clock_gettime", FUNCTION(o_clock_gettime), NULL },
	{ "clock", FUNCTION(o_clock), NULL },
	{ "_ZNSt6chrono3_V212system_clock3nowEv", FUNCTION(o_system_now), &system_now },
	{ "_ZNSt6chrono3_V212steady_clock3nowEv", FUNCTION(o_steady_now), &steady_now },
};

/* What stands for a function in the table of addresses; 0: it is none of these. */
static uintptr_t stands_for(const char *symbol)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (strcmp(functions[i].symbol, symbol) != 0)
			continue;
		return functions[i].next && !*functions[i].next ? 0 : functions[i].function;
	}
	return 0;
}

/* The table may have been made read-only when all of it was known. */
static void store(const struct dl_phdr_info *object, uintptr_t *slot, uintptr_t function)
{
	const uintptr_t size = getauxval(AT_PAGESZ);
	const uintptr_t page = (uintptr_t)slot & -size;
	bool fixed = false;

	/* Whole pages are, from that on where they begin. */
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];
		const uintptr_t begin = object->dlpi_addr + h->p_vaddr;

		fixed |= h->p_type == PT_GNU_RELRO && page >= (begin & -size) && page < ((begin + h->p_memsz) & -size);
	}
	if (fixed && HYB_SYS(mprotect, page, size, PROT_READ | PROT_WRITE, 0, 0, 0))
		return;
	__atomic_store_n(slot, function, __ATOMIC_RELAXED);
	if (fixed)
		HYB_SYS(mprotect, page, size, PROT_READ, 0, 0, 0);
}

#if defined(__x86_64__)
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#define GLOB_DAT R_X86_64_GLOB_DAT
#else
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#define GLOB_DAT R_AARCH64_GLOB_DAT
#endif

static void look_through(const struct dl_phdr_info *object, const struct hyb_symbols *s, const ElfW(Rela) *r,
			 size_t size)
{
	for (const ElfW(Rela) *end = r + size / sizeof(*r); r < end; r++) {
		const ElfW(Sym) *symbol = &s->table[ELF64_R_SYM(r->r_info)];
		uintptr_t function;

		if (ELF64_R_TYPE(r->r_info) != JUMP_SLOT && ELF64_R_TYPE(r->r_info) != GLOB_DAT)
			continue;
		function = symbol->st_shndx == SHN_UNDEF ? stands_for(s->names + symbol->st_name) : 0;
		if (function)
			store(object, (uintptr_t *)(object->dlpi_addr + r->r_offset), function);
	}
}

/* The first object is the program's own file. */
static int visit_program(struct dl_phdr_info *object, size_t size, void *data)
{
	const ElfW(Rela) *jumps = NULL, *others = NULL;
	const ElfW(Dyn) *dynamic = NULL;
	size_t jumps_size = 0, others_size = 0;
	struct hyb_symbols s;

	(void)size;
	(void)data;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
	}
	if (!hyb_symbols_of(object->dlpi_addr, dynamic, &s))
		return 1;
	for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_JMPREL)
			jumps = hyb_symbols_address(object->dlpi_addr, d->d_un.d_ptr);
		else if (d->d_tag == DT_PLTRELSZ)
			jumps_size = d->d_un.d_val;
		else if (d->d_tag == DT_RELA)
			others = hyb_symbols_address(object->dlpi_addr, d->d_un.d_ptr);
		else if (d->d_tag == DT_RELASZ)
			others_size = d->d_un.d_val;
	}
	if (jumps)
		look_through(object, &s, jumps, jumps_size);
	if (others)
		look_through(object, &s, others, others_size);
	return 1;
}

static void lead_here(void)
{
	static int done;

	if (__atomic_exchange_n(&done, 1, __ATOMIC_RELAXED))
		return;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (functions[i].next)
			*functions[i].next = (now_fn *)(uintptr_t)dlsym(RTLD_DEFAULT, functions[i].symbol);
	}
	dl_iterate_phdr(visit_program, NULL);
}

void hyb_clocks_start(void)
{
	const bool replays = *hyb_config.replay != 0;

	if (!hyb_config.order_time || (replays ? !hyb_replay_has_clocks() : hyb_config.order == HYB_ORDER_WISH_NO))
		return;
	/* The main thread's is there from now on. */
	if (HYB_SYS(getpid, 0, 0, 0, 0, 0, 0) == HYB_SYS(gettid, 0, 0, 0, 0, 0, 0))
		hyb_order_mine();
	usual_signals = blocked_signals();
	lead_here();
	__atomic_store_n(&on, true, __ATOMIC_RELEASE);
}

void hyb_clocks_stop(void)
{
	__atomic_store_n(&on, false, __ATOMIC_RELAXED);
}
