/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A tool for OpenMP runtimes that is told of all that the library records by default, and does nothing: what the
 * runtime takes to tell. openmp.sh runs the programs with it as well.
 */
#include "ompt/ompt.h"

static void nothing(void)
{
}

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool)
{
	static const int events[] = {
		ompt_callback_thread_begin, ompt_callback_thread_end, ompt_callback_parallel_begin,
		ompt_callback_parallel_end, ompt_callback_implicit_task, ompt_callback_work,
		ompt_callback_sync_region, ompt_callback_reduction, ompt_callback_mutex_acquire,
		ompt_callback_mutex_acquired, ompt_callback_mutex_released, ompt_callback_nest_lock,
		ompt_callback_masked, ompt_callback_task_create, ompt_callback_task_schedule,
		ompt_callback_task_dependence, ompt_callback_dependences, ompt_callback_cancel, ompt_callback_error,
	};
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)initial_device;
	(void)tool;
	for (unsigned int i = 0; set && i < sizeof(events) / sizeof(events[0]); i++)
		set(events[i], nothing);
	return set != NULL;
}

static void finalize(ompt_data_t *tool)
{
	(void)tool;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version);

ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version)
{
	static ompt_start_tool_result_t result = { .initialize = initialize, .finalize = finalize };

	(void)omp_version;
	(void)runtime_version;
	return &result;
}
