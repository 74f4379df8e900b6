/* SPDX-License-Identifier: BSD-3-Clause */
/* State of ranks, the list of findings, for all parts of the check, and what of the kernel is missing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/check/check.h"
#include "reader/containers/array.h"
#include "reader/streams/kernel.h"
#include "reader/streams/printable.h"

const struct hyb_model_process *hyb_check_process_of(const struct hyb_check *c, uint32_t place)
{
	if (place >= c->model.ranks || c->model.rank_process[place] == UINT32_MAX)
		return NULL;
	return &c->model.processes[c->model.rank_process[place]];
}

bool hyb_check_is_blurred(const struct hyb_check *c, uint32_t place)
{
	const struct hyb_model_process *p = hyb_check_process_of(c, place);
	const struct hyb_check_process *s = p ? &c->processes[p - c->model.processes] : NULL;

	return !s || s->gaps || s->paused || p->source->manifest.lost;
}

bool hyb_check_is_blurred_in(const struct hyb_check *c, uint32_t place, uint32_t groups)
{
	const struct hyb_model_process *p = hyb_check_process_of(c, place);

	return hyb_check_is_blurred(c, place) || groups & ~c->processes[p - c->model.processes].groups;
}

const char *hyb_check_is_over(const struct hyb_check *c, const struct hyb_model_process *p)
{
	const struct hyb_check_process *s = &c->processes[p - c->model.processes];
	/* Within a call it was MPI that ended it, since something was wrong: with others, perhaps. */
	const bool by_itself = !s->count || !c->threads[s->first].mpi;

	if (p->end == HYB_END_NORMAL)
		return s->finalized ? "has called MPI_Finalize" : "has ended without MPI_Finalize";
	if (p->end == HYB_END_FAILED && p->has_status && by_itself)
		return p->ended;
	return s->finalized ? "has called MPI_Finalize" : NULL;
}

int hyb_check_add(struct hyb_check *c, enum hyb_found what, char *text)
{
	struct hyb_finding *grown =
		hyb_array_room(c->findings, &c->finding_room, c->finding_count, sizeof(*grown));

	if (!grown) {
		free(text);
		return -ENOMEM;
	}
	c->findings = grown;
	grown[c->finding_count++] = (struct hyb_finding){ .what = what, .text = text };
	return 0;
}

static int add_number(uint32_t **list, size_t *room, size_t *count, uint32_t number)
{
	uint32_t *grown = hyb_array_room(*list, room, *count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	*list = grown;
	grown[(*count)++] = number;
	return 0;
}

int hyb_check_name_rank(struct hyb_check *c, uint32_t place)
{
	struct hyb_finding *f = &c->findings[c->finding_count - 1];

	return add_number(&f->ranks, &f->rank_room, &f->rank_count, place);
}

int hyb_check_name_thread(struct hyb_check *c, const struct hyb_check_thread *t)
{
	struct hyb_finding *f = &c->findings[c->finding_count - 1];

	return add_number(&f->threads, &f->thread_room, &f->thread_count, (uint32_t)(t - c->threads));
}

/* Another collector of the same experiment, before this one, says the same. */
static bool is_said(const struct hyb_experiment *x, size_t before, const char *missing)
{
	const char *other;

	for (size_t i = 0; i < before; i++) {
		other = hyb_manifest_get(&x->processes[i].manifest, "missing", 0);
		if (other && hyb_kernel_is_node(&x->processes[i]) && !strcmp(other, missing))
			return true;
	}
	return false;
}

/* A collector that found no source has none in its manifest. */
static int find_kernel_of(struct hyb_check *c, const struct hyb_experiment *x, size_t i)
{
	const struct hyb_process *p = &x->processes[i];
	const char *missing = hyb_kernel_is_node(p) ? hyb_manifest_get(&p->manifest, "missing", 0) : NULL;
	char *text = NULL;
	size_t size;
	FILE *to;

	if (!missing || hyb_manifest_get(&p->manifest, "kernel", 0) || is_said(x, i, missing))
		return 0;
	to = open_memstream(&text, &size);
	if (!to)
		return -ENOMEM;
	hyb_show(to, "the kernel's events were asked for and are not recorded: %s\n", missing);
	if (fclose(to)) {
		free(text);
		return -ENOMEM;
	}
	return hyb_check_add(c, HYB_FOUND_LOSS, text);
}

int hyb_check_find_kernel(struct hyb_check *c)
{
	int ret = 0;

	for (size_t i = 0; i < c->model.family.count && !ret; i++)
		for (size_t k = 0; k < c->model.family.members[i]->count && !ret; k++)
			ret = find_kernel_of(c, c->model.family.members[i], k);
	return ret;
}
