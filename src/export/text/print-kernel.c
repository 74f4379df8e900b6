/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon-print: the lines of what the kernel did, and its definitions. As stable as the others. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/text/print-job.h"
#include "reader/streams/kdefs.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

struct print_kernel {
	struct hyb_kdefs defs;
};

/* What its numbers mean, read when it is first asked. */
static const struct hyb_kdefs *defs_of(struct print_process *p)
{
	if (p->kernel)
		return &p->kernel->defs;
	p->kernel = print_must(calloc(1, sizeof(*p->kernel)));
	if (p->process->defs && hyb_kdefs_read(p->process->defs, p->process->owner, NULL, &p->kernel->defs) == -ENOMEM)
		print_die(ENOMEM);
	return &p->kernel->defs;
}

void print_kernel_free(struct print_process *p)
{
	if (p->kernel)
		hyb_kdefs_free(&p->kernel->defs);
	free(p->kernel);
	p->kernel = NULL;
}

static void put_name(const struct print_stream *s, enum hyb_kernel_names kind, uint32_t number)
{
	const char *name = hyb_kdefs_name(defs_of(s->process), kind, number);

	if (kind == HYB_NAME_SYSCALL)
		fputs("sys_", stdout);
	if (name)
		print_put_word(name);
	else
		printf("%u", number);
}

/* A call chain with its number, as that is in the definitions. */
void print_kernel_stack(const struct print_stream *s, uint64_t id, uint64_t time)
{
	char *text = NULL;
	size_t size;
	FILE *to;

	printf(" %" PRIu64, id);
	to = print_must(open_memstream(&text, &size));
	if (!hyb_kdefs_stack(defs_of(s->process), id, time, NULL, NULL, to) && !fflush(to))
		hyb_show(stdout, " %s", text);
	fclose(to);
	free(text);
}

/* Numbers of tasks differ between two runs; their names do not. */
static void put_task(const struct print_options *o, const struct print_stream *s, const char *key, uint32_t task,
		     uint64_t time)
{
	const struct hyb_ktask *def = hyb_kdefs_task(defs_of(s->process), task, time);

	printf(" %s=", key);
	if (!task || task == HYB_TASK_OTHER) {
		fputs(task ? "other" : "idle", stdout);
		return;
	}
	print_put_word(def && *def->name ? def->name : "?");
	if (o->times)
		printf("/%u", task);
}

static void put_address(const struct print_options *o, const char *key, uint64_t address)
{
	if (o->times)
		printf(" %s=0x%" PRIx64, key, address);
}

/* A record's word, 0 where it is too short. */
static uint64_t word(const struct hyb_event *e, uint32_t n)
{
	return n < e->head ? e->words[n] : 0;
}

static void print_switch(const struct print_options *o, const struct print_stream *s, const struct hyb_event *e,
			 uint32_t detail)
{
	static const char letters[] = "SDTtXZPI";
	uint32_t state = detail & HYB_SWITCH_STATE;

	put_task(o, s, "next", (uint32_t)word(e, 2), e->time);
	fputs(detail & HYB_SWITCH_INVOLUNTARY ? " involuntary" : " voluntary", stdout);
	if (state == HYB_SWITCH_STATE)
		return;
	fputs(" state=", stdout);
	if (!(state & 0xff))
		putchar('R');
	for (size_t i = 0; i < sizeof(letters) - 1; i++) {
		if (state >> i & 1)
			putchar(letters[i]);
	}
}

static void print_signal(const struct print_options *o, const struct print_stream *s, const struct hyb_event *e,
			 uint32_t detail)
{
	bool sent = e->id == HYB_KERNEL_SIGNAL_GENERATE;

	fputs(sent ? "signal generate " : "signal deliver ", stdout);
	put_name(s, HYB_NAME_SIGNAL, detail);
	if (sent)
		put_task(o, s, "to", (uint32_t)word(e, 2), e->time);
	printf(" code=%d", (int)(word(e, 2) >> 32));
	if (!sent)
		fputs(!word(e, 3) ? " default" : word(e, 3) == 1 ? " ignored" : " handler", stdout);
	else if (word(e, 3) & HYB_SIGNAL_NOT_SENT)
		fputs(" not-sent", stdout);
	if (sent && word(e, 3) & HYB_SIGNAL_GROUP)
		fputs(" group", stdout);
}

static void print_block(const struct print_options *o, const struct print_stream *s, const struct hyb_event *e,
			uint32_t detail)
{
	static const char *const flags[] = { "write", "read-ahead", "flush", "discard", "meta", "error" };

	printf("block %s device=", e->id == HYB_KERNEL_BLOCK_ISSUE ? "issue" : "complete");
	put_name(s, HYB_NAME_DEVICE, (uint32_t)(word(e, 2) >> 32));
	printf(" bytes=%u", (uint32_t)word(e, 2));
	if (o->times)
		printf(" sector=%" PRIu64, word(e, 3));
	if (!detail)
		return;
	putchar(' ');
	print_put_bits(flags, COUNT_OF(flags), detail);
}

static void print_net(const struct print_options *o, const struct hyb_event *e, uint32_t detail)
{
	printf("net %s bytes=%" PRId64 " family=%u protocol=%u", e->id == HYB_KERNEL_NET_SEND ? "send" : "receive",
	       (int64_t)word(e, 2), detail >> 16, detail & 0xffff);
	put_address(o, "socket", word(e, 3));
}

static void print_fault(const struct print_options *o, const struct hyb_event *e, uint32_t detail)
{
	bool begins = e->id == HYB_KERNEL_FAULT_BEGIN;

	printf("fault %s", begins ? "begin" : detail & HYB_FAULT_MAJOR ? "end major" : "end minor");
	fputs(detail & HYB_FAULT_USER ? " user" : " kernel", stdout);
	put_address(o, "address", word(e, 2));
	if (begins)
		put_address(o, "ip", word(e, 3));
}

static void print_counts(const struct print_options *o, const struct hyb_event *e)
{
	printf("counts voluntary=%" PRIu64 " involuntary=%" PRIu64 " minor=%" PRIu64 " major=%" PRIu64, word(e, 2), word(e, 3),
	       word(e, 4), word(e, 5));
	if (o->times)
		printf(" ran=%" PRIu64 " waited=%" PRIu64, word(e, 6), word(e, 7));
}

static void print_sample(const struct print_stream *s, const struct hyb_event *e, uint32_t detail)
{
	const struct hyb_kdefs *defs = defs_of(s->process);
	size_t i = 0;

	while (i < defs->metric_count && defs->metrics[i].id != detail)
		i++;
	fputs("sample of=", stdout);
	if (i < defs->metric_count)
		print_put_word(defs->metrics[i].name);
	else
		printf("%u", detail);
	printf(" weight=%" PRIu64, word(e, 2));
}

/* Whatever has a name, and its end. False: it is none of these. */
static bool print_region(const struct print_stream *s, const struct hyb_event *e, uint32_t detail)
{
	switch (e->id) {
	case HYB_KERNEL_SYSCALL_ENTER:
	case HYB_KERNEL_SYSCALL_EXIT:
		fputs(e->id == HYB_KERNEL_SYSCALL_ENTER ? "enter " : "leave ", stdout);
		put_name(s, HYB_NAME_SYSCALL, detail);
		if (e->id == HYB_KERNEL_SYSCALL_EXIT)
			printf(" ret=%" PRId64, (int64_t)word(e, 2));
		return true;
	case HYB_KERNEL_IRQ_ENTER:
	case HYB_KERNEL_IRQ_EXIT:
		fputs(e->id == HYB_KERNEL_IRQ_ENTER ? "enter irq " : "leave irq ", stdout);
		put_name(s, HYB_NAME_IRQ, detail);
		return true;
	case HYB_KERNEL_SOFTIRQ_ENTER:
	case HYB_KERNEL_SOFTIRQ_EXIT:
		fputs(e->id == HYB_KERNEL_SOFTIRQ_ENTER ? "enter softirq " : "leave softirq ", stdout);
		put_name(s, HYB_NAME_SOFTIRQ, detail);
		return true;
	}
	return false;
}

/* What happened to a task. False: it is none of these. */
static bool print_sched(const struct print_options *o, const struct print_stream *s, const struct hyb_event *e,
			uint32_t detail)
{
	switch (e->id) {
	case HYB_KERNEL_SWITCH:
		fputs("switch", stdout);
		print_switch(o, s, e, detail);
		return true;
	case HYB_KERNEL_RESUME:
		printf("resume");
		if (o->times)
			printf(" cpu=%u", detail);
		return true;
	case HYB_KERNEL_WAKING:
		fputs("waking", stdout);
		put_task(o, s, "target", (uint32_t)word(e, 2), e->time);
		if (o->times)
			printf(" cpu=%u", detail & (HYB_WAKING_SOFTIRQ - 1));
		if (detail & (HYB_WAKING_IRQ | HYB_WAKING_SOFTIRQ))
			fputs(detail & HYB_WAKING_IRQ ? " irq" : " softirq", stdout);
		return true;
	case HYB_KERNEL_MIGRATE:
		fputs("migrate", stdout);
		put_task(o, s, "target", (uint32_t)word(e, 2), e->time);
		printf(" from=%u to=%u", (uint32_t)(word(e, 2) >> 48), (uint32_t)(word(e, 2) >> 32 & 0xffff));
		return true;
	case HYB_KERNEL_FORK:
		fputs("fork", stdout);
		put_task(o, s, "new", (uint32_t)word(e, 2), e->time);
		return true;
	case HYB_KERNEL_EXIT:
		fputs("exit", stdout);
		return true;
	}
	return false;
}

void print_kernel(const struct print_options *o, const struct print_stream *s, const struct hyb_event *e)
{
	uint32_t detail = (uint32_t)(word(e, 1) >> 32) & 0xffffff;

	if (e->id == HYB_KERNEL_SIGNAL_GENERATE || e->id == HYB_KERNEL_SIGNAL_DELIVER)
		print_signal(o, s, e, detail);
	else if (e->id == HYB_KERNEL_NET_SEND || e->id == HYB_KERNEL_NET_RECV)
		print_net(o, e, detail);
	else if (e->id == HYB_KERNEL_BLOCK_ISSUE || e->id == HYB_KERNEL_BLOCK_COMPLETE)
		print_block(o, s, e, detail);
	else if (e->id == HYB_KERNEL_FAULT_BEGIN || e->id == HYB_KERNEL_FAULT_END)
		print_fault(o, e, detail);
	else if (e->id == HYB_KERNEL_TCP_RETRANSMIT)
		printf("tcp retransmit port=%u to-port=%u", (uint32_t)(word(e, 2) >> 16 & 0xffff),
		       (uint32_t)(word(e, 2) & 0xffff));
	else if (e->id == HYB_KERNEL_LOST)
		printf("lost count=%" PRIu64 " why=%s", word(e, 2), detail == HYB_LOST_THROTTLED ? "throttled" :
		       detail == HYB_LOST_SWITCH ? "switch" : "full");
	else if (e->id == HYB_KERNEL_COUNTS)
		print_counts(o, e);
	else if (e->id == HYB_KERNEL_SAMPLE)
		print_sample(s, e, detail);
	else if (!print_region(s, e, detail) && !print_sched(o, s, e, detail))
		printf("kernel what=%" PRIu64 " detail=%u", e->id, detail);
	if (e->id != HYB_KERNEL_LOST)
		put_task(o, s, "task", (uint32_t)word(e, 1), e->time);
}

enum print_kernel_part print_kernel_name(const struct print_stream *s, const struct hyb_event *e, char *buf,
					 size_t size)
{
	static const struct {
		const char *prefix;
		uint8_t names; /* enum hyb_kernel_names, 0: none */
		uint8_t part;
	} kinds[] = {
		[HYB_KERNEL_SWITCH] = { "switch", 0, PRINT_KERNEL_EVENT },
		[HYB_KERNEL_RESUME] = { "resume", 0, PRINT_KERNEL_EVENT },
		[HYB_KERNEL_WAKING] = { "waking", 0, PRINT_KERNEL_EVENT },
		[HYB_KERNEL_MIGRATE] = { "migrate", 0, PRINT_KERNEL_EVENT },
		[HYB_KERNEL_FORK] = { "fork", 0, PRINT_KERNEL_EVENT },
		[HYB_KERNEL_EXIT] = { "exit", 0, PRINT_KERNEL_EVENT },
		[HYB_KERNEL_SYSCALL_ENTER] = { "sys_", HYB_NAME_SYSCALL, PRINT_KERNEL_BEGIN },
		[HYB_KERNEL_SYSCALL_EXIT] = { "sys_", HYB_NAME_SYSCALL, PRINT_KERNEL_END },
		[HYB_KERNEL_FAULT_BEGIN] = { "page fault", 0, PRINT_KERNEL_BEGIN },
		[HYB_KERNEL_FAULT_END] = { "page fault", 0, PRINT_KERNEL_END },
		[HYB_KERNEL_IRQ_ENTER] = { "irq ", HYB_NAME_IRQ, PRINT_KERNEL_BEGIN },
		[HYB_KERNEL_IRQ_EXIT] = { "irq ", HYB_NAME_IRQ, PRINT_KERNEL_END },
		[HYB_KERNEL_SOFTIRQ_ENTER] = { "softirq ", HYB_NAME_SOFTIRQ, PRINT_KERNEL_BEGIN },
		[HYB_KERNEL_SOFTIRQ_EXIT] = { "softirq ", HYB_NAME_SOFTIRQ, PRINT_KERNEL_END },
		[HYB_KERNEL_SIGNAL_GENERATE] = { "generate ", HYB_NAME_SIGNAL, PRINT_KERNEL_EVENT },
		[HYB_KERNEL_SIGNAL_DELIVER] = { "deliver ", HYB_NAME_SIGNAL, PRINT_KERNEL_EVENT },
		[HYB_KERNEL_NET_SEND] = { "net send", 0, PRINT_KERNEL_EVENT },
		[HYB_KERNEL_NET_RECV] = { "net receive", 0, PRINT_KERNEL_EVENT },
		[HYB_KERNEL_TCP_RETRANSMIT] = { "tcp retransmit", 0, PRINT_KERNEL_EVENT },
		[HYB_KERNEL_BLOCK_ISSUE] = { "block transfer", 0, PRINT_KERNEL_BEGIN },
		[HYB_KERNEL_BLOCK_COMPLETE] = { "block transfer", 0, PRINT_KERNEL_END },
		[HYB_KERNEL_LOST] = { "lost", 0, PRINT_KERNEL_EVENT },
		[HYB_KERNEL_COUNTS] = { "counts", 0, PRINT_KERNEL_EVENT },
	};
	uint32_t detail = (uint32_t)(word(e, 1) >> 32) & 0xffffff;
	const char *name = NULL;

	if (e->id >= COUNT_OF(kinds) || !kinds[e->id].prefix) {
		snprintf(buf, size, "kernel?%" PRIu64, e->id);
		return PRINT_KERNEL_EVENT;
	}
	if (kinds[e->id].names)
		name = hyb_kdefs_name(defs_of(s->process), kinds[e->id].names, detail);
	if (kinds[e->id].names && !name)
		snprintf(buf, size, "%s%u", kinds[e->id].prefix, detail);
	else if (e->id == HYB_KERNEL_SWITCH)
		snprintf(buf, size, "switch %s", detail & HYB_SWITCH_INVOLUNTARY ? "involuntary" : "voluntary");
	else
		snprintf(buf, size, "%s%s", kinds[e->id].prefix, name ? name : "");
	return kinds[e->id].part;
}

static void print_task_def(const struct print_options *o, const struct hyb_event *e)
{
	static const char *const kinds[] = { "other", "job", "hybmon", "kernel" };
	char name[sizeof(((struct hyb_def_task *)0)->name) + 1] = "";
	struct hyb_def_task def;

	memcpy(&def, e->words + 1, sizeof(def));
	memcpy(name, def.name, sizeof(def.name));
	fputs(" task ", stdout);
	print_put_word(name);
	printf(" kind=%s", def.kind < COUNT_OF(kinds) ? kinds[def.kind] : "?");
	if (o->times)
		printf(" id=%" PRIu64 " tid=%u process=%u parent=%u since=%" PRIu64, e->id, def.tid, def.tgid,
		       def.parent, def.start);
}

static void copy_name(char *to, size_t room, const void *name, uint64_t length)
{
	if (length > room - 1)
		length = room - 1;
	memcpy(to, name, length);
	to[length] = 0;
}

static void print_name_def(const struct print_options *o, const struct hyb_event *e)
{
	static const char *const kinds[] = { "?", "system-call", "irq", "softirq", "signal", "device" };
	uint32_t kind = (uint32_t)(e->id >> 32);
	char name[64];

	(void)o;
	copy_name(name, sizeof(name), e->words + 2, e->words[1]);
	printf(" kernel-name %s %u ", kinds[kind < COUNT_OF(kinds) ? kind : 0], (uint32_t)e->id);
	print_put_word(name);
}

static void print_stack_def(const struct print_options *o, const struct hyb_event *e)
{
	struct hyb_def_stack def;

	memcpy(&def, e->words + 1, sizeof(def));
	printf(" stack %" PRIu64 " kernel=%u user=%u", e->id, def.kernel, def.user);
	for (uint32_t i = 1 + sizeof(def) / 8; i < e->count && o->times; i++)
		printf(" 0x%" PRIx64, e->words[i]);
}

static void print_symbol_def(const struct print_options *o, const struct hyb_event *e)
{
	const size_t room = (e->count - 1) * 8 - sizeof(struct hyb_def_symbol);
	struct hyb_def_symbol def;
	char name[256];

	memcpy(&def, e->words + 1, sizeof(def));
	copy_name(name, sizeof(name), (const char *)(e->words + 1) + sizeof(def),
		  def.name_length < room ? def.name_length : room);
	fputs(" symbol ", stdout);
	print_put_word(name);
	put_address(o, "address", def.address);
	printf(" size=%u", def.size);
}

static void print_mapping_def(const struct print_options *o, const struct hyb_event *e)
{
	const size_t room = (e->count - 1) * 8 - sizeof(struct hyb_def_mapping);
	struct hyb_def_mapping def;
	char path[1024];

	memcpy(&def, e->words + 1, sizeof(def));
	copy_name(path, sizeof(path), (const char *)(e->words + 1) + sizeof(def),
		  def.path_length < room ? def.path_length : room);
	fputs(" mapping ", stdout);
	print_put_word(path);
	if (o->times)
		printf(" process=%" PRIu64 " address=0x%" PRIx64 " length=0x%" PRIx64 " offset=0x%" PRIx64 " since=%" PRIu64,
		       e->id, def.address, def.length, def.offset, def.start);
}

bool print_kernel_def(const struct print_options *o, const struct print_process *p, const struct hyb_event *e)
{
	static const struct {
		uint32_t type;
		size_t size;
		void (*print)(const struct print_options *o, const struct hyb_event *e);
	} kinds[] = {
		{ HYB_DEF_TASK, sizeof(struct hyb_def_task), print_task_def },
		{ HYB_DEF_STACK, sizeof(struct hyb_def_stack), print_stack_def },
		{ HYB_DEF_SYMBOL, sizeof(struct hyb_def_symbol), print_symbol_def },
		{ HYB_DEF_MAPPING, sizeof(struct hyb_def_mapping), print_mapping_def },
	};

	(void)p;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		if (e->type != kinds[i].type || e->count <= kinds[i].size / 8)
			continue;
		kinds[i].print(o, e);
		return true;
	}
	if (e->type != HYB_DEF_KERNEL_NAME || e->count < 2 || e->words[1] > (e->count - 2) * UINT64_C(8))
		return false;
	print_name_def(o, e);
	return true;
}

void print_kernel_line(const struct print_process *p)
{
	const struct hyb_manifest *m = &p->process->manifest;
	static const char *const keys[] = { "kernel", "events", "tasks" };
	const char *missing;

	printf(" lost=%" PRIu64, m->lost);
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		const char *value = hyb_manifest_get(m, keys[i], 0);

		printf(" %s=", keys[i]);
		print_put_word(value ? value : "");
	}
	putchar('\n');
	for (size_t i = 0; (missing = hyb_manifest_get(m, "missing", i)); i++) {
		printf("%s missing ", p->label);
		print_put_word(missing);
		putchar('\n');
	}
}

int64_t print_kernel_ns(const struct print_process *p, uint64_t raw)
{
	return (int64_t)(raw + (uint64_t)p->clock->offset);
}
