/* SPDX-License-Identifier: BSD-3-Clause */
/* The check as a whole: the model, one reading of all streams, then what is made of that. */
#include "analysis/check/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool hyb_check_found(const struct hyb_check *c)
{
	size_t i;

	for (i = 0; i < c->model.process_count; i++)
		if (c->model.processes[i].end != HYB_END_NORMAL)
			return true;
	return c->finding_count != 0;
}

static int prepare(struct hyb_check *c)
{
	const struct hyb_model *m = &c->model;
	const char *level, *finalized;
	size_t i, k;

	c->processes = calloc(m->process_count + 1, sizeof(*c->processes));
	for (i = 0; i < m->process_count; i++)
		c->thread_count += m->processes[i].thread_count;
	c->threads = calloc(c->thread_count + 1, sizeof(*c->threads));
	if (!c->processes || !c->threads)
		return -ENOMEM;
	for (i = 0, c->thread_count = 0; i < m->process_count; i++) {
		level = hyb_manifest_get(&m->processes[i].source->manifest, "thread-level", 0);
		c->processes[i].several = !level || !strcmp(level, "multiple");
		c->processes[i].groups =
			hyb_check_groups(hyb_manifest_get(&m->processes[i].source->manifest, "groups", 0));
		finalized = hyb_manifest_get(&m->processes[i].source->manifest, "finalized", 0);
		c->processes[i].finalized = !(c->processes[i].groups & HYB_GROUP_ENV) && finalized &&
					    !strcmp(finalized, "yes");
		c->processes[i].first = c->thread_count;
		c->processes[i].count = m->processes[i].thread_count;
		for (k = 0; k < m->processes[i].thread_count; k++) {
			c->threads[c->thread_count].process = (uint32_t)i;
			c->threads[c->thread_count].number = m->processes[i].threads[k].number;
			c->threads[c->thread_count++].node = HYB_GRAPH_NONE;
		}
	}
	return 0;
}

/* Threads that found no space for a stream have their losses in the manifest only. */
static void sum_up(struct hyb_check *c)
{
	uint64_t told = 0;
	size_t i;

	for (i = 0; i < c->model.process_count; i++)
		told += c->model.processes[i].source->manifest.lost;
	if (told > c->sums.lost_records)
		c->sums.streamless = told - c->sums.lost_records;
}

/* The job's begin, as far as it is known: of its first process's streams. */
static void find_begin(struct hyb_check *c)
{
	bool any = false;
	size_t i;

	for (i = 0; i < c->model.process_count; i++) {
		if (!c->processes[i].timed || (any && c->processes[i].begun >= c->first))
			continue;
		c->first = c->processes[i].begun;
		any = true;
	}
}

static int run(struct hyb_check *c)
{
	int ret = hyb_model_survey(&c->model);
	size_t i;

	if (!ret)
		ret = prepare(c);
	for (i = 0; !ret && i < c->model.process_count; i++)
		ret = *c->options.stop ? -EINTR : hyb_check_read(c, i, NULL);
	if (ret)
		return ret;
	sum_up(c);
	find_begin(c);
	ret = hyb_check_wait(c);
	if (!ret)
		ret = hyb_check_find(c);
	return ret ? ret : hyb_check_differ(c);
}

int hyb_check_run(struct hyb_check *c, const struct hyb_check_options *options)
{
	const struct hyb_model_options of_model = {
		.dirs = options->dirs,
		.dir_count = options->dir_count,
		.diag = options->diag,
		.stop = options->stop,
	};
	int ret;

	memset(c, 0, sizeof(*c));
	c->options = *options;
	hyb_tally_init(&c->tally);
	ret = hyb_model_init(&c->model, &of_model);
	if (!ret)
		ret = run(c);
	if (ret == -ENOMEM)
		hyb_diag_say(options->diag, HYB_SEV_ERROR, "out of memory");
	else if (ret == -EINTR)
		hyb_diag_say(options->diag, HYB_SEV_ERROR, "interrupted");
	return ret;
}

void hyb_check_free(struct hyb_check *c)
{
	size_t i;

	for (i = 0; c->threads && i < c->thread_count; i++) {
		free(c->threads[i].where);
		free(c->threads[i].path);
		free(c->threads[i].needs);
	}
	for (i = 0; i < c->finding_count; i++) {
		free(c->findings[i].text);
		free(c->findings[i].ranks);
		free(c->findings[i].threads);
	}
	free(c->findings);
	free(c->threads);
	free(c->processes);
	free(c->locks);
	free(c->receives);
	free(c->pending);
	hyb_tally_free(&c->tally);
	hyb_graph_free(&c->graph);
	hyb_model_free(&c->model);
}
