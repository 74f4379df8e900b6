/* SPDX-License-Identifier: BSD-3-Clause */
/* What the readings find out of processes and threads: its memory. */
#include <errno.h>
#include <stdlib.h>

#include "merge/merge.h"

int hyb_merge_add_processes(struct hyb_merge *m)
{
	const struct hyb_model *model = &m->model;
	size_t i, t;

	m->processes = calloc(model->process_count + 1, sizeof(*m->processes));
	if (!m->processes)
		return -ENOMEM;
	for (i = 0; i < model->process_count; i++) {
		m->processes[i].kernel.process = &model->processes[i];
		m->processes[i].threads =
			calloc(model->processes[i].thread_count + 1, sizeof(*m->processes[i].threads));
		if (!m->processes[i].threads)
			return -ENOMEM;
		for (t = 0; t < model->processes[i].thread_count; t++)
			m->processes[i].threads[t].alone = HYB_COMM_NONE;
	}
	return 0;
}

static void free_thread(struct hyb_merge_thread *t)
{
	hyb_begun_free(&t->receives);
	hyb_metric_uses_free(&t->metrics);
}

void hyb_merge_free_processes(struct hyb_merge *m)
{
	struct hyb_merge_process *s;
	size_t i, t;

	for (i = 0; m->processes && i < m->model.process_count; i++) {
		s = &m->processes[i];
		for (t = 0; s->threads && t < m->model.processes[i].thread_count; t++)
			free_thread(&s->threads[t]);
		free(s->threads);
		hyb_requests_free(&s->cancelled);
		hyb_requests_free(&s->left_out);
		hyb_requests_free(&s->unpaired);
		hyb_requests_free(&s->opened);
		hyb_requests_free(&s->made_up);
		hyb_requests_free(&s->begun);
		hyb_requests_free(&s->handed);
		hyb_requests_free(&s->handed_there);
		hyb_requests_free(&s->told);
		free(s->handed_list);
		hyb_task_ends_free(&s->task_ends);
		hyb_task_teams_free(&s->created);
		hyb_locks_free(&s->locks);
		free(s->kernel.sums);
		hyb_excerpt_process_free(&s->excerpt);
	}
	free(m->processes);
}
