/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program of each process: its begin and its end around all events of its first location, and the region that
 * readers look for. As Score-P has it, nothing enters that region: ProgramBegin stands for its Enter. Scalasca finds
 * it by its names, the last part of the program's and that with all arguments, and stops without it.
 */
#include "merge/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH_MAX (UINT32_C(2) << 20) /* of name and arguments: a text must fit half a chunk of OTF2's definitions */

static void append(char *text, size_t *length, const char *part)
{
	size_t n = strlen(part);

	memcpy(text + *length, part, n + 1);
	*length += n;
}

/* The arguments that record and name have, both the same, and the length of the name. */
static size_t fit(const struct hyb_merge *m, struct hyb_model_process *p)
{
	size_t length = strlen(hyb_names_text(&m->model.names, p->program)), n;
	uint32_t i;

	for (i = 0; i < p->arg_count; i++) {
		n = 1 + strlen(hyb_names_text(&m->model.names, p->args[i]));
		if (length + n > LENGTH_MAX)
			break;
		length += n;
	}
	p->arg_count = i;
	return length;
}

static int add_region(struct hyb_merge *m, struct hyb_model_process *p)
{
	const char *program = hyb_names_text(&m->model.names, p->program), *last = strrchr(program, '/');
	const struct hyb_place nowhere = { .file = NULL };
	char *canonical = malloc(fit(m, p) + 1);
	struct hyb_gregion *region;
	size_t length = 0;
	uint32_t i;

	if (!canonical)
		return -ENOMEM;
	append(canonical, &length, program);
	for (i = 0; i < p->arg_count; i++) {
		append(canonical, &length, " ");
		append(canonical, &length, hyb_names_text(&m->model.names, p->args[i]));
	}
	region = hyb_regions_get_at(&m->model.regions, last ? last + 1 : program, canonical, &nowhere, HYB_ROLE_FUNCTION,
				    HYB_PARADIGM_MEASUREMENT);
	free(canonical);
	if (!region)
		return -ENOMEM;
	region->used = true;
	return 0;
}

/* Those of which nothing begins have no ProgramBegin. */
static bool is_shown(const struct hyb_model_process *p)
{
	return p->timed && p->thread_count;
}

int hyb_programs_add_regions(struct hyb_merge *m)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < m->model.process_count; i++)
		if (is_shown(&m->model.processes[i]))
			ret = add_region(m, &m->model.processes[i]);
	return ret;
}

void hyb_convert_program_begin(struct hyb_convert *c)
{
	const struct hyb_model_process *p = c->p;
	struct hyb_merge_event e;

	if (c->t != p->threads || !is_shown(p))
		return;
	c->now = p->first;
	hyb_convert_now(c, &e, HYB_KIND_PROGRAM_BEGIN);
	e.program.name = p->program;
	e.program.count = p->arg_count;
	e.program.args = p->args;
	hyb_convert_tell(c, &e);
}

/* Of one that did not come to its end nobody says so, but to readers that want both. */
void hyb_convert_program_end(struct hyb_convert *c)
{
	const struct hyb_model_process *p = c->p;
	struct hyb_merge_event e;

	if (c->t != p->threads || !is_shown(p))
		return;
	if (!p->has_status && p->end != HYB_END_NORMAL && !c->m->options.scalasca)
		return;
	if (c->now < p->last)
		c->now = p->last;
	hyb_convert_now(c, &e, HYB_KIND_PROGRAM_END);
	e.status.known = p->has_status;
	e.status.code = p->status;
	hyb_convert_tell(c, &e);
}
