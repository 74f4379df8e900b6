/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is done for devices: target constructs, the operations on memory in them, and kernels that are submitted. All
 * are regions of the host's thread. Where a construct ends without being waited for, its operations may come from a
 * thread of the runtime. Runtimes from before OpenMP 5.1 tell of operations and kernels only that they were, once.
 */
#include "ompt/callbacks.h"

static HYB_HOT enum hyb_omp_kind target_kind(int kind)
{
	switch (kind) {
	case ompt_target_enter_data:
	case ompt_target_enter_data_nowait:
		return HYB_OMP_TARGET_ENTER;
	case ompt_target_exit_data:
	case ompt_target_exit_data_nowait:
		return HYB_OMP_TARGET_EXIT;
	case ompt_target_update:
	case ompt_target_update_nowait:
		return HYB_OMP_TARGET_UPDATE;
	default:
		return HYB_OMP_TARGET;
	}
}

/*
 * All target constructs are one sort; of those that nest the innermost ends first. Which task is being executed is not
 * said: it may be the one that came to the construct or the one that the construct is.
 */
static HYB_HOT void target(int kind, int endpoint, int device, const void *code)
{
	uint64_t *p;

	if (endpoint & ompt_scope_begin) {
		p = hyb_omp_enter(HYB_OMP_TARGET, hyb_omp_region(target_kind(kind), code), 0);
		if (hyb_likely(p != NULL)) {
			*p++ = hyb_omp_word(HYB_DEVICE, (uint64_t)(kind >= ompt_target_nowait) << 32 |
					    (uint32_t)device);
			hyb_publish(p);
		}
	}
	if (endpoint & ompt_scope_end)
		hyb_omp_publish(hyb_omp_leave(HYB_OMP_TARGET));
}

void hyb_omp_target_emi(int kind, int endpoint, int device, ompt_data_t *task, ompt_data_t *target_task,
			ompt_data_t *target_data, const void *code)
{
	(void)task;
	(void)target_task;
	(void)target_data;
	target(kind, endpoint, device, code);
}

void hyb_omp_target(int kind, int endpoint, int device, ompt_data_t *task, ompt_id_t id, const void *code)
{
	(void)task;
	(void)id;
	target(kind, endpoint, device, code);
}

#define ASYNC_FIRST ompt_target_data_alloc_async	/* the number of the first that is only begun */

static HYB_HOT uint32_t data_op(int type)
{
	if (type >= ASYNC_FIRST && type <= ompt_target_data_memset_async)
		return (uint32_t)(type - ASYNC_FIRST + 1) | HYB_DATA_ASYNC;
	return type >= ompt_target_data_alloc && type <= ompt_target_data_memset ? (uint32_t)type : 0;
}

static HYB_HOT enum hyb_omp_kind data_kind(uint32_t op)
{
	static const uint8_t kinds[] = {
		[HYB_DATA_ALLOC] = HYB_OMP_DATA_ALLOC,
		[HYB_DATA_TO_DEVICE] = HYB_OMP_DATA_TO,
		[HYB_DATA_FROM_DEVICE] = HYB_OMP_DATA_FROM,
		[HYB_DATA_DELETE] = HYB_OMP_DATA_DELETE,
		[HYB_DATA_ASSOCIATE] = HYB_OMP_DATA_ASSOCIATE,
		[HYB_DATA_DISASSOCIATE] = HYB_OMP_DATA_DISASSOCIATE,
		[HYB_DATA_TRANSFER] = HYB_OMP_DATA_TRANSFER,
		[HYB_DATA_MEMSET] = HYB_OMP_DATA_MEMSET,
	};
	uint32_t i = op & ~(uint32_t)HYB_DATA_ASYNC;

	return i && i < sizeof(kinds) ? (enum hyb_omp_kind)kinds[i] : HYB_OMP_DATA_TRANSFER;
}

static HYB_HOT void put_data_op(uint64_t *p, uint32_t op, int from, int to, size_t bytes)
{
	if (hyb_unlikely(!p))
		return;
	*p++ = hyb_omp_word(HYB_DATA_OP, op);
	*p++ = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
	*p++ = bytes;
	hyb_publish(p);
}

void hyb_omp_data_op_emi(int endpoint, ompt_data_t *target_task, ompt_data_t *target_data, ompt_id_t *operation,
			 int type, void *from, int from_device, void *to, int to_device, size_t bytes,
			 const void *code)
{
	uint32_t op = data_op(type);
	enum hyb_omp_kind kind = data_kind(op);

	(void)target_task;
	(void)target_data;
	(void)operation;
	(void)from;
	(void)to;
	if (endpoint & ompt_scope_begin)
		put_data_op(hyb_omp_enter(kind, hyb_omp_region(kind, code), 0), op, from_device, to_device, bytes);
	if (endpoint & ompt_scope_end)
		hyb_omp_publish(hyb_omp_leave(kind));
}

void hyb_omp_data_op(ompt_id_t target_id, ompt_id_t operation, int type, void *from, int from_device, void *to,
		     int to_device, size_t bytes, const void *code)
{
	uint32_t op = data_op(type);

	(void)target_id;
	(void)operation;
	(void)from;
	(void)to;
	put_data_op(hyb_omp_record(HYB_POINT, hyb_omp_region(data_kind(op), code)), op, from_device, to_device,
		    bytes);
}

static HYB_HOT void put_teams(uint64_t *p, unsigned int teams)
{
	if (hyb_unlikely(!p))
		return;
	*p++ = hyb_omp_word(HYB_COUNT, teams);
	hyb_publish(p);
}

void hyb_omp_submit_emi(int endpoint, ompt_data_t *target_data, ompt_id_t *operation, unsigned int teams)
{
	(void)target_data;
	(void)operation;
	if (endpoint & ompt_scope_begin)
		put_teams(hyb_omp_enter(HYB_OMP_SUBMIT, hyb_omp_region(HYB_OMP_SUBMIT, NULL), 0), teams);
	if (endpoint & ompt_scope_end)
		hyb_omp_publish(hyb_omp_leave(HYB_OMP_SUBMIT));
}

void hyb_omp_submit(ompt_id_t target_id, ompt_id_t operation, unsigned int teams)
{
	(void)target_id;
	(void)operation;
	put_teams(hyb_omp_record(HYB_POINT, hyb_omp_region(HYB_OMP_SUBMIT, NULL)), teams);
}
