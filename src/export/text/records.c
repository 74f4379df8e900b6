/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/text/records.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "export/text/kernel.h"
#include "export/text/mpi.h"
#include "export/text/vocabulary.h"
#include "reader/streams/word.h"

static const char *const roles[] = {
	"function", "p2p", "barrier", "one2all", "all2one", "all2all", "coll-other", "rma", "file-io",
	"file-meta", "parallel", "loop", "sections", "single", "workshare", "master", "critical", "atomic",
	"ordered", "implicit-barrier", "task", "task-wait", "lock", "wrapper", "section", "flush", "transfer",
	"allocate", "free", "phase", "iteration",
};
static const char *const paradigms[] = { "user", "mpi", "openmp", "kernel", "measurement" };
static const char *const comm_kinds[] = { "null", "world", "self", "intra", "inter" };
static const char *const meetings[] = { "?", "spawn", "parent", "accept", "connect", "join", "pair" };
static const char *const shapes[] = { "?", "cart", "graph", "dist-graph" };
static const char *const task_flags[] = { "target", "undeferred", "untied", "final", "mergeable", "dependences" };
static const char *const cancels[] = {
	"parallel", "sections", "loop", "taskgroup", "activated", "detected", "discarded-task",
};
/* Of these the last one stands for all larger numbers. */
static const char *const polls[] = { "", " settled", " idle", " ?" };
static const char *const marks[] = { "off", "off", "on", "off" };
static const char *const usages[] = { "?", "begin", "init", "finalize", "end" };
static const char *const task_ends[] = { "", " cancelled", " discarded" };
static const char *const chunks[] = { "?", "iteration", "section", "loop", "taskloop", "distribute", "?" };
static const char *const data_ops[] = {
	"?", "alloc", "to-device", "from-device", "delete", "associate", "disassociate", "transfer", "memset",
};
static const char *const dependences[] = {
	"?", "in", "out", "inout", "mutexinoutset", "source", "sink", "inoutset", "out-all", "inout-all", "?",
};
static const char *const messages[] = { "warning", "warning", "fatal", "warning" };
static const char *const task_kinds[] = { "other", "job", "hybmon", "kernel", "?" };
static const char *const name_kinds[] = { "?", "system-call", "irq", "softirq", "signal", "device", "?" };
static const char *const switches[] = { " voluntary", " involuntary" };
static const char *const wakers[] = { "", " softirq", " irq" };
static const char *const fault_kinds[] = { " minor", " major" };
static const char *const fault_of[] = { " kernel", " user" };
static const char *const handlers[] = { " default", " ignored", " handler" };
static const char *const losses[] = { "full", "full", "throttled", "switch", "full" };
static const char *const transfers[] = { "write", "read-ahead", "flush", "discard", "meta", "error" };

static void show_mark(const struct print_value *v)
{
	if (v->value == HYB_MARK_OFF || v->value == HYB_MARK_ON)
		printf("recording %s", marks[v->value]);
	else
		printf("mark %" PRIu64, v->value);
}

/* What MPI did not tell is a question mark. */
static void show_reported(const struct print_value *v)
{
	const struct hyb_attached *a = v->line->decoded;

	if (a->unreported && (v->field->bits == 64 || v->value == (uint32_t)HYB_ANY))
		putchar('?');
	else
		printf("%" PRId64, v->field->bits == 64 ? (int64_t)v->value : (int32_t)v->value);
}

static void show_coll(const struct print_value *v)
{
	const char *word = hyb_coll_word((enum hyb_coll)v->value);

	if (word)
		printf(" %s", word);
	else
		printf(" operation?%" PRIu64, v->value);
}

/* Where a request ends it; otherwise the region is the operation. */
static void show_done_coll(const struct print_value *v)
{
	if (((const struct hyb_attached *)v->line->decoded)->request)
		show_coll(v);
}

static void show_site(const struct print_value *v)
{
	print_put_site(v->line->process, v->value, v->line->time);
}

/* The innermost frame first. */
static void put_callers(const struct print_process *p, uint64_t id)
{
	const struct hyb_callers *callers = &p->defs->callers;
	const struct hyb_caller *frame = hyb_callers_find(callers, id);

	if (!frame)
		fputs(id ? " ?" : " not known", stdout);
	for (const struct hyb_caller *next; frame; frame = next) {
		next = hyb_callers_next(callers, frame);
		print_put_address(frame->object ? hyb_defs_object(p->defs, frame->object) : NULL, frame->address);
		if (!next && frame->end != HYB_FRAME_OUTERMOST)
			fputs(frame->end == HYB_FRAME_ENOUGH ? " ..." : " [cut]", stdout);
	}
}

static void show_stack(const struct print_value *v)
{
	if (v->line->process->defs)
		put_callers(v->line->process, v->value);
	else if (v->line->options->times)
		print_put_kernel_stack(v->line->process, v->value, v->line->time);
}

/* How much of the stack a STACK_COPY has, after so many registers. */
static void show_copied(const struct print_value *v)
{
	printf("%" PRIu64, v->line->count > 1 + v->value ? (v->line->count - 1 - v->value) * 8 : 0);
}

static void show_data_op(const struct print_value *v)
{
	const uint64_t op = v->value & ~(uint64_t)HYB_DATA_ASYNC;

	fputs(data_ops[op < PRINT_COUNT_OF(data_ops) ? op : 0], stdout);
}

static void show_parameter(const struct print_value *v)
{
	const uint64_t value = v->line->words[1];
	double real;

	switch (v->value) {
	case HYB_METRIC_UINT64:
		printf(" unsigned=%" PRIu64, value);
		break;
	case HYB_METRIC_INT64:
		printf(" int=%" PRId64, (int64_t)value);
		break;
	case HYB_METRIC_DOUBLE:
		memcpy(&real, &value, sizeof(real));
		printf(" double=%.17g", real);
		break;
	case HYB_PARAMETER_TEXT:
		fputs(" string=", stdout);
		print_put_text(v->line->process, value);
		break;
	default:
		printf(" type%" PRIu64 "=%" PRIu64, v->value, value);
	}
}

static void show_comm_number(const struct print_value *v)
{
	const struct hyb_comm *comm = v->line->process->defs ? hyb_defs_comm(v->line->process->defs, v->value) : NULL;

	if (comm && comm->defined)
		printf("comm#%u", comm->number);
	else
		printf("comm?%" PRIu64, v->value);
}

static void show_win_number(const struct print_value *v)
{
	const struct hyb_win *win = v->line->process->defs ? hyb_defs_win(v->line->process->defs, v->value) : NULL;

	if (win && win->defined)
		printf("win#%u", win->number);
	else
		printf("win?%" PRIu64, v->value);
}

static void show_place(const struct print_value *v)
{
	const struct hyb_region *region = print_find_region(v->line->process, v->value);

	if (!region)
		return;
	hyb_show(stdout, " %s", region->name);
	print_put_place(v->line->process, region);
}

static void show_source(const struct print_value *v)
{
	const struct hyb_region *region = print_find_region(v->line->process, v->value);

	if (!region) {
		printf("region?%" PRIu64, v->value);
		return;
	}
	print_put_word(region->name);
	fputs(" file=", stdout);
	print_put_word(region->file ? region->file : "");
	printf(" line=%u", region->line);
}

static void show_object(const struct print_value *v)
{
	const struct hyb_defs *defs = v->line->process->defs;
	const struct hyb_object *object = defs ? hyb_defs_object(defs, v->value) : NULL;

	if (!object)
		return;
	print_put_word(object->path);
	if (v->line->options->times)
		printf(" id=%" PRIu64 " base=0x%" PRIx64, v->value, object->base);
	if (!object->build_length)
		return;
	fputs(" build=", stdout);
	for (uint32_t i = 0; i < object->build_length; i++)
		printf("%02x", object->build[i]);
}

static void show_frame(const struct print_value *v)
{
	struct hyb_defs *defs = v->line->process->defs;
	const struct hyb_caller *frame = defs ? hyb_callers_find(&defs->callers, v->value) : NULL, *next;

	printf("%" PRIu64, v->value);
	if (!frame)
		return;
	print_put_address(frame->object ? hyb_defs_object(defs, frame->object) : NULL, frame->address);
	next = hyb_callers_next(&defs->callers, frame);
	if (next)
		printf(" caller=%" PRIu64, next->id);
}

static void show_task_name(const struct print_value *v)
{
	print_put_part((const char *)v->line->words + v->field->at, sizeof(((struct hyb_def_task *)0)->name), SIZE_MAX);
}

static void show_kernel_task(const struct print_value *v)
{
	print_put_kernel_task(v->line->process, (uint32_t)v->value, v->line->time, v->line->options->times);
}

static void show_kernel_name(const struct print_value *v)
{
	if (v->field->count == HYB_NAME_SYSCALL)
		fputs("sys_", stdout);
	print_put_kernel_name(v->line->process, v->field->count, (uint32_t)v->value);
}

static void show_kernel_metric(const struct print_value *v)
{
	print_put_kernel_metric(v->line->process, (uint32_t)v->value);
}

/* As ps shows it. */
static void show_task_state(const struct print_value *v)
{
	static const char letters[] = "SDTtXZPI";

	if (!(v->value & 0xff))
		putchar('R');
	for (size_t i = 0; i < sizeof(letters) - 1; i++) {
		if (v->value >> i & 1)
			putchar(letters[i]);
	}
}

/* Elsewhere. */
#define show_rma print_show_rma
#define show_io print_show_io
#define show_shape print_show_shape
#define PRINT_KERNEL_NAME(kind) PRINT_OWN(kernel_name), .count = HYB_NAME_##kind

#define MESSAGE_FIELDS \
	F(ALWAYS, OWN(reported), " tag=", GOT(hyb_attached, tag), "") \
	F(ALWAYS, COMM, " comm=", GOT(hyb_attached, comm), "") \
	F(ALWAYS, OWN(reported), " bytes=", GOT(hyb_attached, bytes), "") \
	F(SET, REQUEST, " request=", GOT(hyb_attached, request), "") \
	F(SET, NOTHING, " partitioned", GOT(hyb_attached, partitioned), "")
#define MEMBERS_FIELDS \
	F(ALWAYS, NUMBER, " first=", OF(hyb_def_members, first), "") \
	F(ALWAYS, NUMBER, " count=", OF(hyb_def_members, count), "") \
	F(ALWAYS, MEMBERS, " world-ranks=", OF(hyb_def_members, count), "")
#define NET_FIELDS(bytes, family, protocol, socket) \
	F(ALWAYS, SIGNED, " bytes=", WORD(2), bytes) \
	F(ALWAYS, NUMBER, " family=", DETAIL(23, 16), family) \
	F(ALWAYS, NUMBER, " protocol=", DETAIL(15, 0), protocol) \
	F(TIMES, HEX, " socket=0x", WORD(3), socket)
#define BLOCK_FIELDS(device, bytes, sector, flags) \
	F(ALWAYS, KERNEL_NAME(DEVICE), " device=", BITS(2, 63, 32), device) \
	F(ALWAYS, NUMBER, " bytes=", BITS(2, 31, 0), bytes) \
	F(TIMES, NUMBER, " sector=", WORD(3), sector) \
	F(SET, FLAGS(transfers), " ", DETAIL(23, 0), flags)

static const struct record {
	const char *text; /* NULL: it has no row */
	const struct print_field *fields;
	uint32_t least;
	bool attached; /* a damaged stream may have one where a record with a time is expected, and the other way round */
} records[] = {
#define HYB_TIMED_ROW(type, words, meaning, text, fields) [HYB_##type] = { text, PRINT_FIELDS(fields), 1 },
#define HYB_ATTACHED_ROW(type, words, with, meaning, text, fields) [HYB_##type] = { text, PRINT_FIELDS(fields), 1, true },
#include "format/records.tbl.h"
}, definitions[] = {
#define HYB_DEFINITION(type, least, meaning, text, fields) [HYB_DEF_##type] = { text, PRINT_FIELDS(fields), least },
#include "format/records.tbl.h"
};

static const struct kernel_record {
	const char *text;
	const struct print_field *fields;
	const char *label; /* what it is counted as; NULL: as nothing known */
	uint8_t names;	   /* enum hyb_kernel_names, 0: none */
	uint8_t part;
} kernel_records[] = {
#define HYB_KERNEL_ROW(what, part, label, names, text, when, fields) \
	[HYB_KERNEL_##what] = { text, PRINT_FIELDS(fields), label, names, PRINT_KERNEL_##part },
#include "format/records.tbl.h"
};

static void put_record(const struct print_line *line, const struct record *r)
{
	struct print_line l = *line;

	l.least = r->least;
	fputs(r->text, stdout);
	print_fields(&l, r->fields);
}

static bool put_known(const struct print_line *line, uint32_t type, bool attached)
{
	if (type >= PRINT_COUNT_OF(records) || !records[type].text || records[type].attached != attached)
		return false;
	put_record(line, &records[type]);
	return true;
}

bool print_timed(const struct print_line *line, uint32_t type)
{
	return put_known(line, type, false);
}

void print_attached(const struct print_line *line, uint32_t type)
{
	fputs("  ", stdout);
	put_known(line, type, true);
}

bool print_definition(const struct print_line *line, uint32_t type)
{
	const struct record *r = type < PRINT_COUNT_OF(definitions) ? &definitions[type] : NULL;

	if (!r || !r->text || line->count < r->least)
		return false;
	/* Of this one alone no part is shown. */
	if (type == HYB_DEF_KERNEL_NAME && line->words[1] > (line->count - r->least) * UINT64_C(8))
		return false;
	put_record(line, r);
	return true;
}

/* What bits 55-32 of word 1 say. */

static uint32_t detail_of(uint64_t word)
{
	return (uint32_t)(word >> 32) & 0xffffff;
}

void print_kernel(const struct print_line *line, uint64_t what)
{
	static const struct print_field current[] = {
		F(ALWAYS, OWN(kernel_task), " task=", BITS(1, 31, 0), "") { NULL }
	};
	static const struct print_field unknown[] = {
		F(ALWAYS, NUMBER, "kernel what=", ID, "") F(ALWAYS, NUMBER, " detail=", DETAIL(23, 0), "") { NULL }
	};
	const struct kernel_record *r = what < PRINT_COUNT_OF(kernel_records) ? &kernel_records[what] : NULL;

	if (r && r->text)
		fputs(r->text, stdout);
	print_fields(line, r && r->text ? r->fields : unknown);
	if (what != HYB_KERNEL_LOST)
		print_fields(line, current);
}

enum print_kernel_part print_kernel_name(struct print_process *p, const struct hyb_event *e, char *buf, size_t size)
{
	const struct kernel_record *r = e->id < PRINT_COUNT_OF(kernel_records) ? &kernel_records[e->id] : NULL;
	const uint32_t detail = e->head > 1 ? detail_of(e->words[1]) : 0;
	const char *name = r && r->names ? print_kernel_find_name(p, r->names, detail) : NULL;

	if (!r || !r->label) {
		snprintf(buf, size, "kernel?%" PRIu64, e->id);
		return PRINT_KERNEL_EVENT;
	}
	if (r->names && !name)
		snprintf(buf, size, "%s%u", r->label, detail);
	else if (e->id == HYB_KERNEL_SWITCH)
		snprintf(buf, size, "switch%s", switches[!!(detail & HYB_SWITCH_INVOLUNTARY)]);
	else
		snprintf(buf, size, "%s%s", r->label, name ? name : "");
	return r->part;
}
