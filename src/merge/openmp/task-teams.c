/* SPDX-License-Identifier: BSD-3-Clause */
/* In which team a task was created; see task-teams.h. */
#include "merge/openmp/task-teams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "reader/containers/search.h"

#define STREAM_SHIFT 32

static int add_run(struct hyb_task_teams *created, uint64_t task, uint32_t group)
{
	struct hyb_task_teams_run *grown;

	grown = hyb_array_room(created->runs, &created->room, created->count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	created->runs = grown;
	created->runs[created->count++] = (struct hyb_task_teams_run){ task, 1, group };
	return 0;
}

int hyb_task_teams_note(struct hyb_task_teams *created, uint64_t task, uint32_t group)
{
	struct hyb_task_teams_run *last = created->count ? &created->runs[created->count - 1] : NULL;

	if (last && task < last->first + last->count) {
		created->wrapped = true;
		return 0;
	}
	if (last && task == last->first + last->count && group == last->group && last->count < UINT32_MAX) {
		last->count++;
		return 0;
	}
	return add_run(created, task, group);
}

/* The first run that is not wholly before a task. */
static size_t search(const struct hyb_task_teams *created, uint64_t task)
{
	const struct hyb_task_teams_run *runs = created->runs;

	return HYB_SEARCH(i, created->count, runs[i].first + runs[i].count <= task);
}

bool hyb_task_teams_find(const struct hyb_task_teams *created, uint64_t task, uint32_t *group)
{
	size_t at = search(created, task);

	if (created->wrapped || at == created->count || created->runs[at].first > task)
		return false;
	*group = created->runs[at].group;
	return true;
}

bool hyb_task_teams_alone(const struct hyb_task_teams *created, uint32_t stream)
{
	const uint64_t end = ((uint64_t)stream + 1) << STREAM_SHIFT;

	for (size_t at = search(created, (uint64_t)stream << STREAM_SHIFT);
	     at < created->count && created->runs[at].first < end; at++)
		if (created->runs[at].group == HYB_TASK_TEAMS_ALONE)
			return true;
	return false;
}

void hyb_task_teams_free(struct hyb_task_teams *created)
{
	free(created->runs);
	memset(created, 0, sizeof(*created));
}
