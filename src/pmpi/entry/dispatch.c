/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a stub to the MPI in use. Each function's first call comes here: which MPI is in this process is
 * found out, its adapter loaded, and the function's entry filled, so that the next call goes straight on.
 * Every step is idempotent; threads that come here at once do the same thing twice, without a lock.
 */
#include "pmpi/entry/dispatch.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/filter.h"
#include "core/config/library.h"
#include "core/sys/log.h"
#include "core/sys/passing.h"
#include "core/sys/stack.h"
#include "core/sys/text.h"
#include "core/job/job.h"
#include "pmpi/entry/absent.h"
#include "pmpi/entry/bind.h"
#include "pmpi/entry/mpi-library.h"
#include "pmpi/entry/mpi-process.h"
#include "pmpi/entry/namesake.h"
#include "pmpi/entry/shown.h"
#include "pmpi/entry/symbols.h"
#include "pmpi/entry/thread.h"
#include "pmpi/table/function-info.h"
#include "pmpi/table/functions.h"
#include "core/process/process.h"
#include "core/process/unload.h"
#include "core/record/definitions.h"
#include "core/record/nesting.h"
#include "core/outcomes/turns.h"

_Static_assert((int)HYB_MPI_FUNCTIONS <= HYB_REGION_DYNAMIC, "each function has the region of its number");

void *hyb_mpi_beneath[HYB_MPI_ENTRIES];
void *hyb_mpi_after_turns[HYB_MPI_ENTRIES];
void *hyb_mpi_after_calls[HYB_MPI_ENTRIES];

bool hyb_mpi_called;

/* Of functions whose entries stay as they were, since what they lead to may be unloaded. */
static struct hyb_passing passing[HYB_MPI_ENTRIES];

struct call {
	unsigned int number;
	uint32_t turn;	/* hyb_unload_turn from before */
	uint32_t letting;	/* and how often the MPI was let go */
	const void *site;
	void *target;
	int busy;	/* the target is for this call only: -EAGAIN, -EDEADLK of hyb_process_try */
};

/* How often the MPI was let go; then all entries are as at first. */
static uint32_t lettings;

static void reset_entry(unsigned int number)
{
	const int32_t *first = &hyb_mpi_first[number];

	if (*first)
		__atomic_store_n(&hyb_mpi_entry[number], (void *)((uintptr_t)first + (uintptr_t)*first), __ATOMIC_RELEASE);
}

/* The next call goes straight on; or, where what it leads to may be unloaded, it does so until something is. */
static void keep(const struct call *call, const void *next)
{
	__atomic_store_n(&hyb_mpi_called, true, __ATOMIC_RELAXED);
	if (hyb_library_stays(next) || hyb_mpi_library_holds(next)) {
		__atomic_store_n(&hyb_mpi_entry[call->number], call->target, __ATOMIC_SEQ_CST);
		/* Sequentially consistent: either hyb_mpi_let_go comes upon this entry, or it is seen here. */
		if (__atomic_load_n(&lettings, __ATOMIC_SEQ_CST) != call->letting)
			reset_entry(call->number);
	} else if (!hyb_library_is_late())
		hyb_passing_put(&passing[call->number], call->turn, call->number, NULL, call->target);
}

struct definition {
	const char *name;
	uintptr_t ours;	/* where libhybmon.so is: not there */
	void *found;
};

static int visit_definition(struct dl_phdr_info *object, size_t size, void *data)
{
	struct definition *definition = data;

	(void)size;
	if (object->dlpi_addr != definition->ours)
		definition->found = hyb_symbols_in(object, definition->name);
	return definition->found != NULL;
}

/* The first one of any object, whoever it was loaded for. */
static void *find_anywhere(const char *name)
{
	struct definition definition = { .name = name, .ours = hyb_library_base() };

	if (!definition.ours)
		return NULL;
	dl_iterate_phdr(visit_definition, &definition);
	return definition.found;
}

/*
 * The definition that would be called without us: of a tool after us, of MPI in the global scope, of
 * an MPI that was loaded locally, or, for its Fortran libraries, of any object: they depend on MPI's, not the
 * other way round, and an interpreter loads them for one of its extensions alone.
 */
static void *find_next(const char *name, bool fortran)
{
	void *next = dlsym(RTLD_NEXT, name);

	if (!next)
		next = hyb_mpi_library_symbol(name);
	if (!next)
		next = dlsym(RTLD_DEFAULT, name);
	if (next && !hyb_library_has(next))
		return next;
	return fortran ? find_anywhere(name) : NULL;
}

static const struct hyb_adapter *open_adapter(void)
{
	const struct hyb_mpi_library *mpi = hyb_mpi_library();
	const struct hyb_adapter *adapter;
	char path[PATH_MAX];
	char name[64];
	void *handle;

	if (!mpi)
		return NULL;
	if (!mpi->abi) {
		hyb_log_once(HYB_LOG_ERROR, "%s is an MPI that hybmon does not know; nothing is recorded",
			     mpi->path);
		return NULL;
	}
	hyb_text_format(name, sizeof(name), "libhybmon-%s.so", mpi->abi);
	hyb_library_beside(path, sizeof(path), "", name);
	handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	adapter = handle ? dlsym(handle, "hyb_adapter") : NULL;
	if (!adapter) {
		hyb_log_once(HYB_LOG_ERROR, "no adapter for %s: %s; nothing is recorded; build hybmon "
			     "with this MPI's compiler wrapper in --with-mpi", mpi->path,
			     handle ? "not a hybmon adapter" : dlerror());
		return NULL;
	}
	if (adapter->version != HYB_ADAPTER_VERSION || adapter->functions != HYB_MPI_FUNCTIONS ||
	    adapter->entries != HYB_MPI_ENTRIES) {
		hyb_log_once(HYB_LOG_ERROR, "%s is of another version of hybmon; nothing is recorded; "
			     "install both from one build", path);
		return NULL;
	}
	hyb_mpi_bind(adapter, mpi->handle);
	return adapter;
}

/*
 * The adapter for the MPI found, or NULL where there is none or nothing is to be recorded. Threads that
 * come here at once all load it, which is the same as once. To wait for each other could be for ever: a
 * constructor that calls MPI holds the dynamic linker's lock. *busy: why the process has not begun yet, or 0.
 */
static const struct hyb_adapter *get_adapter(int *busy)
{
	static const struct hyb_adapter *known;
	static int tried;
	const struct hyb_adapter *adapter;
	int begun = 0;

	if (hyb_mpi_library_is_over())
		return NULL;
	if (__atomic_load_n(&tried, __ATOMIC_ACQUIRE))
		return __atomic_load_n(&known, __ATOMIC_RELAXED);
	hyb_config_load();
	/* The adapter first: without one, not even a directory is made. */
	adapter = hyb_config.enable ? open_adapter() : NULL;
	if (adapter) {
		hyb_job_has_mpi();
		begun = hyb_process_try();
	}
	*busy = begun < 0 ? begun : 0;
	if (begun < 0)
		return NULL;
	if (!begun)
		adapter = NULL;
	__atomic_store_n(&known, adapter, __ATOMIC_RELAXED);
	if (!__atomic_exchange_n(&tried, 1, __ATOMIC_RELEASE) && adapter)
		hyb_mpi_process_adapter(adapter->abi);
	return adapter;
}

/* A group that the user left out stays so; what is known of communicators must be kept up all the same. */
static bool wants_wrapper(const struct hyb_function_info *info)
{
	const bool out = hyb_filter_leaves_out(&(struct hyb_filtered){ .kind = HYB_FILTER_MPI, .names = { info->name } });

	if (out && info->acts && hyb_config.mpi >> info->group & 1)
		hyb_log_once(HYB_LOG_NOTE, "HYBMON_FILTER leaves out %s, which is recorded all the same, as are others that make, "
			     "free or complete what MPI's other calls use", info->name);
	/* Where only the order is recorded, nobody asks for what is known of handles. */
	if (hyb_config.order == HYB_ORDER_WISH_ONLY)
		return info->acts && (info->group == HYB_GROUP_ENV || info->group == HYB_GROUP_SESSION);
	return info->acts || (hyb_config.mpi >> info->group & 1 && !out);
}

/* An MPI has one or more of a flavour's symbols, which all mean the same function. */
static void *find_spelling(const char *spellings)
{
	void *next = NULL;

	for (; *spellings && !next; spellings += strlen(spellings) + 1)
		next = find_next(spellings, true);
	return next;
}

/* The adapter's wrapper for a number, or NULL. */
static void *wrapper_of(const struct hyb_adapter *adapter, unsigned int number)
{
	return number < HYB_MPI_FUNCTIONS ? adapter->wrappers[number] :
					    adapter->fortran[number - HYB_MPI_FUNCTIONS];
}

/* What only a replay does otherwise than the MPI. */
static bool is_for_replays(unsigned int function)
{
	return function == HYB_F_MPI_Isend || function == HYB_F_MPI_Isend_c || function == HYB_F_MPI_Finalize;
}

/* The adapter's function for the order of the run, which is to be called instead of `next`; or that itself. */
static void *order_before(const struct hyb_adapter *adapter, unsigned int number, unsigned int function, void *next)
{
	if (function == HYB_F_MPI_Wtime && !hyb_config.order_time)
		return next;
	if (hyb_config.order == HYB_ORDER_WISH_NO && !*hyb_config.replay)
		return next;
	if (hyb_turns_on && adapter->turns[number]) {
		__atomic_store_n(&hyb_mpi_after_turns[number], next, __ATOMIC_RELEASE);
		next = adapter->turns[number];
	}
	if (!adapter->order[number] || (!*hyb_config.replay && is_for_replays(function)))
		return next;
	__atomic_store_n(&hyb_mpi_beneath[number], next, __ATOMIC_RELEASE);
	return adapter->order[number];
}

/* The same of the adapter's function that looks at which call is made. */
static void *calls_before(const struct hyb_adapter *adapter, unsigned int number, void *next)
{
	const bool wanted = hyb_config.order != HYB_ORDER_WISH_NO || *hyb_config.replay || hyb_config.noise;

	if (!wanted || !adapter->calls[number])
		return next;
	__atomic_store_n(&hyb_mpi_after_calls[number], next, __ATOMIC_RELEASE);
	return adapter->calls[number];
}

/* C's function and Fortran's flavours of it are one region, defined before the first of them is recorded. */
static void define_region(unsigned int function)
{
	static char defined[HYB_MPI_FUNCTIONS];
	const struct hyb_function_info *info = &hyb_functions[function];

	if (__atomic_load_n(&defined[function], __ATOMIC_ACQUIRE))
		return;
	hyb_def_region(function, info->role, HYB_PARADIGM_MPI, info->coll, info->name);
	__atomic_store_n(&defined[function], 1, __ATOMIC_RELEASE);
}

/*
 * A program without MPI that has functions of such names: one of the libraries that stand in for MPI where there is one
 * process only, or a namesake.
 */
static void *resolve_without(struct call *call, const struct hyb_fortran_info *fortran, unsigned int function)
{
	char names[64];
	const char *spellings = fortran ? fortran->spellings : names;
	void *next = NULL;

	memset(names, 0, sizeof(names));
	hyb_text_format(names, sizeof(names) - 1, "%s", hyb_functions[function].name);
	for (const char *name = spellings; *name && !next; name += strlen(name) + 1)
		next = dlsym(RTLD_NEXT, name);
	if (next) {
		call->target = next;
		keep(call, next);
		return next;
	}
	next = hyb_namesake_find(spellings, call->site);
	if (next)
		return next;
	return fortran ? hyb_mpi_absent_fortran(function) : hyb_mpi_absent(function);
}

/* Whether everybody sees a definition after ours, so that it is what any call means. */
static bool is_seen(const char *spellings)
{
	for (; *spellings; spellings += strlen(spellings) + 1) {
		if (dlsym(RTLD_NEXT, spellings))
			return true;
	}
	return false;
}

static bool begins_mpi(unsigned int function)
{
	return function == HYB_F_MPI_Init || function == HYB_F_MPI_Init_thread || function == HYB_F_MPI_Session_init;
}

/* Nobody would know otherwise why it is missing. */
static void say_why_not(unsigned int function)
{
	if (!begins_mpi(function))
		return;
	if (hyb_mpi_library_is_over())
		hyb_log_once(HYB_LOG_WARNING, "this program unloaded its MPI after MPI_Finalize and loaded one again, whose "
			     "calls are not recorded");
	if (hyb_config.enable && hyb_process_is_copy())
		hyb_log_once(HYB_LOG_WARNING, "this process was made by fork from one that is recorded, and begins MPI by itself: "
			     "it is not recorded; let it execute a program for that");
}

/* On a stack of our own: the dynamic linker needs more than a call may take. */
static void resolve(void *data)
{
	struct call *call = data;
	unsigned int number = call->number;
	const struct hyb_fortran_info *fortran =
		number > HYB_MPI_FUNCTIONS ? &hyb_fortran[number - HYB_MPI_FUNCTIONS] : NULL;
	unsigned int function = fortran ? fortran->function : number;
	const struct hyb_adapter *adapter;
	void *next = NULL;
	void *other;

	call->busy = 0;
	if (hyb_mpi_library_find())
		next = fortran ? find_spelling(fortran->spellings) : find_next(hyb_functions[function].name, false);
	if (!next) {
		call->target = resolve_without(call, fortran, function);
		return;
	}
	/* Nobody else has names such as those of mpi_f08. */
	if (fortran && !strstr(fortran->spellings, "_f08")) {
		other = NULL;
		if (!hyb_namesake_has_mpi(fortran->spellings))
			other = next;
		else if (!is_seen(fortran->spellings))
			other = hyb_namesake_find(fortran->spellings, call->site);
		if (other) {
			call->target = other;
			return;
		}
	}
	adapter = get_adapter(&call->busy);
	say_why_not(function);
	call->target = next;
	if (call->busy)
		return;
	if (adapter)
		hyb_shown_late();
	/* A second MPI's function must not get the first one's wrapper; a tool's may have it. */
	if (adapter && !hyb_mpi_library_is_other(next)) {
		hyb_nesting_called(next);
		call->target = calls_before(adapter, number, order_before(adapter, number, function, next));
		if (wrapper_of(adapter, number) && wants_wrapper(&hyb_functions[function])) {
			define_region(function);
			hyb_nesting_wrappers(wrapper_of(adapter, number));
			__atomic_store_n(&hyb_mpi_next[number], call->target, __ATOMIC_RELEASE);
			call->target = wrapper_of(adapter, number);
		}
	}
	keep(call, next);
}

/*
 * With signals blocked, which hyb_stack_run sees to: a handler that leaves by longjmp would leave the dynamic linker's
 * lock held, for which the next thread waits for ever.
 */
void *hyb_mpi_resolve(unsigned int number, const void *site)
{
	struct call call = {
		.number = number, .site = site, .turn = __atomic_load_n(&hyb_unload_turn, __ATOMIC_ACQUIRE),
		.letting = __atomic_load_n(&lettings, __ATOMIC_SEQ_CST),
	};
	void *known = hyb_passing_get(&passing[number], call.turn, number, NULL);
	int saved = errno;

	if (known)
		return known;
	while (hyb_stack_run(resolve, &call), call.busy == -EAGAIN)
		hyb_process_wait();
	errno = saved;
	return call.target;
}

static void let_go(void *nothing)
{
	(void)nothing;
	if (!hyb_mpi_library_let_go())
		return;
	/* Sequentially consistent: see keep. */
	__atomic_fetch_add(&lettings, 1, __ATOMIC_SEQ_CST);
	for (unsigned int i = 0; i < HYB_MPI_ENTRIES; i++)
		reset_entry(i);
}

static void take(void *nothing)
{
	(void)nothing;
	/* What was passed on without an entry meanwhile gets one. */
	if (hyb_mpi_library_take())
		hyb_library_raise_turn();
}

/* Both as hyb_mpi_resolve. */
void hyb_mpi_let_go(void)
{
	int saved = errno;

	hyb_stack_run(let_go, NULL);
	errno = saved;
}

void hyb_mpi_take(void)
{
	int saved = errno;

	hyb_stack_run(take, NULL);
	errno = saved;
}

/*
 * Linked after the MPI instead of before it, hybmon is never called. Tools that stand before it are no
 * mistake: what they hand on comes here.
 */
static void check_order(void)
{
	const void *init = dlsym(RTLD_DEFAULT, "MPI_Init");
	Dl_info info;

	if (!init || hyb_library_has(init) || !dladdr(init, &info) || !info.dli_fname ||
	    !hyb_mpi_library_is_mpi(info.dli_fname))
		return;
	hyb_config_load();
	if (hyb_config.enable)
		hyb_log(HYB_LOG_WARNING, "this program was linked with %s before hybmon, so nothing is "
			"recorded; put -lhybmon before the MPI library, or preload it", info.dli_fname);
}

void hyb_mpi_load(void)
{
	hyb_poll_start();
	hyb_unload_also(hyb_mpi_library_goes);
	hyb_shown_start();
	check_order();
}
