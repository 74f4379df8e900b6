/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a collector's definitions and finds things in them; see kdefs.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/streams/kdefs.h"
#include "reader/containers/array.h"
#include "reader/containers/search.h"
#include "reader/streams/stream.h"
#include "reader/streams/text.h"

static int add_task(struct hyb_kdefs *d, const struct hyb_event *e)
{
	struct hyb_def_task def;
	struct hyb_ktask *task;

	if (e->count < 1 + sizeof(def) / 8 || e->id > UINT32_MAX)
		return -EBADMSG;
	memcpy(&def, e->words + 1, sizeof(def));
	task = hyb_array_room(d->tasks, &d->task_room, d->task_count, sizeof(*task));
	if (!task)
		return -ENOMEM;
	d->tasks = task;
	task = &d->tasks[d->task_count++];
	memset(task, 0, sizeof(*task));
	task->number = (uint32_t)e->id;
	task->start = def.start;
	task->tid = def.tid;
	task->tgid = def.tgid;
	task->kind = def.kind;
	memcpy(task->name, def.name, sizeof(def.name));
	return 0;
}

static int add_name(struct hyb_kdefs *d, const struct hyb_event *e)
{
	struct hyb_kname *names;
	char *name;
	int err = e->count < 2 ? -EBADMSG : hyb_event_text(e, 2, e->words[1], &name);

	if (err)
		return err;
	names = hyb_array_room(d->names, &d->name_room, d->name_count, sizeof(*names));
	if (!names) {
		free(name);
		return -ENOMEM;
	}
	d->names = names;
	d->names[d->name_count++] = (struct hyb_kname){ e->id, name };
	return 0;
}

static int add_stack(struct hyb_kdefs *d, const struct hyb_event *e)
{
	struct hyb_kstack stack = { .id = e->id, .first = d->address_count }, *stacks;
	size_t at = 1 + sizeof(stack.def) / 8, count;
	uint64_t *addresses;

	if (e->count < at)
		return -EBADMSG;
	memcpy(&stack.def, e->words + 1, sizeof(stack.def));
	count = (size_t)stack.def.kernel + stack.def.user;
	if (count > e->count - at)
		return -EBADMSG;
	stacks = hyb_array_room(d->stacks, &d->stack_room, d->stack_count, sizeof(*stacks));
	if (!stacks)
		return -ENOMEM;
	d->stacks = stacks;
	addresses = hyb_array_hold(d->addresses, &d->address_room, d->address_count + count, sizeof(*addresses));
	if (!addresses)
		return -ENOMEM;
	d->addresses = addresses;
	memcpy(d->addresses + d->address_count, e->words + at, count * sizeof(*d->addresses));
	d->address_count += count;
	d->stacks[d->stack_count++] = stack;
	return 0;
}

static int add_symbol(struct hyb_kdefs *d, const struct hyb_event *e)
{
	struct hyb_ksymbol *symbols;
	struct hyb_def_symbol def;
	char *name;
	int err;

	if (e->count < 1 + sizeof(def) / 8)
		return -EBADMSG;
	memcpy(&def, e->words + 1, sizeof(def));
	err = hyb_event_text(e, 1 + sizeof(def) / 8, def.name_length, &name);
	if (err)
		return err;
	symbols = hyb_array_room(d->symbols, &d->symbol_room, d->symbol_count, sizeof(*symbols));
	if (!symbols) {
		free(name);
		return -ENOMEM;
	}
	d->symbols = symbols;
	d->symbols[d->symbol_count++] = (struct hyb_ksymbol){ def.address, def.size, name };
	return 0;
}

static int add_mapping(struct hyb_kdefs *d, const struct hyb_event *e)
{
	struct hyb_kmapping mapping = { .tgid = (uint32_t)e->id }, *mappings;
	int err;

	if (e->count < 1 + sizeof(mapping.def) / 8)
		return -EBADMSG;
	memcpy(&mapping.def, e->words + 1, sizeof(mapping.def));
	err = hyb_event_text(e, 1 + sizeof(mapping.def) / 8, mapping.def.path_length, &mapping.path);
	if (err)
		return err;
	mappings = hyb_array_room(d->mappings, &d->mapping_room, d->mapping_count, sizeof(*mappings));
	if (!mappings) {
		free(mapping.path);
		return -ENOMEM;
	}
	d->mappings = mappings;
	d->mappings[d->mapping_count++] = mapping;
	return 0;
}

static int add_metric(struct hyb_kdefs *d, const struct hyb_event *e)
{
	struct hyb_kmetric metric = { .id = e->id }, *metrics;
	size_t at = 1 + sizeof(metric.def) / 8;
	int err;

	if (e->count < at)
		return -EBADMSG;
	memcpy(&metric.def, e->words + 1, sizeof(metric.def));
	err = hyb_event_text(e, (uint32_t)at, metric.def.name_length, &metric.name);
	if (err)
		return err;
	at += (metric.def.name_length + (size_t)7) / 8;
	err = hyb_event_text(e, (uint32_t)at, metric.def.unit_length, &metric.unit);
	metrics = err ? NULL : hyb_array_room(d->metrics, &d->metric_room, d->metric_count, sizeof(*metrics));
	if (!metrics) {
		free(metric.name);
		if (!err)
			free(metric.unit);
		return err ? err : -ENOMEM;
	}
	d->metrics = metrics;
	d->metrics[d->metric_count++] = metric;
	return 0;
}

static int add(struct hyb_kdefs *d, const struct hyb_event *e)
{
	switch (e->type) {
	case HYB_DEF_TASK:
		return add_task(d, e);
	case HYB_DEF_KERNEL_NAME:
		return add_name(d, e);
	case HYB_DEF_STACK:
		return add_stack(d, e);
	case HYB_DEF_SYMBOL:
		return add_symbol(d, e);
	case HYB_DEF_MAPPING:
		return add_mapping(d, e);
	case HYB_DEF_METRIC:
		return add_metric(d, e);
	}
	return 0;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_task(const void *a, const void *b)
{
	const struct hyb_ktask *x = a, *y = b;

	return x->number != y->number ? compare(x->number, y->number) : compare(x->start, y->start);
}

static int by_id(const void *a, const void *b)
{
	return compare(((const struct hyb_kname *)a)->id, ((const struct hyb_kname *)b)->id);
}

static int by_stack(const void *a, const void *b)
{
	return compare(((const struct hyb_kstack *)a)->id, ((const struct hyb_kstack *)b)->id);
}

static int by_address(const void *a, const void *b)
{
	return compare(((const struct hyb_ksymbol *)a)->address, ((const struct hyb_ksymbol *)b)->address);
}

static int by_mapping(const void *a, const void *b)
{
	const struct hyb_kmapping *x = a, *y = b;

	return x->tgid != y->tgid ? compare(x->tgid, y->tgid) : compare(x->def.start, y->def.start);
}

static void sort(void *table, size_t count, size_t size, int (*by)(const void *, const void *))
{
	if (count)
		qsort(table, count, size, by);
}

int hyb_kdefs_read(const char *path, uid_t owner, const struct hyb_diag *diag, struct hyb_kdefs *d)
{
	struct hyb_reader *reader;
	struct hyb_event e;
	int ret, err;

	memset(d, 0, sizeof(*d));
	ret = hyb_reader_open(path, owner, diag, &reader);
	if (ret)
		return ret;
	if (hyb_reader_header(reader)->kind != HYB_STREAM_DEFS) {
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: is no stream of definitions", path);
		hyb_reader_close(reader);
		return -EINVAL;
	}
	while ((ret = hyb_reader_next(reader, &e)) > 0) {
		err = e.type == HYB_EVENT_GAP ? 0 : add(d, &e);
		if (err == -ENOMEM) {
			ret = err;
			break;
		}
		d->corrupt += err != 0;
	}
	hyb_reader_close(reader);
	sort(d->tasks, d->task_count, sizeof(*d->tasks), by_task);
	sort(d->names, d->name_count, sizeof(*d->names), by_id);
	sort(d->stacks, d->stack_count, sizeof(*d->stacks), by_stack);
	sort(d->symbols, d->symbol_count, sizeof(*d->symbols), by_address);
	sort(d->mappings, d->mapping_count, sizeof(*d->mappings), by_mapping);
	return ret;
}

void hyb_kdefs_free(struct hyb_kdefs *d)
{
	for (size_t i = 0; i < d->name_count; i++)
		free(d->names[i].name);
	for (size_t i = 0; i < d->symbol_count; i++)
		free(d->symbols[i].name);
	for (size_t i = 0; i < d->mapping_count; i++)
		free(d->mappings[i].path);
	for (size_t i = 0; i < d->metric_count; i++) {
		free(d->metrics[i].name);
		free(d->metrics[i].unit);
	}
	free(d->metrics);
	free(d->tasks);
	free(d->names);
	free(d->stacks);
	free(d->addresses);
	free(d->symbols);
	free(d->mappings);
	memset(d, 0, sizeof(*d));
}

const struct hyb_ktask *hyb_kdefs_tasks(const struct hyb_kdefs *d, uint32_t number, size_t *count)
{
	const size_t first = HYB_SEARCH(i, d->task_count, d->tasks[i].number < number);

	for (*count = 0; first + *count < d->task_count && d->tasks[first + *count].number == number; ++*count)
		;
	return *count ? &d->tasks[first] : NULL;
}

const struct hyb_ktask *hyb_kdefs_task(const struct hyb_kdefs *d, uint32_t number, uint64_t time)
{
	size_t count, after;
	const struct hyb_ktask *tasks = hyb_kdefs_tasks(d, number, &count);

	if (!tasks)
		return NULL;
	after = HYB_SEARCH(i, count, tasks[i].start <= time);
	return &tasks[after ? after - 1 : 0];
}

const char *hyb_kdefs_name(const struct hyb_kdefs *d, enum hyb_kernel_names kind, uint32_t number)
{
	const struct hyb_kname key = { (uint64_t)kind << 32 | number, NULL };
	const struct hyb_kname *found = NULL;

	if (d->name_count)
		found = bsearch(&key, d->names, d->name_count, sizeof(key), by_id);
	return found ? found->name : NULL;
}

/* The kernel function that an address lies in, or NULL. */
static const char *symbol_at(const struct hyb_kdefs *d, uint64_t address)
{
	const size_t after = HYB_SEARCH(i, d->symbol_count, d->symbols[i].address <= address);
	const struct hyb_ksymbol *s;

	if (!after)
		return NULL;
	s = &d->symbols[after - 1];
	return !s->size || address - s->address < s->size ? s->name : NULL;
}

/* The file that a program's address lay in at that time: the latest that was mapped there. */
static const struct hyb_kmapping *mapping_at(const struct hyb_kdefs *d, uint32_t tgid, uint64_t time,
					     uint64_t address)
{
	const struct hyb_kmapping *found = NULL;
	size_t i = HYB_SEARCH(k, d->mapping_count, d->mappings[k].tgid < tgid);

	for (; i < d->mapping_count && d->mappings[i].tgid == tgid; i++) {
		const struct hyb_kmapping *m = &d->mappings[i];

		if (m->def.start <= time && address - m->def.address < m->def.length)
			found = m;
	}
	return found;
}

/* Memory that a program filled by itself: a just-in-time compiler's, or a trampoline. */
static bool is_generated(const char *path)
{
	static const char *const names[] = { "//anon", "[heap]", "[stack", "[anon", "/memfd:", "/dev/zero", "/SYSV", "anon_inode:" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(path, names[i], strlen(names[i])))
			return true;
	return !*path;
}

/* By how the kernel was entered: on x86 entry_SYSCALL_64..., on ARM el0t_64_sync, which has faults behind it, too. */
static bool is_system_call(const struct hyb_kdefs *d, const struct hyb_kstack *s)
{
	const char *name;

	for (uint32_t i = s->def.kernel; i-- > 0 && i + 5 > s->def.kernel;) {
		name = symbol_at(d, d->addresses[s->first + i]);
		if (name && (strstr(name, "SYSCALL") || !strcmp(name, "el0_svc")))
			return true;
	}
	return false;
}

/* Where several tools trace an event there is one function more of the kernel's between it and them. */
static uint32_t skip_tracers(const struct hyb_kdefs *d, const struct hyb_kstack *s)
{
	static const char *const names[] = { "__traceiter_", "__bpf_trace_", "bpf_trace_run", "bpf_prog_", "perf_trace_" };
	const char *name;
	uint32_t i = 0;
	size_t n;

	while (i < s->def.kernel && (name = symbol_at(d, d->addresses[s->first + i]))) {
		for (n = 0; n < sizeof(names) / sizeof(names[0]) && strncmp(name, names[n], strlen(names[n])); n++)
			;
		if (n == sizeof(names) / sizeof(names[0]))
			break;
		i++;
	}
	return i;
}

static const struct hyb_kstack *find_stack(const struct hyb_kdefs *d, uint64_t id)
{
	const struct hyb_kstack key = { .id = id };

	return d->stack_count ? bsearch(&key, d->stacks, d->stack_count, sizeof(key), by_stack) : NULL;
}

uint32_t hyb_kdefs_stack_tgid(const struct hyb_kdefs *d, uint64_t id)
{
	const struct hyb_kstack *s = find_stack(d, id);

	return s ? s->def.tgid : 0;
}

struct walk {
	const struct hyb_kdefs *defs;
	const struct hyb_kstack *stack;
	uint64_t time;
	hyb_kstack_visit visit;
	void *arg;
};

static void walk_kernel(const struct walk *w)
{
	for (uint32_t i = skip_tracers(w->defs, w->stack); i < w->stack->def.kernel; i++) {
		const uint64_t address = w->defs->addresses[w->stack->first + i];

		w->visit(w->arg, &(const struct hyb_kstack_frame){ .kernel = true,
								   .symbol = symbol_at(w->defs, address),
								   .place.address = address });
	}
}

/* False: nobody knows what is there. */
static bool walk_program(const struct walk *w, uint64_t address, bool behind)
{
	struct hyb_kstack_frame f = { .place = { .address = address, .behind = behind } };

	f.place.mapping = mapping_at(w->defs, w->stack->def.tgid, w->time, address);
	f.place.generated = f.place.mapping && is_generated(f.place.mapping->path);
	w->visit(w->arg, &f);
	return f.place.mapping != NULL;
}

static void walk_unwound(const struct walk *w, const struct hyb_kunwound *u)
{
	bool known = true;

	for (uint32_t i = 0; known && i < u->count; i++)
		known = walk_program(w, u->addresses[i], i ? !u->exact[i] : is_system_call(w->defs, w->stack));
	if (known && u->cut)
		w->visit(w->arg, &(const struct hyb_kstack_frame){ .cut = true });
}

int hyb_kdefs_walk_unwound(const struct hyb_kdefs *d, uint64_t id, uint64_t time, const struct hyb_kunwound *unwound,
			   hyb_kstack_visit visit, void *arg)
{
	const struct walk w = { d, find_stack(d, id), time, visit, arg };
	bool known = true;

	if (!w.stack)
		return -ENOENT;
	walk_kernel(&w);
	if (unwound)
		walk_unwound(&w, unwound);
	for (uint32_t i = 0; !unwound && known && i < w.stack->def.user; i++)
		known = walk_program(&w, d->addresses[w.stack->first + w.stack->def.kernel + i],
				     i || is_system_call(d, w.stack));
	return 0;
}

int hyb_kdefs_walk(const struct hyb_kdefs *d, uint64_t id, uint64_t time, hyb_kstack_visit visit, void *arg)
{
	return hyb_kdefs_walk_unwound(d, id, time, NULL, visit, arg);
}

struct printing {
	hyb_kplace_name name;
	void *arg;
	FILE *to;
	bool any;
	bool user; /* the last one was the program's */
};

static void print_place(const struct printing *p, const struct hyb_kplace *place)
{
	const struct hyb_kmapping *m = place->mapping;
	const unsigned long long address = place->address;
	const char *slash;

	if (m && p->name && p->name(p->arg, place, p->to))
		return;
	if (!m || place->generated) {
		fprintf(p->to, "%s 0x%llx", m ? "[generated code]" : "[unknown]", address);
		return;
	}
	slash = strrchr(m->path, '/');
	fprintf(p->to, "%s+0x%llx", slash ? slash + 1 : m->path, address - m->def.address + m->def.offset);
}

static void print_frame(void *arg, const struct hyb_kstack_frame *f)
{
	struct printing *p = arg;

	if (p->any)
		fputs(!f->kernel && !p->user ? " | " : " < ", p->to);
	p->any = true;
	p->user = !f->kernel;
	if (!f->kernel)
		print_place(p, &f->place);
	else if (f->symbol)
		fputs(f->symbol, p->to);
	else
		fprintf(p->to, "0x%llx", (unsigned long long)f->place.address);
}

int hyb_kdefs_stack(const struct hyb_kdefs *d, uint64_t id, uint64_t time, hyb_kplace_name name, void *arg, FILE *to)
{
	struct printing p = { .name = name, .arg = arg, .to = to };

	return hyb_kdefs_walk(d, id, time, print_frame, &p);
}
