/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon-print: the lines of OpenMP's records and definitions. As stable as the others. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "export/text/print.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* stream.count, as it was given out; the implicit task has none */
static void put_task(uint64_t task)
{
	task &= (UINT64_C(1) << 48) - 1;
	if (task)
		printf("%" PRIu64 ".%" PRIu64, task >> 32, task & UINT32_MAX);
	else
		fputs("implicit", stdout);
}

/* The words for the bits that are set, with commas between them. */
void print_put_bits(const char *const *names, size_t count, uint32_t bits)
{
	const char *comma = "";

	for (size_t i = 0; i < 32; i++) {
		if (!(bits >> i & 1))
			continue;
		if (i < count)
			printf("%s%s", comma, names[i]);
		else
			printf("%s0x%x", comma, 1u << i);
		comma = ",";
	}
}

static void print_create(const uint64_t *w)
{
	static const char *const flags[] = {
		"target", "undeferred", "untied", "final", "mergeable", "dependences",
	};

	fputs("  task create ", stdout);
	put_task(w[1]);
	if (!(uint32_t)w[0])
		return;
	putchar(' ');
	print_put_bits(flags, COUNT_OF(flags), (uint32_t)w[0]);
}

static void print_chunk(const uint64_t *w)
{
	static const char *const kinds[] = { "?", "iteration", "section", "loop", "taskloop",
					     "distribute" };
	uint32_t kind = (uint32_t)w[0];

	printf("  chunk %s first=%" PRIu64 " count=%" PRIu64, kinds[kind < COUNT_OF(kinds) ? kind : 0],
	       w[1], w[2]);
}

/* The host has the number -1. */
static void put_device(const char *what, uint32_t device)
{
	if (device == UINT32_MAX)
		printf(" %s=host", what);
	else
		printf(" %s=%u", what, device);
}

static void print_data_op(const uint64_t *w)
{
	static const char *const ops[] = { "?", "alloc", "to-device", "from-device", "delete", "associate",
					   "disassociate", "transfer", "memset" };
	uint32_t op = (uint32_t)w[0] & ~(uint32_t)HYB_DATA_ASYNC;

	printf("  data %s%s", ops[op < COUNT_OF(ops) ? op : 0], w[0] & HYB_DATA_ASYNC ? " async" : "");
	put_device("from", (uint32_t)(w[1] >> 32));
	put_device("to", (uint32_t)w[1]);
	printf(" bytes=%" PRIu64, w[2]);
}

static void print_dependence(const struct print_options *o, const uint64_t *w)
{
	static const char *const kinds[] = { "?", "in", "out", "inout", "mutexinoutset", "source", "sink",
					     "inoutset", "out-all", "inout-all" };
	uint32_t kind = (uint32_t)w[0];

	printf("  dependence %s task=", kinds[kind < COUNT_OF(kinds) ? kind : 0]);
	put_task(w[1]);
	if (o->times)
		printf(" address=0x%" PRIx64, w[2]);
}

static void print_message(const uint64_t *w, uint32_t words)
{
	char text[8 * HYB_GROUP_MAX];
	uint32_t bytes = (uint32_t)w[0];

	if (bytes > 8 * (words - 1))
		bytes = 8 * (words - 1);
	if (bytes >= sizeof(text))
		bytes = sizeof(text) - 1;
	memcpy(text, w + 1, bytes);
	text[bytes] = 0;
	printf("  message %s ", (w[0] >> 32 & 0xff) == HYB_MESSAGE_FATAL ? "fatal" : "warning");
	print_put_word(text);
}

static void print_task(const char *what, uint64_t task)
{
	printf("  task %s ", what);
	put_task(task);
}

static void print_end(enum hyb_task_end end)
{
	if (end)
		fputs(end == HYB_TASK_CANCELLED ? " cancelled" : " discarded", stdout);
}

/* What is done for devices, and what else came with OpenMP 5. */
static bool print_newer(const struct print_options *o, const struct hyb_attached *a)
{
	const uint64_t *w = a->words;

	switch (a->type) {
	case HYB_LATE:
		fputs("  late", stdout);
		break;
	case HYB_DEVICE:
		fputs("  device", stdout);
		put_device("number", (uint32_t)w[0]);
		if (w[0] >> 32 & 1)
			fputs(" nowait", stdout);
		break;
	case HYB_DATA_OP:
		print_data_op(w);
		break;
	case HYB_DEPENDENCE:
		print_dependence(o, w);
		break;
	case HYB_MESSAGE:
		print_message(w, a->count);
		break;
	case HYB_TASK_FULFIL:
		print_task(w[0] & HYB_TASK_EARLY ? "fulfil early" : "fulfil", w[0]);
		break;
	default:
		return false;
	}
	return true;
}

bool print_omp(const struct print_options *o, const struct hyb_attached *a)
{
	static const char *const cancels[] = {
		"parallel", "sections", "loop", "taskgroup", "activated", "detected", "discarded-task",
	};
	const uint64_t *w = a->words;

	switch (a->type) {
	case HYB_FORK:
		printf("  fork threads=%u", (uint32_t)w[0]);
		break;
	case HYB_JOIN:
		fputs("  join", stdout);
		break;
	case HYB_TEAM_BEGIN:
		printf("  team begin team=%u member=%u use=%" PRIu64, a->comm, (uint32_t)a->peer, a->use);
		break;
	case HYB_TEAM_END:
		fputs("  team end", stdout);
		break;
	case HYB_TASK_CREATE:
		print_create(w);
		break;
	case HYB_TASK_SWITCH:
		print_task("switch", w[0]);
		break;
	case HYB_TASK_COMPLETE:
		print_task("complete", w[0]);
		print_end(w[0] >> 48 & 3);
		break;
	case HYB_TASK_DEPEND:
		print_task("depend", w[2]);
		fputs(" on ", stdout);
		put_task(w[1]);
		break;
	case HYB_LOCK_ACQUIRED:
	case HYB_LOCK_RELEASED:
		printf("  lock %s lock=%u order=%" PRIu64,
		       a->type == HYB_LOCK_ACQUIRED ? "acquired" : "released", (uint32_t)w[0], w[1]);
		break;
	case HYB_COUNT:
		printf("  count %" PRIu64, w[0] & HYB_REQUEST_MASK);
		break;
	case HYB_CHUNK:
		print_chunk(w);
		break;
	case HYB_CANCEL:
		fputs("  cancel ", stdout);
		print_put_bits(cancels, COUNT_OF(cancels), (uint32_t)w[0]);
		break;
	default:
		return print_newer(o, a);
	}
	return true;
}

void print_put_address(const struct hyb_object *object, uint64_t address)
{
	const char *name;

	if (!address)
		return;
	if (!object) {
		printf(" @0x%" PRIx64, address);
		return;
	}
	name = strrchr(object->path, '/');
	fputs(" @", stdout);
	print_put_word(name ? name + 1 : object->path);
	printf("+0x%" PRIx64, address - object->base);
}

void print_put_place(const struct print_process *p, const struct hyb_region *region)
{
	print_put_address(region->object ? hyb_defs_object(p->defs, region->object) : NULL, region->address);
}

static void print_object(const struct print_options *o, const struct print_process *p, uint64_t id)
{
	const struct hyb_object *object = p->defs ? hyb_defs_object(p->defs, id) : NULL;

	fputs(" object ", stdout);
	if (!object)
		return;
	print_put_word(object->path);
	if (o->times)
		printf(" id=%" PRIu64 " base=0x%" PRIx64, id, object->base);
	if (!object->build_length)
		return;
	fputs(" build=", stdout);
	for (uint32_t i = 0; i < object->build_length; i++)
		printf("%02x", object->build[i]);
}

static void print_frame(const struct print_process *p, uint64_t id)
{
	const struct hyb_caller *frame = p->defs ? hyb_callers_find(&p->defs->callers, id) : NULL, *next;

	printf(" frame %" PRIu64, id);
	if (!frame)
		return;
	print_put_address(frame->object ? hyb_defs_object(p->defs, frame->object) : NULL, frame->address);
	next = hyb_callers_next(&p->defs->callers, frame);
	if (next)
		printf(" caller=%" PRIu64, next->id);
}

bool print_omp_def(const struct print_options *o, const struct print_process *p,
		   const struct hyb_event *e)
{
	const struct hyb_region *region;
	struct hyb_def_team team;

	if (e->type == HYB_DEF_PLACE && e->count > sizeof(struct hyb_def_place) / 8) {
		region = p->defs ? hyb_defs_region(p->defs, e->id) : NULL;
		fputs(" place", stdout);
		if (region) {
			hyb_show(stdout, " %s", region->name);
			print_put_place(p, region);
		}
		if (o->times)
			printf(" id=%" PRIu64, e->id);
	} else if (e->type == HYB_DEF_OBJECT && e->count > sizeof(struct hyb_def_object) / 8) {
		print_object(o, p, e->id);
	} else if (e->type == HYB_DEF_FRAME && e->count > sizeof(struct hyb_def_frame) / 8) {
		print_frame(p, e->id);
	} else if (e->type == HYB_DEF_TEAM && e->count > sizeof(team) / 8) {
		memcpy(&team, e->words + 1, sizeof(team));
		printf(" team %" PRIu64 " use=%" PRIu64 " size=%u member=%u stream=%u", e->id, team.use,
		       team.size, team.index, team.stream);
	} else {
		return false;
	}
	return true;
}
