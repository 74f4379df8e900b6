/* SPDX-License-Identifier: BSD-3-Clause */
/* The callbacks that tool.c registers, by the file they are in. Their arguments are OMPT's. */
#ifndef HYB_OMPT_CALLBACKS_H
#define HYB_OMPT_CALLBACKS_H

#include "ompt/event.h"

/* HYBMON_OMP's words, in the order of config.tbl.h */
enum hyb_omp_group {
	HYB_OMP_GROUP_PARALLEL,
	HYB_OMP_GROUP_WORK,
	HYB_OMP_GROUP_SYNC,
	HYB_OMP_GROUP_WAIT,
	HYB_OMP_GROUP_MUTEX,
	HYB_OMP_GROUP_MASKED,
	HYB_OMP_GROUP_TASK,
	HYB_OMP_GROUP_DEPEND,
	HYB_OMP_GROUP_DISPATCH,
	HYB_OMP_GROUP_FLUSH,
	HYB_OMP_GROUP_CANCEL,
	HYB_OMP_GROUP_TARGET,
	HYB_OMP_GROUP_ERROR,
	HYB_OMP_GROUP_ANY = 31,		/* whatever else is recorded needs it */
};

/* thread.c */
void hyb_omp_thread_begin(int type, ompt_data_t *thread);
void hyb_omp_thread_end(ompt_data_t *thread);

/* team.c */
void hyb_omp_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
			    unsigned int requested, int flags, const void *code);
void hyb_omp_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code);
void hyb_omp_implicit_task(int endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned int size,
			   unsigned int index, int flags);

/* wait.c */
extern uint32_t hyb_omp_cpus;	/* regions of more threads are crowded; the highest number where that is nothing to us */
void hyb_omp_wait_start(void);
void hyb_omp_crowded(void);

/* work.c */
void hyb_omp_work(int type, int endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
		  const void *code);
void hyb_omp_masked(int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code);
void hyb_omp_dispatch(ompt_data_t *parallel, ompt_data_t *task, int kind, ompt_data_t instance);
void hyb_omp_flush(ompt_data_t *thread, const void *code);
void hyb_omp_cancel(ompt_data_t *task, int flags, const void *code);

/* sync.c; the second is for sync_region where waits are recorded, too */
void hyb_omp_sync(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code);
void hyb_omp_sync_waited(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code);
void hyb_omp_sync_wait(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code);
void hyb_omp_reduction(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code);

/* error.c; where errors are recorded, but by who calls for them and not by the callback */
extern bool hyb_omp_asked;		/* a runtime has asked for a tool */
extern bool hyb_omp_errors_called;
void hyb_omp_error(int severity, const char *message, size_t length, const void *code);

/* control.c */
int hyb_omp_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code);

/* mutex.c */
void hyb_omp_mutex_acquire(int kind, unsigned int hint, unsigned int impl, uint64_t wait_id,
			   const void *code);
void hyb_omp_mutex_acquired(int kind, uint64_t wait_id, const void *code);
void hyb_omp_mutex_released(int kind, uint64_t wait_id, const void *code);
void hyb_omp_nest_lock(int endpoint, uint64_t wait_id, const void *code);
/* How often this thread has a lock, by what it was told of that. */
unsigned int hyb_omp_has_lock(uint64_t wait_id);

/* task.c */
void hyb_omp_task_create(ompt_data_t *creator, const ompt_frame_t *frame, ompt_data_t *task, int flags,
			 int has_dependences, const void *code);
void hyb_omp_task_schedule(ompt_data_t *prior, int status, ompt_data_t *next);
void hyb_omp_task_dependence(ompt_data_t *source, ompt_data_t *sink);
void hyb_omp_dependences(ompt_data_t *task, const ompt_dependence_t *list, int count);

/* target.c; those without emi are for runtimes that have no others */
void hyb_omp_target_emi(int kind, int endpoint, int device, ompt_data_t *task, ompt_data_t *target_task,
			ompt_data_t *target, const void *code);
void hyb_omp_target(int kind, int endpoint, int device, ompt_data_t *task, ompt_id_t target, const void *code);
void hyb_omp_data_op_emi(int endpoint, ompt_data_t *target_task, ompt_data_t *target, ompt_id_t *operation,
			 int type, void *from, int from_device, void *to, int to_device, size_t bytes,
			 const void *code);
void hyb_omp_data_op(ompt_id_t target, ompt_id_t operation, int type, void *from, int from_device, void *to,
		     int to_device, size_t bytes, const void *code);
void hyb_omp_submit_emi(int endpoint, ompt_data_t *target, ompt_id_t *operation, unsigned int teams);
void hyb_omp_submit(ompt_id_t target, ompt_id_t operation, unsigned int teams);

#endif
