/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The OMPT tool: where an OpenMP runtime finds us, and which callbacks it gets. A runtime looks for ompt_start_tool
 * among the program's symbols, where it is when the library is preloaded or linked, and in the libraries that
 * OMP_TOOL_LIBRARIES names.
 */
#include "ompt/callbacks.h"

#include <errno.h>
#include <string.h>

#include "core/config.h"
#include "core/log.h"
#include "core/text.h"

/* HYBMON_OMP's words, in the order of config.tbl.h */
enum group {
	PARALLEL, WORK, SYNC, WAIT, MUTEX, MASKED, TASK, DEPEND, DISPATCH, FLUSH, CANCEL, GROUPS,
	ANY = 31,		/* whatever else is recorded needs it */
};

struct callback {
	int event;
	enum group group;
	const char *name;
	ompt_callback_t function;
};

#define CALLBACK(event, group, function) \
	{ ompt_callback_##event, group, #event, (ompt_callback_t)(function) }

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
	CALLBACK(dispatch, DISPATCH, hyb_omp_dispatch),
	CALLBACK(flush, FLUSH, hyb_omp_flush),
	CALLBACK(cancel, CANCEL, hyb_omp_cancel),
};

#define CALLBACKS (sizeof(callbacks) / sizeof(callbacks[0]))

static char runtime[128];

static bool is_wanted(const struct callback *c)
{
	return c->group == ANY || hyb_config.omp >> c->group & 1;
}

/* What this runtime does not tell of is said once; the rest is recorded. */
static void name_missing(const bool *missing)
{
	char names[512] = "";
	size_t n = 0;

	for (size_t i = 0; i < CALLBACKS; i++) {
		if (missing[i])
			n += hyb_text_format(names + n, sizeof(names) - n, "%s%s", n ? ", " : "",
					     callbacks[i].name);
	}
	if (n)
		hyb_log(HYB_LOG_NOTE, "%s has no callback for %s: that is not recorded", runtime, names);
}

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool)
{
	bool missing[CALLBACKS] = { false };
	ompt_set_callback_t set;
	int saved = errno;
	int result;

	(void)initial_device;
	(void)tool;
	set = (ompt_set_callback_t)lookup("ompt_set_callback");
	if (!set || !hyb_process_start()) {
		errno = saved;
		return 0;
	}
	for (size_t i = 0; i < CALLBACKS; i++) {
		if (!is_wanted(&callbacks[i]))
			continue;
		result = set(callbacks[i].event, callbacks[i].function);
		missing[i] = result == ompt_set_error || result == ompt_set_never ||
			     result == ompt_set_impossible;
	}
	name_missing(missing);
	hyb_process_openmp(runtime);
	errno = saved;
	return 1;
}

/* Threads may go on; what is there is there. */
static void finalize(ompt_data_t *tool)
{
	(void)tool;
}

/* OMPT's entry. NULL: no tool here, so that the runtime looks on, or does without. */
HYB_EXPORT ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version);

HYB_EXPORT ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version)
{
	static ompt_start_tool_result_t result = { .initialize = initialize, .finalize = finalize };
	int saved = errno;
	bool wanted;

	hyb_config_load();
	wanted = hyb_config.enable && hyb_config.omp && hyb_process_state() <= HYB_PROCESS_RECORDING;
	hyb_text_format(runtime, sizeof(runtime), "%s, OpenMP %u",
			runtime_version ? runtime_version : "unknown runtime", omp_version);
	errno = saved;
	return wanted ? &result : NULL;
}
