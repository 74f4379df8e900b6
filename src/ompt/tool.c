/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The OMPT tool: where an OpenMP runtime finds us, and which callbacks it gets. A runtime looks for ompt_start_tool
 * among the program's symbols, where it is when the library is preloaded or linked, and in the libraries that
 * OMP_TOOL_LIBRARIES names.
 */
#include "ompt/callbacks.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/library.h"
#include "core/sys/log.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "core/job/job.h"
#include "ompt/libgomp.h"

struct callback {
	int event;
	enum hyb_omp_group group;
	const char *name;
	ompt_callback_t function;
	int older_event;		/* for runtimes that do not have it, 0: none */
	ompt_callback_t older;
};

#define CALLBACK(event, group, function) \
	{ ompt_callback_##event, HYB_OMP_GROUP_##group, #event, (ompt_callback_t)(function), 0, NULL }
/* The ones of OpenMP 5.1, and those that they took the place of. */
#define CALLBACK_EMI(event, function, older) \
	{ ompt_callback_##event##_emi, HYB_OMP_GROUP_TARGET, #event "_emi", (ompt_callback_t)(function), \
	  ompt_callback_##event, (ompt_callback_t)(older) }

static const struct callback callbacks[] = {
	CALLBACK(thread_begin, ANY, hyb_omp_thread_begin),
	CALLBACK(thread_end, ANY, hyb_omp_thread_end),
	CALLBACK(parallel_begin, PARALLEL, hyb_omp_parallel_begin),
	CALLBACK(parallel_end, PARALLEL, hyb_omp_parallel_end),
	CALLBACK(implicit_task, PARALLEL, hyb_omp_implicit_task),
	CALLBACK(work, WORK, hyb_omp_work),
	CALLBACK(sync_region, SYNC, hyb_omp_sync),
	CALLBACK(reduction, SYNC, hyb_omp_reduction),
	CALLBACK(sync_region_wait, WAIT, hyb_omp_sync_wait),
	CALLBACK(mutex_acquire, MUTEX, hyb_omp_mutex_acquire),
	CALLBACK(mutex_acquired, MUTEX, hyb_omp_mutex_acquired),
	CALLBACK(mutex_released, MUTEX, hyb_omp_mutex_released),
	CALLBACK(nest_lock, MUTEX, hyb_omp_nest_lock),
	CALLBACK(masked, MASKED, hyb_omp_masked),
	CALLBACK(task_create, TASK, hyb_omp_task_create),
	CALLBACK(task_schedule, TASK, hyb_omp_task_schedule),
	CALLBACK(task_dependence, DEPEND, hyb_omp_task_dependence),
	CALLBACK(dependences, DEPEND, hyb_omp_dependences),
	CALLBACK(dispatch, DISPATCH, hyb_omp_dispatch),
	CALLBACK(flush, FLUSH, hyb_omp_flush),
	CALLBACK(cancel, CANCEL, hyb_omp_cancel),
	CALLBACK_EMI(target, hyb_omp_target_emi, hyb_omp_target),
	CALLBACK_EMI(target_data_op, hyb_omp_data_op_emi, hyb_omp_data_op),
	CALLBACK_EMI(target_submit, hyb_omp_submit_emi, hyb_omp_submit),
	CALLBACK(control_tool, ANY, hyb_omp_control_tool),
	CALLBACK(error, ERROR, hyb_omp_error),
};

#define CALLBACKS (sizeof(callbacks) / sizeof(callbacks[0]))

/* OMPT's entry. NULL: no tool here, so that the runtime looks on, or does without. */
HYB_EXPORT ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version);

static char runtime[128];
static bool runtime_stays;	/* as long as the process does */
static int exiting;

static bool is_wanted(const struct callback *c)
{
	return c->group == HYB_OMP_GROUP_ANY || hyb_config.omp >> c->group & 1;
}

static bool missing[CALLBACKS];
static bool targets_named;

static int visit_object(struct dl_phdr_info *object, size_t size, void *data)
{
	(void)size;
	(void)data;
	return object->dlpi_name && strstr(object->dlpi_name, "/libomptarget") != NULL;
}

/* Whether something in this process was translated for devices: only that brings the library of target constructs. */
static bool has_targets(void)
{
	uint64_t signals;
	bool found;

	/* A handler that left this by longjmp would leave the dynamic linker's lock held. */
	hyb_sys_block_signals(&signals);
	found = dlsym(RTLD_DEFAULT, "__tgt_register_lib") || dl_iterate_phdr(visit_object, NULL);
	hyb_sys_restore_signals(&signals);
	return found;
}

/* The missing callbacks, those of target constructs and the others; the length of what is written. */
static size_t list_missing(char *names, size_t size, bool targets, bool others)
{
	size_t n = 0;

	names[0] = 0;
	for (size_t i = 0; i < CALLBACKS; i++) {
		if (missing[i] && (callbacks[i].group == HYB_OMP_GROUP_TARGET ? targets : others))
			n += hyb_text_format(names + n, size - n, "%s%s", n ? ", " : "", callbacks[i].name);
	}
	return n;
}

/* What this runtime does not tell of is said once in a job, where it matters; the rest is recorded. */
static void name_missing(bool targets, bool others)
{
	char names[512];

	if (list_missing(names, sizeof(names), targets, others) && hyb_process_speaks())
		hyb_log(HYB_LOG_NOTE, "%s has no callback for %s: that is not recorded", runtime, names);
}

/* False: the runtime will never call it. */
static bool try_to_set(ompt_set_callback_t set, int event, ompt_callback_t function)
{
	int result = set(event, function);

	return result != ompt_set_error && result != ompt_set_never && result != ompt_set_impossible;
}

static bool set_callback(ompt_set_callback_t set, const struct callback *c)
{
	return try_to_set(set, c->event, c->function) ||
	       (c->older && try_to_set(set, c->older_event, c->older));
}

/* LLVM's runtimes, which die of it; error.c. */
static bool is_dangerous(const struct callback *c)
{
	return c->event == ompt_callback_error && strstr(runtime, " OMP version: ");
}

/* Those of groups that are wanted. */
static void set_callbacks(ompt_set_callback_t set)
{
	for (size_t i = 0; i < CALLBACKS; i++) {
		struct callback c = callbacks[i];

		if (!is_wanted(&c))
			continue;
		if (is_dangerous(&c)) {
			__atomic_store_n(&hyb_omp_errors_called, true, __ATOMIC_RELAXED);
			continue;
		}
		if (c.event == ompt_callback_sync_region && hyb_config.omp >> HYB_OMP_GROUP_WAIT & 1)
			c.function = (ompt_callback_t)hyb_omp_sync_waited;
		missing[i] = !set_callback(set, &c);
	}
}

static bool is_ours(const char *path, size_t length)
{
	static const char name[] = "libhybmon.so";
	const char *base = memrchr(path, '/', length);

	base = base ? base + 1 : path;
	return (size_t)(path + length - base) >= strlen(name) && !strncmp(base, name, strlen(name));
}

/*
 * A runtime takes one tool: the first ompt_start_tool in the program's scope, which is ours where the library is
 * preloaded or linked, before those of OMP_TOOL_LIBRARIES, in their order. Who has named another one there is to know
 * that it is not called; one before us in that list was asked and did not want to be the tool.
 */
static void name_displaced(void)
{
	bool asked = dlsym(RTLD_DEFAULT, "ompt_start_tool") != (void *)(uintptr_t)ompt_start_tool;
	const char *p = hyb_job_env("OMP_TOOL_LIBRARIES");

	for (size_t n; p && *p; p += n + (p[n] == ':')) {
		n = strcspn(p, ":");
		if (is_ours(p, n))
			asked = false;
		else if (n && !asked)
			break;
	}
	if (p && *p && hyb_process_speaks())
		hyb_log(HYB_LOG_NOTE, "the OpenMP tool in OMP_TOOL_LIBRARIES, %s, is not called: a runtime takes one tool, "
			"which is hybmon; HYBMON_OMP=none leaves OpenMP to the other", p);
}

static void note_runtime(const char *missing_names)
{
	if (!hyb_process_is_recording())
		return;
	hyb_process_note("openmp", runtime, strlen(runtime));
	if (missing_names[0])
		hyb_process_note("openmp-missing", missing_names, strlen(missing_names));
	hyb_gomp_is_not_it();
	hyb_process_tell_later(HYB_TELL_AT_END);
}

static void note_exit(void)
{
	__atomic_store_n(&exiting, 1, __ATOMIC_RELAXED);
}

/*
 * A hard pause (omp_pause_resource_all) ends the tool in the middle of the program, and LLVM's runtimes do not start it
 * again. A runtime that came by dlopen may end for having been unloaded, which leaves nothing to be recorded.
 */
static void name_pause(void)
{
	if (!runtime_stays || __atomic_load_n(&exiting, __ATOMIC_RELAXED) || !hyb_process_is_recording())
		return;
	hyb_process_note("openmp-paused", runtime, strlen(runtime));
	if (hyb_process_speaks())
		hyb_log(HYB_LOG_WARNING, "the program has paused OpenMP (omp_pause_hard), with which %s ends tools: its OpenMP "
			"is not recorded from here on", runtime);
}

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool)
{
	ompt_set_callback_t set;
	char names[512];
	int saved = errno;

	(void)initial_device;
	(void)tool;
	set = (ompt_set_callback_t)lookup("ompt_set_callback");
	if (!set || !hyb_process_start()) {
		errno = saved;
		return 0;
	}
	/* Runs before the runtime's own end, which came first. */
	atexit(note_exit);
	runtime_stays = hyb_library_stays((const void *)(uintptr_t)lookup);
	name_displaced();
	hyb_omp_wait_start();
	set_callbacks(set);
	targets_named = has_targets();
	name_missing(targets_named, true);
	list_missing(names, sizeof(names), true, true);
	note_runtime(names);
	errno = saved;
	return 1;
}

/*
 * Threads may go on; what is there is there. What was loaded since the runtime started may have had target constructs.
 */
static void finalize(ompt_data_t *tool)
{
	int saved = errno;

	(void)tool;
	if (!targets_named && hyb_process_state() != HYB_PROCESS_OFF && has_targets())
		name_missing(true, false);
	name_pause();
	errno = saved;
}

HYB_EXPORT ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version)
{
	static ompt_start_tool_result_t result = { .initialize = initialize, .finalize = finalize };
	int saved = errno;
	bool wanted;

	__atomic_store_n(&hyb_omp_asked, true, __ATOMIC_RELAXED);
	hyb_config_load();
	wanted = hyb_config.enable && hyb_config.omp && hyb_process_state() <= HYB_PROCESS_RECORDING;
	/* Where nothing can be recorded, another tool is not to wait in vain. */
	if (wanted && hyb_job_env("OMP_TOOL_LIBRARIES"))
		wanted = hyb_process_start();
	hyb_text_format(runtime, sizeof(runtime), "%s, OpenMP %u",
			runtime_version ? runtime_version : "unknown runtime", omp_version);
	errno = saved;
	return wanted ? &result : NULL;
}
