/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tool needs of OpenMP's tools interface (OMPT), by the OpenMP specification 5.2: so that hybmon is built
 * without any OpenMP runtime, and the same for all. Names and values are the specification's; C's enums are ints here,
 * since a runtime may pass values that came later.
 */
#ifndef HYB_OMPT_OMPT_H
#define HYB_OMPT_OMPT_H

#include <stddef.h>
#include <stdint.h>

typedef union ompt_data_t {
	uint64_t value;
	void *ptr;
} ompt_data_t;

typedef struct ompt_frame_t ompt_frame_t;
typedef void (*ompt_interface_fn_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *name);
typedef int (*ompt_initialize_t)(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool);
typedef void (*ompt_finalize_t)(ompt_data_t *tool);

typedef struct ompt_start_tool_result_t {
	ompt_initialize_t initialize;
	ompt_finalize_t finalize;
	ompt_data_t tool_data;
} ompt_start_tool_result_t;

typedef void (*ompt_callback_t)(void);
typedef int (*ompt_set_callback_t)(int event, ompt_callback_t callback);

typedef uint64_t ompt_id_t;

typedef struct ompt_dependence_t {
	ompt_data_t variable;
	int dependence_type;
} ompt_dependence_t;

typedef struct ompt_dispatch_chunk_t {
	uint64_t start;
	uint64_t iterations;
} ompt_dispatch_chunk_t;

enum {
	ompt_set_error = 0,
	ompt_set_never = 1,
	ompt_set_impossible = 2,
	ompt_set_sometimes = 3,
	ompt_set_sometimes_paired = 4,
	ompt_set_always = 5,
};

enum {
	ompt_callback_thread_begin = 1,
	ompt_callback_thread_end = 2,
	ompt_callback_parallel_begin = 3,
	ompt_callback_parallel_end = 4,
	ompt_callback_task_create = 5,
	ompt_callback_task_schedule = 6,
	ompt_callback_implicit_task = 7,
	ompt_callback_target = 8,
	ompt_callback_target_data_op = 9,
	ompt_callback_target_submit = 10,
	ompt_callback_control_tool = 11,
	ompt_callback_sync_region_wait = 16,
	ompt_callback_mutex_released = 17,
	ompt_callback_dependences = 18,
	ompt_callback_task_dependence = 19,
	ompt_callback_work = 20,
	ompt_callback_masked = 21,
	ompt_callback_sync_region = 23,
	ompt_callback_mutex_acquire = 26,
	ompt_callback_mutex_acquired = 27,
	ompt_callback_nest_lock = 28,
	ompt_callback_flush = 29,
	ompt_callback_cancel = 30,
	ompt_callback_reduction = 31,
	ompt_callback_dispatch = 32,
	ompt_callback_target_emi = 33,
	ompt_callback_target_data_op_emi = 34,
	ompt_callback_target_submit_emi = 35,
	ompt_callback_error = 37,
};

enum { ompt_scope_begin = 1, ompt_scope_end = 2, ompt_scope_beginend = 3 };

enum {
	ompt_dispatch_iteration = 1,
	ompt_dispatch_section = 2,
	ompt_dispatch_ws_loop_chunk = 3,
	ompt_dispatch_taskloop_chunk = 4,
	ompt_dispatch_distribute_chunk = 5,
};

enum {
	ompt_sync_region_barrier = 1,
	ompt_sync_region_barrier_implicit = 2,
	ompt_sync_region_barrier_explicit = 3,
	ompt_sync_region_barrier_implementation = 4,
	ompt_sync_region_taskwait = 5,
	ompt_sync_region_taskgroup = 6,
	ompt_sync_region_reduction = 7,
	ompt_sync_region_barrier_implicit_workshare = 8,
	ompt_sync_region_barrier_implicit_parallel = 9,
	ompt_sync_region_barrier_teams = 10,
};

enum {
	ompt_work_loop = 1,
	ompt_work_sections = 2,
	ompt_work_single_executor = 3,
	ompt_work_single_other = 4,
	ompt_work_workshare = 5,
	ompt_work_distribute = 6,
	ompt_work_taskloop = 7,
	ompt_work_scope = 8,
	ompt_work_loop_static = 10,
	ompt_work_loop_dynamic = 11,
	ompt_work_loop_guided = 12,
	ompt_work_loop_other = 13,
};

enum {
	ompt_mutex_lock = 1,
	ompt_mutex_test_lock = 2,
	ompt_mutex_nest_lock = 3,
	ompt_mutex_test_nest_lock = 4,
	ompt_mutex_critical = 5,
	ompt_mutex_atomic = 6,
	ompt_mutex_ordered = 7,
};

enum {
	ompt_task_initial = 0x1,
	ompt_task_implicit = 0x2,
	ompt_task_explicit = 0x4,
	ompt_task_target = 0x8,
	ompt_task_taskwait = 0x10,
	ompt_task_undeferred = 0x08000000,
	ompt_task_untied = 0x10000000,
	ompt_task_final = 0x20000000,
	ompt_task_mergeable = 0x40000000,
};

enum {
	ompt_task_complete = 1,
	ompt_task_yield = 2,
	ompt_task_cancel = 3,
	ompt_task_detach = 4,
	ompt_task_early_fulfill = 5,
	ompt_task_late_fulfill = 6,
	ompt_task_switch = 7,
	ompt_taskwait_complete = 8,
};

enum {
	ompt_cancel_parallel = 0x01,
	ompt_cancel_sections = 0x02,
	ompt_cancel_loop = 0x04,
	ompt_cancel_taskgroup = 0x08,
	ompt_cancel_activated = 0x10,
	ompt_cancel_detected = 0x20,
	ompt_cancel_discarded_task = 0x40,
};

enum { ompt_parallel_league = 0x40000000 };

enum {
	ompt_target = 1,
	ompt_target_enter_data = 2,
	ompt_target_exit_data = 3,
	ompt_target_update = 4,
	ompt_target_nowait = 9,
	ompt_target_enter_data_nowait = 10,
	ompt_target_exit_data_nowait = 11,
	ompt_target_update_nowait = 12,
};

/* From 17 on those that are only begun. */
enum {
	ompt_target_data_alloc = 1,
	ompt_target_data_transfer_to_device = 2,
	ompt_target_data_transfer_from_device = 3,
	ompt_target_data_delete = 4,
	ompt_target_data_associate = 5,
	ompt_target_data_disassociate = 6,
	ompt_target_data_transfer = 7,
	ompt_target_data_memset = 8,
	ompt_target_data_alloc_async = 17,
	ompt_target_data_memset_async = 24,
};

enum {
	ompt_dependence_type_in = 1,
	ompt_dependence_type_out = 2,
	ompt_dependence_type_inout = 3,
	ompt_dependence_type_mutexinoutset = 4,
	ompt_dependence_type_source = 5,
	ompt_dependence_type_sink = 6,
	ompt_dependence_type_inoutset = 7,
	ompt_dependence_type_out_all_memory = 34,
	ompt_dependence_type_inout_all_memory = 35,
};

enum { ompt_warning = 1, ompt_fatal = 2 };

/* Commands of omp_control_tool. The specification has them for programs only, as omp_control_tool_start and so on. */
enum { ompt_control_start = 1, ompt_control_pause = 2, ompt_control_flush = 3, ompt_control_end = 4 };

#endif
