/* SPDX-License-Identifier: BSD-3-Clause */
/* What sinks that write text call kinds of events and regions; see field.h. */
#include "merge/sink/field.h"
#include "merge/model/region.h"

#define WORD(words, index) \
	((size_t)(index) < sizeof(words) / sizeof((words)[0]) && (words)[index] ? (words)[index] : "unknown")

const char *hyb_kind_word(enum hyb_kind kind)
{
	static const char *const words[HYB_KINDS] = {
		[HYB_KIND_ENTER] = "enter",
		[HYB_KIND_LEAVE] = "leave",
		[HYB_KIND_OFF] = "off",
		[HYB_KIND_ON] = "on",
		[HYB_KIND_PROGRAM_BEGIN] = "program_begin",
		[HYB_KIND_PROGRAM_END] = "program_end",
		[HYB_KIND_METRIC] = "metric",
		[HYB_KIND_SAMPLE] = "sample",
		[HYB_KIND_SEND] = "send",
		[HYB_KIND_ISEND] = "isend",
		[HYB_KIND_RECV] = "recv",
		[HYB_KIND_IRECV] = "irecv",
		[HYB_KIND_IRECV_REQUEST] = "irecv_request",
		[HYB_KIND_ISEND_COMPLETE] = "isend_complete",
		[HYB_KIND_REQUEST_TEST] = "request_test",
		[HYB_KIND_REQUEST_CANCELLED] = "request_cancelled",
		[HYB_KIND_COLLECTIVE_BEGIN] = "collective_begin",
		[HYB_KIND_COLLECTIVE_END] = "collective_end",
		[HYB_KIND_COLLECTIVE_REQUEST] = "collective_request",
		[HYB_KIND_COLLECTIVE_COMPLETE] = "collective_complete",
		[HYB_KIND_RMA_OP] = "rma_op",
		[HYB_KIND_RMA_DONE_BLOCKING] = "rma_done",
		[HYB_KIND_RMA_DONE_REQUEST] = "rma_done_request",
		[HYB_KIND_RMA_DONE_REMOTE] = "rma_done_remote",
		[HYB_KIND_RMA_COLLECTIVE_BEGIN] = "rma_collective_begin",
		[HYB_KIND_RMA_COLLECTIVE_END] = "rma_collective_end",
		[HYB_KIND_WIN_CREATE] = "window_create",
		[HYB_KIND_WIN_DESTROY] = "window_destroy",
		[HYB_KIND_RMA_GROUP_SYNC] = "rma_group_sync",
		[HYB_KIND_RMA_LOCK_REQUEST] = "rma_lock_request",
		[HYB_KIND_RMA_LOCK_ACQUIRED] = "rma_lock_acquired",
		[HYB_KIND_RMA_LOCK_RELEASED] = "rma_lock_released",
		[HYB_KIND_RMA_SYNC] = "rma_sync",
		[HYB_KIND_IO_CREATE] = "io_create",
		[HYB_KIND_IO_DESTROY] = "io_destroy",
		[HYB_KIND_IO_DELETE] = "io_delete",
		[HYB_KIND_IO_SEEK] = "io_seek",
		[HYB_KIND_IO_BEGIN] = "io_begin",
		[HYB_KIND_IO_ISSUED] = "io_issued",
		[HYB_KIND_IO_COMPLETE] = "io_complete",
		[HYB_KIND_IO_CANCELLED] = "io_cancelled",
		[HYB_KIND_IO_MEETING] = "io_meeting",
		[HYB_KIND_FORK] = "fork",
		[HYB_KIND_JOIN] = "join",
		[HYB_KIND_TEAM_BEGIN] = "team_begin",
		[HYB_KIND_TEAM_END] = "team_end",
		[HYB_KIND_TASK_CREATE] = "task_create",
		[HYB_KIND_TASK_SWITCH] = "task_switch",
		[HYB_KIND_TASK_COMPLETE] = "task_complete",
		[HYB_KIND_LOCK_ACQUIRED] = "lock_acquired",
		[HYB_KIND_LOCK_RELEASED] = "lock_released",
	};

	return WORD(words, kind);
}

const char *hyb_role_word(enum hyb_role role)
{
	static const char *const words[] = {
		[HYB_ROLE_FUNCTION] = "function",
		[HYB_ROLE_P2P] = "point_to_point",
		[HYB_ROLE_BARRIER] = "barrier",
		[HYB_ROLE_ONE2ALL] = "one_to_all",
		[HYB_ROLE_ALL2ONE] = "all_to_one",
		[HYB_ROLE_ALL2ALL] = "all_to_all",
		[HYB_ROLE_COLL_OTHER] = "collective",
		[HYB_ROLE_RMA] = "one_sided",
		[HYB_ROLE_FILE_IO] = "file",
		[HYB_ROLE_FILE_META] = "file_metadata",
		[HYB_ROLE_PARALLEL] = "parallel",
		[HYB_ROLE_LOOP] = "loop",
		[HYB_ROLE_SECTIONS] = "sections",
		[HYB_ROLE_SINGLE] = "single",
		[HYB_ROLE_WORKSHARE] = "workshare",
		[HYB_ROLE_MASTER] = "master",
		[HYB_ROLE_CRITICAL] = "critical",
		[HYB_ROLE_ATOMIC] = "atomic",
		[HYB_ROLE_ORDERED] = "ordered",
		[HYB_ROLE_IMPLICIT_BARRIER] = "implicit_barrier",
		[HYB_ROLE_TASK] = "task",
		[HYB_ROLE_TASK_WAIT] = "task_wait",
		[HYB_ROLE_LOCK] = "lock",
		[HYB_ROLE_WRAPPER] = "wrapper",
		[HYB_ROLE_SECTION] = "section",
		[HYB_ROLE_FLUSH] = "flush",
		[HYB_ROLE_TRANSFER] = "transfer",
		[HYB_ROLE_ALLOCATE] = "allocate",
		[HYB_ROLE_FREE] = "free",
		[HYB_ROLE_PHASE] = "phase",
		[HYB_ROLE_ITERATION] = "iteration",
	};

	return WORD(words, role);
}

const char *hyb_paradigm_word(enum hyb_paradigm paradigm)
{
	static const char *const words[] = {
		[HYB_PARADIGM_USER] = "user",
		[HYB_PARADIGM_MPI] = "mpi",
		[HYB_PARADIGM_OPENMP] = "openmp",
		[HYB_PARADIGM_KERNEL] = "kernel",
		[HYB_PARADIGM_MEASUREMENT] = "measurement",
	};

	return WORD(words, paradigm);
}

enum hyb_paradigm hyb_kind_paradigm(enum hyb_kind kind)
{
	if (kind >= HYB_KIND_FORK)
		return HYB_PARADIGM_OPENMP;
	return kind >= HYB_KIND_SEND ? HYB_PARADIGM_MPI : HYB_PARADIGM_MEASUREMENT;
}

enum hyb_paradigm hyb_region_paradigm(const struct hyb_gregion *region)
{
	return region->kernel == HYB_REGION_NO_KERNEL ? region->paradigm : HYB_PARADIGM_KERNEL;
}
