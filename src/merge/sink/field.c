/* SPDX-License-Identifier: BSD-3-Clause */
/* Events as named values; see field.h. */
#include "merge/sink/field.h"

#include "merge/kernel/kernel.h"
#include "reader/streams/word.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct hyb_field_info *own_info(enum hyb_field_id id)
{
	static const struct hyb_field_info fields[HYB_FIELDS] = {
		[HYB_FIELD_ID_REGION] = { "region", HYB_FIELD_REGION },
		[HYB_FIELD_ID_COMMUNICATOR] = { "communicator", HYB_FIELD_COMM },
		[HYB_FIELD_ID_PEER] = { "peer", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_TAG] = { "tag", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_BYTES] = { "bytes", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_PARTITIONED] = { "partitioned", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_REQUEST] = { "request", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_NUMBER] = { "number", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_OTHER_BEGIN] = { "other_begin", HYB_FIELD_TIME },
		[HYB_FIELD_ID_OTHER_END] = { "other_end", HYB_FIELD_TIME },
		[HYB_FIELD_ID_FIRST_BEGIN] = { "first_begin", HYB_FIELD_TIME },
		[HYB_FIELD_ID_LAST_BEGIN] = { "last_begin", HYB_FIELD_TIME },
		[HYB_FIELD_ID_LAST_END] = { "last_end", HYB_FIELD_TIME },
		[HYB_FIELD_ID_OPERATION] = { "operation", HYB_FIELD_WORD },
		[HYB_FIELD_ID_ROOT] = { "root", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_ROOT_IS] = { "root_is", HYB_FIELD_WORD },
		[HYB_FIELD_ID_SENT] = { "sent", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_RECEIVED] = { "received", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_WINDOW] = { "window", HYB_FIELD_WINDOW },
		[HYB_FIELD_ID_TARGET] = { "target", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_ALL] = { "all", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_GROUP] = { "group", HYB_FIELD_GROUP },
		[HYB_FIELD_ID_ID] = { "id", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_ALLOCATED] = { "allocated", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_WITH_REQUEST] = { "with_request", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_SUM] = { "sum", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_REPLACE] = { "replace", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_SHARED] = { "shared", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_FIRST] = { "first", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_FILE] = { "file", HYB_FIELD_FILE },
		[HYB_FIELD_ID_HANDLE] = { "handle", HYB_FIELD_HANDLE },
		[HYB_FIELD_ID_OFFSET] = { "offset", HYB_FIELD_INT64 },
		[HYB_FIELD_ID_REACHED] = { "reached", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_FROM] = { "from", HYB_FIELD_WORD },
		[HYB_FIELD_ID_ACCESS] = { "access", HYB_FIELD_WORD },
		[HYB_FIELD_ID_CREATE] = { "create", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_EXCLUSIVE] = { "exclusive", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_DELETE_ON_CLOSE] = { "delete_on_close", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_UNIQUE] = { "unique", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_SEQUENTIAL] = { "sequential", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_APPEND] = { "append", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_COLLECTIVE] = { "collective", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_BEGUN] = { "begun", HYB_FIELD_TRUE },
		[HYB_FIELD_ID_THREADS] = { "threads", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_TEAM] = { "team", HYB_FIELD_TEAM },
		[HYB_FIELD_ID_CREATOR] = { "creator", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_TASK] = { "task", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_LOCK] = { "lock", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_ORDER] = { "order", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_PROGRAM] = { "program", HYB_FIELD_TEXT },
		[HYB_FIELD_ID_ARGUMENTS] = { "arguments", HYB_FIELD_TEXT },
		[HYB_FIELD_ID_STATUS] = { "status", HYB_FIELD_INT64 },
		[HYB_FIELD_ID_CLASS] = { "class", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_VALUES] = { "values", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_VOLUNTARY] = { "voluntary_switches", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_INVOLUNTARY] = { "involuntary_switches", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_MINOR] = { "minor_faults", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_MAJOR] = { "major_faults", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_RAN] = { "ran_ns", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_WAITED] = { "waited_ns", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_CHAIN] = { "chain", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_METRIC] = { "of", HYB_FIELD_UINT64 },
		[HYB_FIELD_ID_WEIGHT] = { "weight", HYB_FIELD_UINT64 },
	};

	return &fields[id];
}

static const char *attribute_name(enum hyb_attribute_id id)
{
	switch (id) {
	case HYB_ATTRIBUTE_KERNEL_ADDRESS:
		return "fault address";
	case HYB_ATTRIBUTE_KERNEL_BYTES:
		return "bytes moved";
	case HYB_ATTRIBUTE_KERNEL_DEVICE:
		return "block device";
	default:
		return hyb_attribute_info(id)->name;
	}
}

static enum hyb_field_type attribute_type(enum hyb_attribute_id id)
{
	static const enum hyb_field_type types[] = {
		[HYB_VALUE_UINT8] = HYB_FIELD_UINT64, [HYB_VALUE_INT32] = HYB_FIELD_INT64,
		[HYB_VALUE_INT64] = HYB_FIELD_INT64,  [HYB_VALUE_UINT64] = HYB_FIELD_UINT64,
		[HYB_VALUE_TEXT] = HYB_FIELD_TEXT,
	};
	bool time = id == HYB_ATTRIBUTE_POLLED_UNTIL || id == HYB_ATTRIBUTE_KERNEL_UNTIL;

	return time ? HYB_FIELD_TIME : types[hyb_attribute_info(id)->type];
}

struct hyb_field_info hyb_field_info(enum hyb_field_id id)
{
	enum hyb_attribute_id attribute = (enum hyb_attribute_id)(id - HYB_FIELDS);

	if (id < HYB_FIELDS)
		return *own_info(id);
	return (struct hyb_field_info){ attribute_name(attribute), attribute_type(attribute) };
}

struct hyb_field hyb_attribute_field(const struct hyb_attribute *a)
{
	struct hyb_field field = { .id = (enum hyb_field_id)(HYB_FIELDS + a->id), .value = a->value };
	enum hyb_value_type type = hyb_attribute_info(a->id)->type;

	if (type == HYB_VALUE_UINT8)
		field.value = (uint8_t)a->value;
	else if (type == HYB_VALUE_INT32)
		field.value = (uint64_t)(int32_t)a->value;
	return field;
}

/* The fields of one event, as they are gathered. */
struct list {
	struct hyb_field *fields;
	size_t count;
};

static void add(struct list *l, enum hyb_field_id id, uint64_t value)
{
	l->fields[l->count++] = (struct hyb_field){ .id = id, .value = value };
}

static void add_word(struct list *l, enum hyb_field_id id, const char *word)
{
	l->fields[l->count++] = (struct hyb_field){ .id = id, .word = word };
}

static void add_true(struct list *l, enum hyb_field_id id, bool holds)
{
	if (holds)
		add(l, id, 1);
}

/* Of a request 0 says that there is none, of a number that it is not known. */
static void add_known(struct list *l, enum hyb_field_id id, uint64_t value)
{
	if (value)
		add(l, id, value);
}

/* HYB_COMM_NONE of the model: the thread alone. */
static void add_team(struct list *l, uint32_t team)
{
	if (team != UINT32_MAX)
		add(l, HYB_FIELD_ID_TEAM, team);
}

static void add_message(struct list *l, const struct hyb_merge_event *e)
{
	add(l, HYB_FIELD_ID_COMMUNICATOR, e->message.comm);
	add(l, HYB_FIELD_ID_PEER, e->message.peer);
	add(l, HYB_FIELD_ID_TAG, e->message.tag);
	add(l, HYB_FIELD_ID_BYTES, e->message.bytes);
	add_true(l, HYB_FIELD_ID_PARTITIONED, e->message.partitioned);
	add_known(l, HYB_FIELD_ID_REQUEST, e->message.request);
	if (!e->message.number)
		return;
	add(l, HYB_FIELD_ID_NUMBER, e->message.number);
	add(l, HYB_FIELD_ID_OTHER_BEGIN, (uint64_t)e->message.other_begin);
	add(l, HYB_FIELD_ID_OTHER_END, (uint64_t)e->message.other_end);
}

static void add_collective(struct list *l, const struct hyb_merge_event *e)
{
	add_word(l, HYB_FIELD_ID_OPERATION, hyb_coll_word(e->collective.op));
	add(l, HYB_FIELD_ID_COMMUNICATOR, e->collective.comm);
	if (e->collective.root >= 0)
		add(l, HYB_FIELD_ID_ROOT, (uint32_t)e->collective.root);
	else if (e->collective.root != HYB_ROOT_NONE)
		add_word(l, HYB_FIELD_ID_ROOT_IS, e->collective.root == HYB_ROOT_SELF ? "self" : "this group");
	add(l, HYB_FIELD_ID_SENT, e->collective.sent);
	add(l, HYB_FIELD_ID_RECEIVED, e->collective.received);
	add_known(l, HYB_FIELD_ID_REQUEST, e->collective.request);
	if (!e->collective.number)
		return;
	add(l, HYB_FIELD_ID_NUMBER, e->collective.number);
	add(l, HYB_FIELD_ID_FIRST_BEGIN, (uint64_t)e->collective.first_begin);
	add(l, HYB_FIELD_ID_LAST_BEGIN, (uint64_t)e->collective.last_begin);
	add(l, HYB_FIELD_ID_LAST_END, (uint64_t)e->collective.last_end);
}

static const char *rma_word(uint32_t what)
{
	static const char *const words[] = {
		[HYB_RMA_CREATE] = "create",
		[HYB_RMA_DESTROY] = "destroy",
		[HYB_RMA_PUT] = "put",
		[HYB_RMA_GET] = "get",
		[HYB_RMA_ACCUMULATE] = "accumulate",
		[HYB_RMA_GET_ACCUMULATE] = "get accumulate",
		[HYB_RMA_FETCH_AND_OP] = "fetch and op",
		[HYB_RMA_COMPARE_AND_SWAP] = "compare and swap",
		[HYB_RMA_FENCE] = "fence",
		[HYB_RMA_POST] = "post",
		[HYB_RMA_START] = "start",
		[HYB_RMA_COMPLETE] = "complete",
		[HYB_RMA_WAIT] = "wait",
	};

	return what < COUNT(words) && words[what] ? words[what] : "unknown";
}

static void add_target(struct list *l, uint32_t target)
{
	if (target == UINT32_MAX)
		add_true(l, HYB_FIELD_ID_ALL, true);
	else
		add(l, HYB_FIELD_ID_TARGET, target);
}

static void add_rma_op(struct list *l, const struct hyb_merge_event *e)
{
	add_word(l, HYB_FIELD_ID_OPERATION, rma_word(e->rma.what));
	add(l, HYB_FIELD_ID_WINDOW, e->rma.win);
	add(l, HYB_FIELD_ID_TARGET, e->rma.target);
	add(l, HYB_FIELD_ID_SENT, e->rma.sent);
	add(l, HYB_FIELD_ID_RECEIVED, e->rma.received);
	add(l, HYB_FIELD_ID_ID, e->rma.id);
	add_true(l, HYB_FIELD_ID_WITH_REQUEST, e->rma.flags & HYB_RMA_REQUEST);
	add_true(l, HYB_FIELD_ID_SUM, e->rma.flags & HYB_RMA_SUM);
	add_true(l, HYB_FIELD_ID_REPLACE, e->rma.flags & HYB_RMA_REPLACE);
}

static void add_rma(struct list *l, const struct hyb_merge_event *e)
{
	add(l, HYB_FIELD_ID_WINDOW, e->rma.win);
	switch (e->kind) {
	case HYB_KIND_RMA_DONE_BLOCKING:
	case HYB_KIND_RMA_DONE_REQUEST:
	case HYB_KIND_RMA_DONE_REMOTE:
		add(l, HYB_FIELD_ID_ID, e->rma.id);
		break;
	case HYB_KIND_RMA_COLLECTIVE_END:
		add_word(l, HYB_FIELD_ID_OPERATION, rma_word(e->rma.what));
		add_true(l, HYB_FIELD_ID_ALLOCATED, e->rma.what != HYB_RMA_FENCE && e->rma.flags & HYB_RMA_ALLOCATED);
		add_true(l, HYB_FIELD_ID_FIRST, e->rma.what == HYB_RMA_FENCE && e->rma.flags & HYB_RMA_FIRST);
		break;
	case HYB_KIND_RMA_GROUP_SYNC:
		add_word(l, HYB_FIELD_ID_OPERATION, rma_word(e->rma.what));
		add(l, HYB_FIELD_ID_GROUP, e->rma.group);
		break;
	case HYB_KIND_RMA_LOCK_REQUEST:
	case HYB_KIND_RMA_LOCK_ACQUIRED:
		add_target(l, e->rma.target);
		add_true(l, HYB_FIELD_ID_SHARED, e->rma.flags & HYB_RMA_SHARED);
		break;
	case HYB_KIND_RMA_LOCK_RELEASED:
	case HYB_KIND_RMA_SYNC:
		add_target(l, e->rma.target);
		break;
	default: /* the window says it all */
		break;
	}
}

static void add_io_create(struct list *l, uint32_t mode)
{
	add_word(l, HYB_FIELD_ID_ACCESS,
		 mode & HYB_IO_RDWR	? "read and write"
		 : mode & HYB_IO_WRONLY ? "write"
					: "read");
	add_true(l, HYB_FIELD_ID_CREATE, mode & HYB_IO_CREATE);
	add_true(l, HYB_FIELD_ID_EXCLUSIVE, mode & HYB_IO_EXCL);
	add_true(l, HYB_FIELD_ID_DELETE_ON_CLOSE, mode & HYB_IO_DELETE_ON_CLOSE);
	add_true(l, HYB_FIELD_ID_UNIQUE, mode & HYB_IO_UNIQUE_OPEN);
	add_true(l, HYB_FIELD_ID_SEQUENTIAL, mode & HYB_IO_SEQUENTIAL);
	add_true(l, HYB_FIELD_ID_APPEND, mode & HYB_IO_APPEND);
}

static void add_io_begin(struct list *l, const struct hyb_merge_event *e)
{
	add_word(l, HYB_FIELD_ID_OPERATION,
		 e->io.what == HYB_IO_READ    ? "read"
		 : e->io.what == HYB_IO_WRITE ? "write"
					      : "flush");
	add(l, HYB_FIELD_ID_BYTES, e->io.bytes);
	add(l, HYB_FIELD_ID_ID, e->io.id);
	add_true(l, HYB_FIELD_ID_COLLECTIVE, e->io.flags & HYB_IO_COLLECTIVE);
	add_true(l, HYB_FIELD_ID_SHARED, e->io.flags & HYB_IO_SHARED);
	add_true(l, HYB_FIELD_ID_BEGUN, e->io.begun);
}

static void add_io_seek(struct list *l, const struct hyb_merge_event *e)
{
	static const char *const from[] = { "start", "current", "end", "start" };

	add(l, HYB_FIELD_ID_OFFSET, e->io.offset);
	add_word(l, HYB_FIELD_ID_FROM, from[e->io.flags & 3]);
	add(l, HYB_FIELD_ID_REACHED, e->io.reached);
	add_true(l, HYB_FIELD_ID_SHARED, e->io.flags & HYB_IO_SEEK_SHARED);
}

static void add_io(struct list *l, const struct hyb_merge_event *e)
{
	if (e->kind == HYB_KIND_IO_DELETE) {
		add(l, HYB_FIELD_ID_FILE, e->io.file);
		return;
	}
	add(l, HYB_FIELD_ID_HANDLE, e->io.handle);
	switch (e->kind) {
	case HYB_KIND_IO_CREATE:
		add_io_create(l, e->io.flags);
		break;
	case HYB_KIND_IO_SEEK:
		add_io_seek(l, e);
		break;
	case HYB_KIND_IO_BEGIN:
		add_io_begin(l, e);
		break;
	case HYB_KIND_IO_COMPLETE:
		add(l, HYB_FIELD_ID_BYTES, e->io.bytes);
		add(l, HYB_FIELD_ID_ID, e->io.id);
		break;
	case HYB_KIND_IO_ISSUED:
	case HYB_KIND_IO_CANCELLED:
		add(l, HYB_FIELD_ID_ID, e->io.id);
		break;
	default: /* the handle says it all */
		break;
	}
}

static void add_threads(struct list *l, const struct hyb_merge_event *e)
{
	switch (e->kind) {
	case HYB_KIND_FORK:
		add(l, HYB_FIELD_ID_THREADS, e->threads);
		break;
	case HYB_KIND_TEAM_BEGIN:
	case HYB_KIND_TEAM_END:
		add_team(l, e->team);
		break;
	case HYB_KIND_TASK_CREATE:
	case HYB_KIND_TASK_SWITCH:
	case HYB_KIND_TASK_COMPLETE:
		add_team(l, e->task.team);
		add(l, HYB_FIELD_ID_CREATOR, e->task.creator);
		add(l, HYB_FIELD_ID_TASK, e->task.number);
		break;
	case HYB_KIND_LOCK_ACQUIRED:
	case HYB_KIND_LOCK_RELEASED:
		add(l, HYB_FIELD_ID_LOCK, e->lock.lock);
		add(l, HYB_FIELD_ID_ORDER, e->lock.order);
		break;
	default: /* a join says no more */
		break;
	}
}

static void add_metric(struct list *l, const struct hyb_merge_event *e)
{
	unsigned int i;

	add(l, HYB_FIELD_ID_CLASS, e->metric.class->id);
	for (i = 0; e->metric.class->kernel && i < HYB_KCOUNTS; i++)
		add(l, HYB_FIELD_ID_VOLUNTARY + i, e->metric.values[i]);
}

static void add_sample(struct list *l, const struct hyb_merge_event *e)
{
	const struct hyb_kernel_node *node = e->sample.node;

	if (e->sample.chain != UINT32_MAX)
		add(l, HYB_FIELD_ID_CHAIN, node->first_chain + (uint64_t)e->sample.chain);
	add(l, HYB_FIELD_ID_METRIC, node->first_metric + (uint64_t)e->sample.metric);
	add(l, HYB_FIELD_ID_WEIGHT, e->sample.weight);
}

size_t hyb_event_fields(const struct hyb_merge_event *e, struct hyb_field fields[HYB_FIELDS_MAX])
{
	struct list l = { .fields = fields };

	if (e->kind >= HYB_KIND_FORK)
		add_threads(&l, e);
	else if (e->kind >= HYB_KIND_IO_CREATE)
		add_io(&l, e);
	else if (e->kind == HYB_KIND_RMA_OP)
		add_rma_op(&l, e);
	else if (e->kind > HYB_KIND_RMA_OP && e->kind != HYB_KIND_RMA_COLLECTIVE_BEGIN)
		add_rma(&l, e);
	else if (e->kind == HYB_KIND_COLLECTIVE_END || e->kind == HYB_KIND_COLLECTIVE_COMPLETE)
		add_collective(&l, e);
	else if (e->kind >= HYB_KIND_SEND && e->kind <= HYB_KIND_IRECV)
		add_message(&l, e);
	else if (e->kind == HYB_KIND_COLLECTIVE_REQUEST ||
		 (e->kind > HYB_KIND_IRECV && e->kind < HYB_KIND_COLLECTIVE_BEGIN))
		add(&l, HYB_FIELD_ID_REQUEST, e->request);
	else if (e->kind == HYB_KIND_METRIC)
		add_metric(&l, e);
	else if (e->kind == HYB_KIND_SAMPLE)
		add_sample(&l, e);
	else if (e->kind == HYB_KIND_PROGRAM_BEGIN)
		add(&l, HYB_FIELD_ID_PROGRAM, e->program.name);
	else if (e->kind == HYB_KIND_PROGRAM_END && e->status.known)
		add(&l, HYB_FIELD_ID_STATUS, (uint64_t)e->status.code);
	return l.count;
}

uint64_t hyb_event_whole(const struct hyb_merge_event *e)
{
	if (e->kind >= HYB_KIND_SEND && e->kind <= HYB_KIND_IRECV)
		return e->message.number * 2;
	if ((e->kind == HYB_KIND_COLLECTIVE_END || e->kind == HYB_KIND_COLLECTIVE_COMPLETE) && e->collective.number)
		return e->collective.number * 2 + 1;
	return 0;
}
