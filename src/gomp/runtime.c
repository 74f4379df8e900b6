/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a stub to libgomp. Each function's first call comes here: what it would have reached without us is looked up,
 * recording starts if this is the first call, and the function's entry is filled, so that the next call goes straight
 * on. Only where a library has its libgomp for itself each call comes here. Every step is idempotent; threads that come
 * here at once do the same thing twice, without a lock.
 */
#include "gomp/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#include "base/config.h"
#include "base/library.h"
#include "base/log.h"
#include "base/stack.h"
#include "base/text.h"
#include "ompt/gomp.h"

struct hyb_gomp_asked hyb_gomp_ask;
uint32_t hyb_gomp_groups;
void *hyb_gomp_beneath[HYB_GOMP_FUNCTIONS];

struct any {
	uintptr_t ours;	/* where libhybmon.so is: not there */
	const char *path;
};

static int visit_object(struct dl_phdr_info *object, size_t size, void *data)
{
	struct any *d = data;

	(void)size;
	if (object->dlpi_addr != d->ours && strstr(object->dlpi_name, "libgomp"))
		d->path = object->dlpi_name;
	return d->path != NULL;
}

static void *find_in(const char *path, const char *name, const char *version)
{
	void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	void *found = handle ? dlvsym(handle, name, version) : NULL;

	if (handle)
		dlclose(handle);
	return found && !hyb_library_has(found) ? found : NULL;
}

/*
 * What a program's call is bound to without us: in the global scope, or, where *local is set, in that of the library
 * that calls. Who called by a jump is not known; then it is what any library has.
 */
static void *find_next(const char *name, const char *version, const void *site, bool *local)
{
	struct any any = { .ours = hyb_library_base() };
	struct link_map *map = NULL;
	void *found = dlvsym(RTLD_NEXT, name, version);
	Dl_info info;

	*local = !found;
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
		dlclose(handle);
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
	const void *site;
	void *target;
	int busy;	/* the target is for this call only: -EAGAIN, -EDEADLK of hyb_process_try */
};

/* One runtime is recorded, the first that is called: each asks its own who a thread is. */
static bool is_first(const Dl_info *object)
{
	static const void *first;
	const void *none = NULL;

	if (__atomic_compare_exchange_n(&first, &none, object->dli_fbase, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
	    none == object->dli_fbase)
		return true;
	hyb_log_once(HYB_LOG_NOTE, "OpenMP of %s is not recorded: the process has another libgomp, which is", object->dli_fname);
	return false;
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
		hyb_gomp_threads_start();
		note_runtime(object->dli_fname);
	}
	return true;
}

/*
 * Where calls go that libraries make which have a libgomp for themselves, as Python's packages do: by where they return
 * to. Entries are written once. What finds no room is looked up each time.
 */
#define SITES 1024
#define TRIES 8

static struct site {
	const void *site;	/* NULL: free; release, with the rest written before */
	void *target;
	unsigned int number;
	int taken;
} sites[SITES];

static struct site *place_of(const void *site, unsigned int i)
{
	return &sites[(HYB_OMP_HASH((uint64_t)(uintptr_t)site) + i) % SITES];
}

static void *find_site(unsigned int number, const void *site)
{
	for (unsigned int i = 0; i < TRIES; i++) {
		const struct site *s = place_of(site, i);

		/* acquire pairs with the release in keep_site */
		if (__atomic_load_n(&s->site, __ATOMIC_ACQUIRE) == site && s->number == number)
			return s->target;
	}
	return NULL;
}

static void keep_site(unsigned int number, const void *site, void *target)
{
	for (unsigned int i = 0; i < TRIES; i++) {
		struct site *s = place_of(site, i);

		if (__atomic_exchange_n(&s->taken, 1, __ATOMIC_RELAXED))
			continue;
		s->number = number;
		s->target = target;
		__atomic_store_n(&s->site, site, __ATOMIC_RELEASE);
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
	if (local)
		keep_site(call->number, call->site, call->target);
	else
		__atomic_store_n(&hyb_gomp_entry[call->number], call->target, __ATOMIC_RELEASE);
}

/*
 * With signals blocked, which hyb_stack_run sees to: a handler that leaves by longjmp would leave the dynamic linker's
 * lock held, for which the next thread waits for ever.
 */
void *hyb_gomp_resolve(unsigned int number, const void *site)
{
	struct call call = { .number = number, .site = site };
	void *known = find_site(number, site);
	int saved = errno;

	if (known)
		return known;
	while (hyb_stack_run(resolve, &call), call.busy == -EAGAIN)
		hyb_process_wait();
	errno = saved;
	return call.target;
}
