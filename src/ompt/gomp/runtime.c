/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a stub to libgomp. Each function's first call comes here: what it would have reached without us is looked up,
 * recording starts if this is the first call, and the function's entry is filled, so that the next call goes straight
 * on. Only where a library has its libgomp for itself each call comes here. Every step is idempotent; threads that come
 * here at once do the same thing twice, without a lock.
 */
#include "ompt/gomp/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/library.h"
#include "core/sys/log.h"
#include "core/sys/passing.h"
#include "core/sys/stack.h"
#include "core/sys/text.h"
#include "ompt/libgomp.h"

struct hyb_gomp_asked hyb_gomp_ask;
uint32_t hyb_gomp_groups;
void *hyb_gomp_beneath[HYB_GOMP_FUNCTIONS];

struct any {
	uintptr_t ours;	/* where libhybmon.so is: not there */
	char path[PATH_MAX];
};

static int visit_object(struct dl_phdr_info *object, size_t size, void *data)
{
	struct any *d = data;

	(void)size;
	if (object->dlpi_addr != d->ours && strstr(object->dlpi_name, "libgomp"))
		hyb_text_format(d->path, sizeof(d->path), "%s", object->dlpi_name);
	return d->path[0] != 0;
}

static void *find_in(const char *path, const char *name, const char *version)
{
	void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	void *found = handle ? dlvsym(handle, name, version) : NULL;

	if (handle)
		hyb_library_close(handle);
	return found && !hyb_library_has(found) ? found : NULL;
}

/*
 * What a program's call is bound to without us: in the global scope or in that of the library that calls. Who called by
 * a jump is not known; then it is what any library has. *local: another library's call may lead elsewhere, or this one
 * may later, since what it leads to may be unloaded.
 */
static void *find_next(const char *name, const char *version, const void *site, bool *local)
{
	struct any any = { .ours = hyb_library_base() };
	struct link_map *map = NULL;
	void *found = dlvsym(RTLD_NEXT, name, version);
	Dl_info info;

	*local = !found || !hyb_library_stays(found);
	if (!found && dladdr1(site, &info, (void **)&map, RTLD_DL_LINKMAP) && map)
		found = find_in(map->l_name, name, version);
	if (!found && dl_iterate_phdr(visit_object, &any))
		found = find_in(any.path, name, version);
	return found;
}

/* What is not there cannot be called: the dynamic linker has seen to that, but where a reference is weak. */
static long do_nothing(void)
{
	return 0;
}

/* Whether that object is a runtime that calls tools itself. */
static bool calls_tools(const Dl_info *object)
{
	void *handle = dlopen(object->dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	const void *fork = handle ? dlsym(handle, "__kmpc_fork_call") : NULL;
	Dl_info its;

	if (handle)
		hyb_library_close(handle);
	return fork && dladdr(fork, &its) && its.dli_fbase == object->dli_fbase;
}

static bool ask(const void *site)
{
	bool local;
	const struct hyb_gomp_asked a = {
		.thread_num = (int (*)(void))find_next("omp_get_thread_num", "OMP_1.0", site, &local),
		.num_threads = (int (*)(void))find_next("omp_get_num_threads", "OMP_1.0", site, &local),
		.max_threads = (int (*)(void))find_next("omp_get_max_threads", "OMP_1.0", site, &local),
		.cancellation = (int (*)(void))find_next("omp_get_cancellation", "OMP_4.0", site, &local),
		.num_devices = (int (*)(void))find_next("omp_get_num_devices", "OMP_4.0", site, &local),
		.default_device = (int (*)(void))find_next("omp_get_default_device", "OMP_4.0", site, &local),
		.cancellation_point = (bool (*)(int))find_next("GOMP_cancellation_point", "GOMP_4.0", site, &local),
		.schedule = (void (*)(int *, int *))find_next("omp_get_schedule", "OMP_3.0", site, &local),
		.ordered = (void (*)(void))find_next("GOMP_ordered_start", "GOMP_1.0", site, &local),
	};

	if (!a.thread_num || !a.num_threads || !a.max_threads || !a.schedule)
		return false;
	hyb_gomp_ask = a;
	return true;
}

/* What libgomp does without a call, or calls without saying of what. */
static const char missing[] = "loop static, distribute, reduction, masked, flush, task_dependence, the end of single nowait, "
	"scope that has no tasks to reduce, tasks of target nowait, what is done for a device";

static void note_runtime(const char *path)
{
	char text[PATH_MAX + 64];
	size_t n = hyb_text_format(text, sizeof(text), "GCC's libgomp, %s", path);

	hyb_process_note("openmp", text, n);
	hyb_process_note("openmp-missing", missing, strlen(missing));
	hyb_gomp_is_not_it();
	hyb_process_tell_later(HYB_TELL_AT_END);
}

struct call {
	unsigned int number;
	uint32_t turn;	/* hyb_unload_turn from before */
	const void *site;
	void *target;
	int busy;	/* the target is for this call only: -EAGAIN, -EDEADLK of hyb_process_try */
};

/* Whether a libgomp is still where one was. */
static bool is_still_there(const void *base)
{
	Dl_info info;

	return dladdr(base, &info) && info.dli_fbase == base && strstr(info.dli_fname, "libgomp");
}

/*
 * One runtime is recorded, the first that is called, or after it was unloaded the next: each asks its own who a thread is.
 */
static bool is_first(const Dl_info *object)
{
	static const void *first;
	const void *known = __atomic_load_n(&first, __ATOMIC_RELAXED);

	while (known != object->dli_fbase) {
		if (known && is_still_there(known)) {
			hyb_log_once(HYB_LOG_NOTE, "OpenMP of %s is not recorded: the process has another libgomp, "
				     "which is", object->dli_fname);
			return false;
		}
		if (__atomic_compare_exchange_n(&first, &known, object->dli_fbase, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			break;
	}
	return true;
}

/* The order of the run is recorded, or followed. */
static bool is_ordered(void)
{
	return hyb_config.order != HYB_ORDER_WISH_NO || *hyb_config.replay;
}

/* Whether calls of this runtime are recorded, or come in an order. */
static bool is_recorded(struct call *call, const Dl_info *object)
{
	static int noted;
	int begun;

	hyb_config_load();
	if (!hyb_config.enable || !(hyb_config.omp || is_ordered()) || calls_tools(object) || !is_first(object) ||
	    !ask(call->site))
		return false;
	begun = hyb_process_try();
	if (begun < 0)
		call->busy = begun;
	if (begun <= 0)
		return false;
	__atomic_store_n(&hyb_gomp_groups, hyb_config.omp, __ATOMIC_RELAXED);
	if (hyb_config.omp && !__atomic_exchange_n(&noted, 1, __ATOMIC_RELAXED)) {
		note_runtime(object->dli_fname);
	}
	return true;
}

/*
 * Where calls go that libraries make which have a libgomp for themselves, as Python's packages do: by where they return
 * to. What finds no room is looked up each time.
 */
#define SITES 1024
#define TRIES 8

static struct hyb_passing sites[SITES];

static struct hyb_passing *place_of(const void *site, unsigned int i)
{
	return &sites[(HYB_OMP_HASH((uint64_t)(uintptr_t)site) + i) % SITES];
}

static void *find_site(const struct call *call)
{
	void *target = NULL;

	for (unsigned int i = 0; !target && i < TRIES; i++)
		target = hyb_passing_get(place_of(call->site, i), call->turn, call->number, call->site);
	return target;
}

static void keep_site(const struct call *call)
{
	for (unsigned int i = 0; i < TRIES; i++) {
		if (hyb_passing_put(place_of(call->site, i), call->turn, call->number, call->site, call->target))
			return;
	}
}

/* On a stack of our own: the dynamic linker needs more than a call may take. */
static void resolve(void *data)
{
	struct call *call = data;
	const struct hyb_gomp_info *info = &hyb_gomp_infos[call->number];
	bool local;
	void *next = find_next(info->name, info->version, call->site, &local);
	Dl_info object;

	call->busy = 0;
	if (!next) {
		hyb_config_load();
		hyb_log_once(HYB_LOG_ERROR, "%s is called, but no OpenMP runtime that has it is loaded; the call does nothing",
			     info->name);
		call->target = (void *)do_nothing;
		return;
	}
	call->target = next;
	if (dladdr(next, &object) && object.dli_fname && is_recorded(call, &object)) {
		if (info->turn && is_ordered()) {
			__atomic_store_n(&hyb_gomp_beneath[call->number], next, __ATOMIC_RELEASE);
			call->target = next = (void *)info->turn;
		}
		if (hyb_config.omp & info->groups) {
			__atomic_store_n(&hyb_gomp_next[call->number], next, __ATOMIC_RELEASE);
			call->target = (void *)info->wrapper;
		}
	}
	if (call->busy)
		return;
	if (!local)
		__atomic_store_n(&hyb_gomp_entry[call->number], call->target, __ATOMIC_RELEASE);
	else if (!hyb_library_is_late())
		keep_site(call);
}

/*
 * With signals blocked, which hyb_stack_run sees to: a handler that leaves by longjmp would leave the dynamic linker's
 * lock held, for which the next thread waits for ever.
 */
void *hyb_gomp_resolve(unsigned int number, const void *site)
{
	struct call call = {
		.number = number, .site = site, .turn = __atomic_load_n(&hyb_unload_turn, __ATOMIC_ACQUIRE),
	};
	void *known = find_site(&call);
	int saved = errno;

	if (known)
		return known;
	while (hyb_stack_run(resolve, &call), call.busy == -EAGAIN)
		hyb_process_wait();
	errno = saved;
	return call.target;
}
