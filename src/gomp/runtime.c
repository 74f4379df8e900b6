/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a stub to libgomp. Each function's first call comes here: what it would have reached without us is looked up,
 * recording starts if this is the first call, and the function's entry is filled, so that the next call goes straight
 * on. Every step is idempotent; threads that come here at once do the same thing twice, without a lock.
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

/* What a program's call is bound to without us: in the global scope, or in that of the library that calls. */
static void *find_next(const char *name, const char *version, const void *site)
{
	struct link_map *map = NULL;
	void *found = dlvsym(RTLD_NEXT, name, version);
	void *handle = NULL;
	Dl_info info;

	if (!found && dladdr1(site, &info, (void **)&map, RTLD_DL_LINKMAP) && map)
		handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
	if (handle) {
		found = dlvsym(handle, name, version);
		dlclose(handle);
	}
	return found && !hyb_library_has(found) ? found : NULL;
}

/* What is not there cannot be called: the dynamic linker has seen to that, but where a reference is weak. */
static long do_nothing(void)
{
	return 0;
}

/* Where the object with that code is, its file in `path`; and whether it is a runtime that calls tools itself. */
static bool calls_tools(const void *code, char *path, size_t size)
{
	Dl_info info, other;
	const void *fork;
	void *handle;

	path[0] = 0;
	if (!dladdr(code, &info) || !info.dli_fname)
		return false;
	hyb_text_format(path, size, "%s", info.dli_fname);
	handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return false;
	fork = dlsym(handle, "__kmpc_fork_call");
	dlclose(handle);
	return fork && dladdr(fork, &other) && other.dli_fbase == info.dli_fbase;
}

static bool ask(const void *site)
{
	const struct hyb_gomp_asked a = {
		.thread_num = (int (*)(void))find_next("omp_get_thread_num", "OMP_1.0", site),
		.num_threads = (int (*)(void))find_next("omp_get_num_threads", "OMP_1.0", site),
		.max_threads = (int (*)(void))find_next("omp_get_max_threads", "OMP_1.0", site),
		.cancellation = (int (*)(void))find_next("omp_get_cancellation", "OMP_4.0", site),
		.cancellation_point = (bool (*)(int))find_next("GOMP_cancellation_point", "GOMP_4.0", site),
		.schedule = (void (*)(int *, int *))find_next("omp_get_schedule", "OMP_3.0", site),
	};

	if (!a.thread_num || !a.num_threads || !a.max_threads || !a.schedule)
		return false;
	hyb_gomp_ask = a;
	return true;
}

/* What libgomp does without a call, or calls without saying of what. */
static const char missing[] = "loop static, masked, flush, task_dependence, the ends of single nowait and scope";

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

/* Whether calls of this runtime are recorded. */
static bool is_recorded(struct call *call, const char *path)
{
	static int noted;
	int begun;

	hyb_config_load();
	if (!hyb_config.enable || !hyb_config.omp || !ask(call->site))
		return false;
	begun = hyb_process_try();
	if (begun < 0)
		call->busy = begun;
	if (begun <= 0)
		return false;
	__atomic_store_n(&hyb_gomp_groups, hyb_config.omp, __ATOMIC_RELAXED);
	if (!__atomic_exchange_n(&noted, 1, __ATOMIC_RELAXED)) {
		hyb_gomp_threads_start();
		note_runtime(path);
	}
	return true;
}

/* On a stack of our own: the dynamic linker needs more than a call may take. */
static void resolve(void *data)
{
	struct call *call = data;
	const struct hyb_gomp_info *info = &hyb_gomp_infos[call->number];
	void *next = find_next(info->name, info->version, call->site);
	char path[PATH_MAX];

	call->busy = 0;
	if (!next) {
		hyb_config_load();
		hyb_log_once(HYB_LOG_ERROR, "%s is called, but no OpenMP runtime that has it is loaded; the call does nothing",
			     info->name);
		call->target = (void *)do_nothing;
		return;
	}
	call->target = next;
	if (!calls_tools(next, path, sizeof(path)) && is_recorded(call, path) && hyb_config.omp & info->groups) {
		__atomic_store_n(&hyb_gomp_next[call->number], next, __ATOMIC_RELEASE);
		call->target = (void *)info->wrapper;
	}
	if (!call->busy)
		__atomic_store_n(&hyb_gomp_entry[call->number], call->target, __ATOMIC_RELEASE);
}

/*
 * With signals blocked, which hyb_stack_run sees to: a handler that leaves by longjmp would leave the dynamic linker's
 * lock held, for which the next thread waits for ever.
 */
void *hyb_gomp_resolve(unsigned int number, const void *site)
{
	struct call call = { .number = number, .site = site };
	int saved = errno;

	while (hyb_stack_run(resolve, &call), call.busy == -EAGAIN)
		hyb_process_wait();
	errno = saved;
	return call.target;
}
