/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that were compiled with -finstrument-functions: the compiler calls these with a function's address. Each
 * function is a region, whose name the merge finds out from the address, as of OpenMP's constructs.
 */
#include <dlfcn.h>
#include <stddef.h>

#include "core/config/filter.h"
#include "core/sys/memory.h"
#include "core/sys/stack.h"
#include "core/record/definitions.h"
#include "core/record/objects.h"
#include "core/sys/intern.h"
#include "core/user/symbol.h"
#include "core/user/user.h"

HYB_EXPORT void __cyg_profile_func_enter(void *function, void *site);
HYB_EXPORT void __cyg_profile_func_exit(void *function, void *site);

/*
 * Another tool's functions of these names, behind us; NULL: there are none, for libc's own do nothing. At first what
 * finds them, at the first call.
 */
typedef void visit_fn(void *function, void *site);

static void find_next_enter(void *function, void *site);
static void find_next_exit(void *function, void *site);
static visit_fn *next_enter = find_next_enter;
static visit_fn *next_exit = find_next_exit;

static void find_next(void *unused)
{
	const void *in_libc = dlsym(RTLD_NEXT, "gnu_get_libc_version");
	void *enter = dlsym(RTLD_NEXT, "__cyg_profile_func_enter");
	void *leave = dlsym(RTLD_NEXT, "__cyg_profile_func_exit");
	Dl_info libc, found;

	(void)unused;
	if (!enter || !leave || !in_libc || !dladdr(in_libc, &libc) || !dladdr(enter, &found) ||
	    found.dli_fbase == libc.dli_fbase)
		enter = leave = NULL;
	__atomic_store_n(&next_enter, (visit_fn *)enter, __ATOMIC_RELAXED);
	__atomic_store_n(&next_exit, (visit_fn *)leave, __ATOMIC_RELAXED);
}

/* On a stack of ours: the dynamic linker needs more than a function may have. */
static HYB_COLD void find_next_enter(void *function, void *site)
{
	visit_fn *next;

	hyb_stack_run(find_next, NULL);
	next = __atomic_load_n(&next_enter, __ATOMIC_RELAXED);
	if (next)
		next(function, site);
}

static HYB_COLD void find_next_exit(void *function, void *site)
{
	visit_fn *next;

	hyb_stack_run(find_next, NULL);
	next = __atomic_load_n(&next_exit, __ATOMIC_RELAXED);
	if (next)
		next(function, site);
}

static HYB_HOT void pass_on(visit_fn **next, void *function, void *site)
{
	visit_fn *visit = __atomic_load_n(next, __ATOMIC_RELAXED);

	if (hyb_unlikely(visit != NULL))
		visit(function, site);
}

/*
 * In front of the table: functions whose region fits 16 bits, below their address; 0: it is left out. Each is one
 * word, so that threads may put others there meanwhile. Not in each thread: that would be on its stack.
 */
#define KNOWN 4096	/* a power of two */

static uint64_t known[KNOWN];
static uint32_t known_turn;	/* hyb_objects_turn, in which they hold */

/*
 * By address and object: a library may be loaded where another one was. The hash has all of both, of the object's number
 * the last 16 bits.
 */
static struct hyb_intern functions;

/* Never two alike. */
static HYB_HOT uint64_t hash_of(uint64_t function)
{
	return function * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t hash_in(uint64_t function, uint32_t object)
{
	return hash_of(function ^ (uint64_t)object << 48);
}

static HYB_HOT uint64_t *place_of(uint64_t function)
{
	return &known[hash_of(function) >> 32 & (KNOWN - 1)];
}

static bool same_function(const struct hyb_interned *entry, const void *key)
{
	(void)entry;
	(void)key;
	return true;
}

/* What a rule could mean. */
static void look_up(uint64_t function, struct hyb_filtered *what)
{
	what->kind = HYB_FILTER_FUNCTION;
	what->file = hyb_object_path(function);
	hyb_user_symbols(function, what->names, sizeof(what->names) / sizeof(what->names[0]));
}

/* A region for it, HYB_USER_LEFT_OUT, or one with HYB_USER_BRIEF_ID. */
static uint32_t new_region(uint64_t function, uint32_t object)
{
	struct hyb_filtered what = { .kind = HYB_FILTER_FUNCTION };
	const bool asks = hyb_filter_has(HYB_FILTER_FUNCTION);
	uint32_t id;

	if (asks)
		look_up(function, &what);
	if (asks && hyb_filter_leaves_out(&what))
		return HYB_USER_LEFT_OUT;
	id = hyb_user_region_id();
	hyb_def_region(id, HYB_ROLE_FUNCTION, HYB_PARADIGM_USER, HYB_COLL_NONE, "");
	/* As of all places: the address behind what is meant. */
	hyb_def_place(id, function + 1, object);
	return hyb_user_brief_id(id, asks ? hyb_filter_shortest(&what) : 0);
}

static struct hyb_interned *make_function(const void *key)
{
	const uint64_t function = *(const uint64_t *)key;
	struct hyb_interned *made = hyb_alloc(sizeof(*made));

	if (made)
		made->id = new_region(function, hyb_object_now(function));
	return made;
}

/* Nothing in front is known any more. */
static HYB_COLD void forget(uint32_t turn)
{
	for (size_t i = 0; i < KNOWN; i++)
		__atomic_store_n(&known[i], 0, __ATOMIC_RELAXED);
	/* Release: pairs with the load in keep_up. */
	__atomic_store_n(&known_turn, turn, __ATOMIC_RELEASE);
}

/* What is in front is of the libraries that are there now. */
static HYB_HOT void keep_up(void)
{
	const uint32_t turn = __atomic_load_n(&hyb_objects_turn, __ATOMIC_RELAXED);

	if (hyb_unlikely(__atomic_load_n(&known_turn, __ATOMIC_ACQUIRE) != turn))
		forget(turn);
}

struct key {
	uint64_t function;
	uint64_t hash;
	uint32_t region;
};

static void get(void *key)
{
	struct key *k = key;
	const struct hyb_interned *found =
		hyb_intern_get(&functions, k->hash, same_function, make_function, &k->function);

	k->region = found ? found->id : 0;
}

/* One that is not in front; 0: the process is not recorded, or there is no memory. */
static HYB_COLD uint32_t find_region(uint64_t function)
{
	struct key key = { .function = function };
	const struct hyb_interned *found;

	if (!hyb_user_starts())
		return 0;
	key.hash = hash_in(function, hyb_object_kind(function));
	found = hyb_intern_find(&functions, key.hash, same_function, NULL);
	if (found)
		key.region = found->id;
	else
		hyb_stack_run(get, &key);
	/* Whoever sees it there has it defined before: pairs with the load in __cyg_profile_func_enter. */
	if (key.region == HYB_USER_LEFT_OUT)
		__atomic_store_n(place_of(function), function << 16, __ATOMIC_RELEASE);
	else if (key.region && key.region <= HYB_ID_MASK)
		__atomic_store_n(place_of(function), function << 16 | key.region, __ATOMIC_RELEASE);
	return key.region;
}

static HYB_COLD void enter_slowly(uint64_t function)
{
	uint32_t region;

	if (!hyb_user_starts())
		return;
	region = find_region(function);
	if (!region || region == HYB_USER_LEFT_OUT)
		return;
	if (hyb_user_is_off(HYB_USER_FUNCTION))
		hyb_user_push_silent(function, region);
	else if (region & HYB_USER_BRIEF_ID)
		hyb_user_enter_brief(function, region);
	else
		hyb_user_enter(function, region);
}

void __cyg_profile_func_enter(void *function, void *site)
{
	uint64_t what = (uint64_t)(uintptr_t)function;
	uint64_t place;
	uint32_t region;

	pass_on(&next_enter, function, site);
	keep_up();
	place = __atomic_load_n(place_of(what), __ATOMIC_ACQUIRE);
	if (place == what << 16)
		return;
	if (hyb_unlikely(hyb_user_is_off(HYB_USER_FUNCTION))) {
		enter_slowly(what);
		return;
	}
	region = hyb_likely(place >> 16 == what) ? place & HYB_ID_MASK : find_region(what);
	if (hyb_unlikely(region - 1 >= HYB_USER_BRIEF_ID - 1)) {
		if (region && region != HYB_USER_LEFT_OUT)
			hyb_user_enter_brief(what, region);
		return;
	}
	hyb_user_enter(what, region);
}

void __cyg_profile_func_exit(void *function, void *site)
{
	struct hyb_user_thread *u = &hyb_user_self;
	uint64_t what = (uint64_t)(uintptr_t)function;

	pass_on(&next_exit, function, site);
	if (__atomic_load_n(place_of(what), __ATOMIC_RELAXED) == what << 16)
		return;
	/* What is not on the stack was begun before recording, or is left out. */
	if (hyb_unlikely(u->top == u->base) ||
	    (hyb_unlikely((u->top - 1)->what != what) && !hyb_user_find(u, what)))
		return;
	hyb_user_leave(what, 0, HYB_USER_FUNCTION);
}
