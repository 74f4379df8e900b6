/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/text/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/text/end.h"
#include "reader/streams/kdefs.h"

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

const char *print_kernel_find_name(struct print_process *p, uint32_t kind, uint32_t number)
{
	return hyb_kdefs_name(defs_of(p), kind, number);
}

void print_put_kernel_name(struct print_process *p, uint32_t kind, uint32_t number)
{
	const char *name = print_kernel_find_name(p, kind, number);

	if (name)
		print_put_word(name);
	else
		printf("%u", number);
}

void print_put_kernel_stack(struct print_process *p, uint64_t id, uint64_t time)
{
	char *text = NULL;
	size_t size;
	FILE *to;

	printf(" %" PRIu64, id);
	to = print_must(open_memstream(&text, &size));
	if (!hyb_kdefs_stack(defs_of(p), id, time, NULL, NULL, to) && !fflush(to))
		hyb_show(stdout, " %s", text);
	fclose(to);
	free(text);
}

void print_put_kernel_task(struct print_process *p, uint32_t task, uint64_t time, bool number)
{
	const struct hyb_ktask *def = hyb_kdefs_task(defs_of(p), task, time);

	if (!task || task == HYB_TASK_OTHER) {
		fputs(task ? "other" : "idle", stdout);
		return;
	}
	print_put_word(def && *def->name ? def->name : "?");
	if (number)
		printf("/%u", task);
}

void print_put_kernel_metric(struct print_process *p, uint32_t id)
{
	const struct hyb_kdefs *defs = defs_of(p);
	size_t i = 0;

	while (i < defs->metric_count && defs->metrics[i].id != id)
		i++;
	if (i < defs->metric_count)
		print_put_word(defs->metrics[i].name);
	else
		printf("%u", id);
}

void print_kernel_line(const struct print_process *p)
{
	const struct hyb_manifest *m = &p->process->manifest;
	static const char *const keys[] = { "kernel", "events", "tasks" };
	const char *missing;

	printf(" lost=%" PRIu64, m->lost);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
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
