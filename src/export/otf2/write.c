/* SPDX-License-Identifier: BSD-3-Clause */
/* One event of the merge becomes one record of the archive. */
#include "export/otf2/location.h"

#include <errno.h>
#include <stdlib.h>

static OTF2_AttributeValue value_of(const struct hyb_attribute *a, enum hyb_value_type type)
{
	OTF2_AttributeValue v = { .uint64 = 0 };

	switch (type) {
	case HYB_VALUE_UINT8:
		v.uint8 = (uint8_t)a->value;
		break;
	case HYB_VALUE_INT32:
		v.int32 = (int32_t)a->value;
		break;
	case HYB_VALUE_TEXT:
		v.stringRef = (OTF2_StringRef)a->value;
		break;
	case HYB_VALUE_INT64:
	case HYB_VALUE_UINT64:
	case HYB_VALUE_DOUBLE:
		v.uint64 = a->value;
		break;
	}
	return v;
}

/* The library empties the list when the record is written. */
static OTF2_AttributeList *list_attributes(struct hyb_otf2_track *t, const struct hyb_merge_event *e)
{
	enum hyb_value_type type;
	OTF2_ErrorCode code;
	uint32_t i;

	for (i = 0; i < e->attribute_count; i++) {
		type = hyb_merge_attribute_type(t->sink->m, e->attributes[i].id);
		code = OTF2_AttributeList_AddAttribute(t->attributes,
						       hyb_otf2_attribute(t->sink->m, e->attributes[i].id),
						       hyb_otf2_type(type), value_of(&e->attributes[i], type));
		if (code != OTF2_SUCCESS)
			t->code = code;
	}
	return t->attributes;
}

static inline OTF2_AttributeList *attributes_of(struct hyb_otf2_track *t, const struct hyb_merge_event *e)
{
	return __builtin_expect(e->attribute_count, 0) ? list_attributes(t, e) : NULL;
}

static OTF2_ErrorCode write_message(OTF2_EvtWriter *w, uint64_t time, const struct hyb_merge_event *e)
{
	uint32_t peer = e->message.peer, comm = e->message.comm, tag = e->message.tag;

	switch (e->kind) {
	case HYB_KIND_SEND:
		return OTF2_EvtWriter_MpiSend(w, NULL, time, peer, comm, tag, e->message.bytes);
	case HYB_KIND_ISEND:
		return OTF2_EvtWriter_MpiIsend(w, NULL, time, peer, comm, tag, e->message.bytes, e->message.request);
	case HYB_KIND_RECV:
		return OTF2_EvtWriter_MpiRecv(w, NULL, time, peer, comm, tag, e->message.bytes);
	default:
		return OTF2_EvtWriter_MpiIrecv(w, NULL, time, peer, comm, tag, e->message.bytes, e->message.request);
	}
}

static OTF2_ErrorCode write_request(OTF2_EvtWriter *w, uint64_t time, const struct hyb_merge_event *e)
{
	switch (e->kind) {
	case HYB_KIND_IRECV_REQUEST:
		return OTF2_EvtWriter_MpiIrecvRequest(w, NULL, time, e->request);
	case HYB_KIND_ISEND_COMPLETE:
		return OTF2_EvtWriter_MpiIsendComplete(w, NULL, time, e->request);
	case HYB_KIND_REQUEST_TEST:
		return OTF2_EvtWriter_MpiRequestTest(w, NULL, time, e->request);
	case HYB_KIND_REQUEST_CANCELLED:
		return OTF2_EvtWriter_MpiRequestCancelled(w, NULL, time, e->request);
	default:
		return OTF2_EvtWriter_NonBlockingCollectiveRequest(w, NULL, time, e->request);
	}
}

static const OTF2_CollectiveOp operations[] = {
	[HYB_COLL_BARRIER] = OTF2_COLLECTIVE_OP_BARRIER,
	[HYB_COLL_BCAST] = OTF2_COLLECTIVE_OP_BCAST,
	[HYB_COLL_GATHER] = OTF2_COLLECTIVE_OP_GATHER,
	[HYB_COLL_GATHERV] = OTF2_COLLECTIVE_OP_GATHERV,
	[HYB_COLL_SCATTER] = OTF2_COLLECTIVE_OP_SCATTER,
	[HYB_COLL_SCATTERV] = OTF2_COLLECTIVE_OP_SCATTERV,
	[HYB_COLL_ALLGATHER] = OTF2_COLLECTIVE_OP_ALLGATHER,
	[HYB_COLL_ALLGATHERV] = OTF2_COLLECTIVE_OP_ALLGATHERV,
	[HYB_COLL_ALLTOALL] = OTF2_COLLECTIVE_OP_ALLTOALL,
	[HYB_COLL_ALLTOALLV] = OTF2_COLLECTIVE_OP_ALLTOALLV,
	[HYB_COLL_ALLTOALLW] = OTF2_COLLECTIVE_OP_ALLTOALLW,
	[HYB_COLL_ALLREDUCE] = OTF2_COLLECTIVE_OP_ALLREDUCE,
	[HYB_COLL_REDUCE] = OTF2_COLLECTIVE_OP_REDUCE,
	[HYB_COLL_REDUCE_SCATTER] = OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
	[HYB_COLL_REDUCE_SCATTER_BLOCK] = OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK,
	[HYB_COLL_SCAN] = OTF2_COLLECTIVE_OP_SCAN,
	[HYB_COLL_EXSCAN] = OTF2_COLLECTIVE_OP_EXSCAN,
	[HYB_COLL_CREATE_HANDLE] = OTF2_COLLECTIVE_OP_CREATE_HANDLE,
	[HYB_COLL_DESTROY_HANDLE] = OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
	/* OTF2 has no names for neighbourhoods; what moves is the same */
	[HYB_COLL_NEIGHBOR_ALLGATHER] = OTF2_COLLECTIVE_OP_ALLGATHER,
	[HYB_COLL_NEIGHBOR_ALLGATHERV] = OTF2_COLLECTIVE_OP_ALLGATHERV,
	[HYB_COLL_NEIGHBOR_ALLTOALL] = OTF2_COLLECTIVE_OP_ALLTOALL,
	[HYB_COLL_NEIGHBOR_ALLTOALLV] = OTF2_COLLECTIVE_OP_ALLTOALLV,
	[HYB_COLL_NEIGHBOR_ALLTOALLW] = OTF2_COLLECTIVE_OP_ALLTOALLW,
};

static uint32_t root_of(const struct hyb_merge_event *e)
{
	switch (e->collective.root) {
	case HYB_ROOT_NONE:
		return OTF2_COLLECTIVE_ROOT_NONE;
	case HYB_ROOT_SELF:
		return OTF2_COLLECTIVE_ROOT_SELF;
	case HYB_ROOT_THIS_GROUP:
		return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
	}
	return (uint32_t)e->collective.root;
}

static OTF2_ErrorCode write_collective(struct hyb_otf2_track *t, uint64_t time, const struct hyb_merge_event *e)
{
	OTF2_CollectiveOp op;

	/* OTF2 has no name for it. */
	if (e->collective.op == HYB_COLL_FINALIZE)
		return OTF2_SUCCESS;
	if (e->kind == HYB_KIND_COLLECTIVE_BEGIN)
		return OTF2_EvtWriter_MpiCollectiveBegin(t->writer, NULL, time);
	op = operations[e->collective.op];
	if (e->kind == HYB_KIND_COLLECTIVE_END)
		return OTF2_EvtWriter_MpiCollectiveEnd(t->writer, NULL, time, op, e->collective.comm, root_of(e),
						       e->collective.sent, e->collective.received);
	return OTF2_EvtWriter_NonBlockingCollectiveComplete(t->writer, attributes_of(t, e), time, op,
							    e->collective.comm, root_of(e), e->collective.sent,
							    e->collective.received, e->collective.request);
}

static OTF2_RmaAtomicType atomic_of(const struct hyb_merge_event *e)
{
	switch (e->rma.what) {
	case HYB_RMA_GET_ACCUMULATE:
		return OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE;
	case HYB_RMA_FETCH_AND_OP:
		return e->rma.flags & HYB_RMA_SUM	? OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD
		       : e->rma.flags & HYB_RMA_REPLACE ? OTF2_RMA_ATOMIC_TYPE_SWAP
							: OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE;
	case HYB_RMA_COMPARE_AND_SWAP:
		return OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP;
	}
	return OTF2_RMA_ATOMIC_TYPE_ACCUMULATE;
}

static OTF2_ErrorCode write_op(OTF2_EvtWriter *w, uint64_t time, const struct hyb_merge_event *e)
{
	if (e->rma.what == HYB_RMA_PUT)
		return OTF2_EvtWriter_RmaPut(w, NULL, time, e->rma.win, e->rma.target, e->rma.sent, e->rma.id);
	if (e->rma.what == HYB_RMA_GET)
		return OTF2_EvtWriter_RmaGet(w, NULL, time, e->rma.win, e->rma.target, e->rma.received, e->rma.id);
	return OTF2_EvtWriter_RmaAtomic(w, NULL, time, e->rma.win, e->rma.target, atomic_of(e), e->rma.sent,
					e->rma.received, e->rma.id);
}

static OTF2_ErrorCode end_rma_collective(OTF2_EvtWriter *w, uint64_t time, const struct hyb_merge_event *e)
{
	bool allocated = e->rma.flags & HYB_RMA_ALLOCATED;
	OTF2_RmaSyncLevel level = OTF2_RMA_SYNC_LEVEL_PROCESS;
	OTF2_CollectiveOp op = OTF2_COLLECTIVE_OP_BARRIER;

	if (e->rma.what == HYB_RMA_CREATE)
		op = allocated ? OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE : OTF2_COLLECTIVE_OP_CREATE_HANDLE;
	else if (e->rma.what == HYB_RMA_DESTROY)
		op = allocated ? OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE
			       : OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
	else if (!(e->rma.flags & HYB_RMA_FIRST))
		level |= OTF2_RMA_SYNC_LEVEL_MEMORY;
	return OTF2_EvtWriter_RmaCollectiveEnd(w, NULL, time, op, level, e->rma.win, OTF2_UNDEFINED_UINT32, 0, 0);
}

static OTF2_ErrorCode write_rma(OTF2_EvtWriter *w, uint64_t time, const struct hyb_merge_event *e)
{
	OTF2_LockType lock = e->rma.flags & HYB_RMA_SHARED ? OTF2_LOCK_SHARED : OTF2_LOCK_EXCLUSIVE;
	bool ends = e->rma.what == HYB_RMA_COMPLETE || e->rma.what == HYB_RMA_WAIT;

	switch (e->kind) {
	case HYB_KIND_RMA_OP:
		return write_op(w, time, e);
	case HYB_KIND_RMA_DONE_BLOCKING:
		return OTF2_EvtWriter_RmaOpCompleteBlocking(w, NULL, time, e->rma.win, e->rma.id);
	case HYB_KIND_RMA_DONE_REQUEST:
		return OTF2_EvtWriter_RmaOpCompleteNonBlocking(w, NULL, time, e->rma.win, e->rma.id);
	case HYB_KIND_RMA_DONE_REMOTE:
		return OTF2_EvtWriter_RmaOpCompleteRemote(w, NULL, time, e->rma.win, e->rma.id);
	case HYB_KIND_RMA_COLLECTIVE_BEGIN:
		return OTF2_EvtWriter_RmaCollectiveBegin(w, NULL, time);
	case HYB_KIND_RMA_COLLECTIVE_END:
		return end_rma_collective(w, time, e);
	case HYB_KIND_WIN_CREATE:
		return OTF2_EvtWriter_RmaWinCreate(w, NULL, time, e->rma.win);
	case HYB_KIND_WIN_DESTROY:
		return OTF2_EvtWriter_RmaWinDestroy(w, NULL, time, e->rma.win);
	case HYB_KIND_RMA_GROUP_SYNC:
		return OTF2_EvtWriter_RmaGroupSync(w, NULL, time,
						   ends ? OTF2_RMA_SYNC_LEVEL_MEMORY : OTF2_RMA_SYNC_LEVEL_NONE,
						   e->rma.win, hyb_otf2_group(e->rma.group));
	case HYB_KIND_RMA_LOCK_REQUEST:
		return OTF2_EvtWriter_RmaRequestLock(w, NULL, time, e->rma.win, e->rma.target, 0, lock);
	case HYB_KIND_RMA_LOCK_ACQUIRED:
		return OTF2_EvtWriter_RmaAcquireLock(w, NULL, time, e->rma.win, e->rma.target, 0, lock);
	case HYB_KIND_RMA_LOCK_RELEASED:
		return OTF2_EvtWriter_RmaReleaseLock(w, NULL, time, e->rma.win, e->rma.target, 0);
	default:
		return OTF2_EvtWriter_RmaSync(w, NULL, time, e->rma.win, e->rma.target, OTF2_RMA_SYNC_TYPE_MEMORY);
	}
}

static OTF2_ErrorCode create_handle(OTF2_EvtWriter *w, uint64_t time, const struct hyb_merge_event *e)
{
	OTF2_IoCreationFlag creation = OTF2_IO_CREATION_FLAG_NONE;
	OTF2_IoStatusFlag status = OTF2_IO_STATUS_FLAG_NONE;
	OTF2_IoAccessMode access = OTF2_IO_ACCESS_MODE_READ_ONLY;
	uint32_t mode = e->io.flags;

	if (mode & HYB_IO_RDWR)
		access = OTF2_IO_ACCESS_MODE_READ_WRITE;
	else if (mode & HYB_IO_WRONLY)
		access = OTF2_IO_ACCESS_MODE_WRITE_ONLY;
	if (mode & HYB_IO_CREATE)
		creation |= OTF2_IO_CREATION_FLAG_CREATE;
	if (mode & HYB_IO_EXCL)
		creation |= OTF2_IO_CREATION_FLAG_EXCLUSIVE;
	if (mode & HYB_IO_SEQUENTIAL)
		creation |= OTF2_IO_CREATION_FLAG_NO_SEEK;
	if (mode & HYB_IO_UNIQUE_OPEN)
		creation |= OTF2_IO_CREATION_FLAG_UNIQUE;
	if (mode & HYB_IO_APPEND)
		status |= OTF2_IO_STATUS_FLAG_APPEND;
	if (mode & HYB_IO_DELETE_ON_CLOSE)
		status |= OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE;
	return OTF2_EvtWriter_IoCreateHandle(w, NULL, time, e->io.handle, access, creation, status);
}

static OTF2_ErrorCode begin_io(struct hyb_otf2_track *t, uint64_t time, const struct hyb_merge_event *e)
{
	OTF2_IoOperationMode mode = e->io.what == HYB_IO_READ	 ? OTF2_IO_OPERATION_MODE_READ
				    : e->io.what == HYB_IO_WRITE ? OTF2_IO_OPERATION_MODE_WRITE
								 : OTF2_IO_OPERATION_MODE_FLUSH;
	OTF2_IoOperationFlag flags = OTF2_IO_OPERATION_FLAG_NONE;

	if (e->io.flags & HYB_IO_COLLECTIVE)
		flags |= OTF2_IO_OPERATION_FLAG_COLLECTIVE;
	if (e->io.begun)
		flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
	return OTF2_EvtWriter_IoOperationBegin(t->writer, attributes_of(t, e), time, e->io.handle, mode, flags,
					       e->io.bytes, e->io.id);
}

static OTF2_ErrorCode seek(OTF2_EvtWriter *w, uint64_t time, const struct hyb_merge_event *e)
{
	static const OTF2_IoSeekOption from[] = {
		OTF2_IO_SEEK_FROM_START, OTF2_IO_SEEK_FROM_CURRENT, OTF2_IO_SEEK_FROM_END,
		OTF2_IO_SEEK_FROM_START,
	};

	return OTF2_EvtWriter_IoSeek(w, NULL, time, e->io.handle, (int64_t)e->io.offset, from[e->io.flags & 3],
				     e->io.reached);
}

static OTF2_ErrorCode write_io(struct hyb_otf2_track *t, uint64_t time, const struct hyb_merge_event *e)
{
	OTF2_EvtWriter *w = t->writer;

	switch (e->kind) {
	case HYB_KIND_IO_CREATE:
		return create_handle(w, time, e);
	case HYB_KIND_IO_DESTROY:
		return OTF2_EvtWriter_IoDestroyHandle(w, NULL, time, e->io.handle);
	case HYB_KIND_IO_DELETE:
		return OTF2_EvtWriter_IoDeleteFile(w, NULL, time, HYB_OTF2_IO_PARADIGM, e->io.file);
	case HYB_KIND_IO_SEEK:
		return seek(w, time, e);
	case HYB_KIND_IO_BEGIN:
		return begin_io(t, time, e);
	case HYB_KIND_IO_ISSUED:
		return OTF2_EvtWriter_IoOperationIssued(w, NULL, time, e->io.handle, e->io.id);
	case HYB_KIND_IO_COMPLETE:
		return OTF2_EvtWriter_IoOperationComplete(w, NULL, time, e->io.handle, e->io.bytes, e->io.id);
	case HYB_KIND_IO_CANCELLED:
		return OTF2_EvtWriter_IoOperationCancelled(w, NULL, time, e->io.handle, e->io.id);
	default:
		return OTF2_SUCCESS;
	}
}

static OTF2_ErrorCode write_task(struct hyb_otf2_track *t, uint64_t time, const struct hyb_merge_event *e)
{
	uint32_t team = hyb_otf2_team(t->sink, e->task.team), creator = e->task.creator, number = e->task.number;

	switch (e->kind) {
	case HYB_KIND_TASK_CREATE:
		return OTF2_EvtWriter_ThreadTaskCreate(t->writer, NULL, time, team, creator, number);
	case HYB_KIND_TASK_SWITCH:
		return OTF2_EvtWriter_ThreadTaskSwitch(t->writer, NULL, time, team, creator, number);
	default:
		return OTF2_EvtWriter_ThreadTaskComplete(t->writer, NULL, time, team, creator, number);
	}
}

static OTF2_ErrorCode write_thread(struct hyb_otf2_track *t, uint64_t time, const struct hyb_merge_event *e)
{
	OTF2_EvtWriter *w = t->writer;

	switch (e->kind) {
	case HYB_KIND_FORK:
		return OTF2_EvtWriter_ThreadFork(w, NULL, time, OTF2_PARADIGM_OPENMP, e->threads);
	case HYB_KIND_JOIN:
		return OTF2_EvtWriter_ThreadJoin(w, NULL, time, OTF2_PARADIGM_OPENMP);
	case HYB_KIND_TEAM_BEGIN:
		return OTF2_EvtWriter_ThreadTeamBegin(w, NULL, time, hyb_otf2_team(t->sink, e->team));
	case HYB_KIND_TEAM_END:
		return OTF2_EvtWriter_ThreadTeamEnd(w, NULL, time, hyb_otf2_team(t->sink, e->team));
	case HYB_KIND_LOCK_ACQUIRED:
		return OTF2_EvtWriter_ThreadAcquireLock(w, NULL, time, OTF2_PARADIGM_OPENMP, e->lock.lock,
							e->lock.order);
	case HYB_KIND_LOCK_RELEASED:
		return OTF2_EvtWriter_ThreadReleaseLock(w, NULL, time, OTF2_PARADIGM_OPENMP, e->lock.lock,
							e->lock.order);
	default:
		return write_task(t, time, e);
	}
}

static OTF2_ErrorCode write_rest(struct hyb_otf2_track *t, uint64_t time, const struct hyb_merge_event *e)
{
	OTF2_EvtWriter *w = t->writer;

	switch (e->kind) {
	case HYB_KIND_OFF:
	case HYB_KIND_ON:
		return OTF2_EvtWriter_MeasurementOnOff(w, attributes_of(t, e), time,
						       e->kind == HYB_KIND_ON ? OTF2_MEASUREMENT_ON
									      : OTF2_MEASUREMENT_OFF);
	case HYB_KIND_PROGRAM_BEGIN:
		return OTF2_EvtWriter_ProgramBegin(w, NULL, time, e->program.name, e->program.count,
						   e->program.args);
	case HYB_KIND_PROGRAM_END:
		return OTF2_EvtWriter_ProgramEnd(w, NULL, time,
						 e->status.known ? e->status.code : OTF2_UNDEFINED_INT64);
	case HYB_KIND_METRIC:
		return hyb_otf2_write_metric(t, time, e);
	default:
		return OTF2_SUCCESS;
	}
}

static OTF2_ErrorCode write_other(struct hyb_otf2_track *t, uint64_t time, const struct hyb_merge_event *e)
{
	if (e->kind <= HYB_KIND_SAMPLE)
		return write_rest(t, time, e);
	if (e->kind <= HYB_KIND_REQUEST_CANCELLED || e->kind == HYB_KIND_COLLECTIVE_REQUEST)
		return write_request(t->writer, time, e);
	if (e->kind <= HYB_KIND_COLLECTIVE_COMPLETE)
		return write_collective(t, time, e);
	if (e->kind <= HYB_KIND_RMA_SYNC)
		return write_rma(t->writer, time, e);
	if (e->kind <= HYB_KIND_IO_MEETING)
		return write_io(t, time, e);
	return write_thread(t, time, e);
}

static inline void at_region(struct hyb_otf2_track *t, const struct hyb_merge_event *e)
{
	t->metrics.regions++;
	if (__builtin_expect(t->metrics.pending, 0))
		hyb_otf2_metrics_over(&t->metrics, e->time);
}

int hyb_otf2_write(void *state, const struct hyb_merge_event *e)
{
	struct hyb_otf2_track *t = state;
	uint64_t time = (uint64_t)e->time;
	OTF2_ErrorCode code;

	switch (e->kind) {
	case HYB_KIND_ENTER:
		at_region(t, e);
		code = OTF2_EvtWriter_Enter(t->writer, attributes_of(t, e), time, e->region->id);
		break;
	case HYB_KIND_LEAVE:
		at_region(t, e);
		code = OTF2_EvtWriter_Leave(t->writer, attributes_of(t, e), time, e->region->id);
		break;
	case HYB_KIND_SEND:
	case HYB_KIND_ISEND:
	case HYB_KIND_RECV:
	case HYB_KIND_IRECV:
		code = write_message(t->writer, time, e);
		break;
	default:
		if (__builtin_expect(t->metrics.pending && e->kind != HYB_KIND_METRIC, 0))
			hyb_otf2_metrics_over(&t->metrics, INT64_MIN);
		code = write_other(t, time, e);
		break;
	}
	if (__builtin_expect(code == OTF2_SUCCESS, 1))
		return 0;
	t->code = code;
	return hyb_archive_check(&t->sink->archive, code);
}
