/* SPDX-License-Identifier: BSD-3-Clause */
/* The ends of tasks; see task-ends.h. */
#include "merge/openmp/task-ends.h"

#include <errno.h>
#include <string.h>

#include "format/format.h"

#define END_SHIFT 48
#define END_MASK 3

struct end { /* the last of a task's */
	uint64_t task;
	uint64_t counter;
	uint32_t stream;
};

static bool same_task(const void *entry, const void *key)
{
	return ((const struct end *)entry)->task == *(const uint64_t *)key;
}

static enum hyb_task_end kind_of(uint64_t word)
{
	return word >> END_SHIFT & END_MASK;
}

static struct end *find(const struct hyb_task_ends *ends, uint64_t word)
{
	uint64_t task = word & ((UINT64_C(1) << END_SHIFT) - 1);

	return ends->table.entry_size ? hyb_table_find(&ends->table, hyb_mix(task), &task) : NULL;
}

int hyb_task_ends_note(struct hyb_task_ends *ends, uint64_t word, uint32_t stream, uint64_t counter)
{
	uint64_t task = word & ((UINT64_C(1) << END_SHIFT) - 1);
	struct end *end;

	if (kind_of(word) != HYB_TASK_CANCELLED)
		return 0;
	if (!ends->table.entry_size)
		hyb_table_init(&ends->table, sizeof(*end), same_task);
	end = find(ends, word);
	if (end && (end->counter > counter || (end->counter == counter && end->stream > stream)))
		return 0;
	if (!end)
		end = hyb_table_add(&ends->table, hyb_mix(task));
	if (!end)
		return -ENOMEM;
	*end = (struct end){ task, counter, stream };
	return 0;
}

bool hyb_task_ends_counts(const struct hyb_task_ends *ends, uint64_t word, uint32_t stream, uint64_t counter)
{
	const struct end *end;

	if (kind_of(word) == HYB_TASK_ENDED)
		return true;
	end = find(ends, word);
	if (kind_of(word) == HYB_TASK_DISCARDED)
		return !end;
	return !end || (end->counter == counter && end->stream == stream);
}

void hyb_task_ends_free(struct hyb_task_ends *ends)
{
	if (ends->table.entry_size)
		hyb_table_free(&ends->table);
	memset(ends, 0, sizeof(*ends));
}
