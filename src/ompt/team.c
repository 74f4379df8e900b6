/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parallel regions and their teams. The thread that forks has a struct for each depth of nesting, which it uses again
 * and again; in it the threads write down who they are in teams of each size. As long as the runtime gives a team the
 * same threads, nothing more than which team and which use of it is recorded; a change is defined (HYB_DEF_TEAM).
 */
#include "ompt/callbacks.h"

#include "core/alloc.h"
#include "core/defs.h"
#include "core/stream.h"

/* The team of one size that a thread forks at one depth. */
struct team {
	struct team *next;	/* of another size */
	uint32_t id;
	uint32_t size;
	uint32_t members[];	/* number of each one's stream, plus 1; each writes its own */
};

struct hyb_omp_parallel {
	struct hyb_omp_parallel *next;	/* while it is not in use */
	struct team *teams;
	uint64_t use;
	const void *code;
	uint32_t region;
};

static struct hyb_omp_parallel *take(struct hyb_omp_thread *o)
{
	struct hyb_omp_parallel *parallel = o->parallels;

	if (hyb_likely(parallel != NULL))
		o->parallels = parallel->next;
	else
		parallel = hyb_alloc(sizeof(*parallel));
	return parallel;
}

void hyb_omp_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *data,
			    unsigned int requested, int flags, const void *code)
{
	uint32_t region = hyb_omp_region(flags & ompt_parallel_league ? HYB_OMP_TEAMS : HYB_OMP_PARALLEL, code);
	struct hyb_omp_parallel *parallel = take(&hyb_omp_self);
	uint64_t *p;

	(void)frame;
	hyb_omp_settle(task);
	data->ptr = parallel;
	if (parallel) {
		parallel->use++;
		parallel->region = region;
		parallel->code = code;
	}
	p = hyb_omp_enter(HYB_OMP_PARALLEL, region, (uint64_t)(uintptr_t)parallel);
	if (hyb_likely(p != NULL)) {
		*p++ = hyb_omp_word(HYB_FORK, requested);
		hyb_publish(p);
	}
}

void hyb_omp_parallel_end(ompt_data_t *data, ompt_data_t *task, int flags, const void *code)
{
	struct hyb_omp_parallel *parallel = data->ptr;
	uint64_t *p;

	(void)flags;
	(void)code;
	hyb_omp_settle(task);
	p = hyb_omp_leave(HYB_OMP_PARALLEL);
	if (hyb_likely(p != NULL)) {
		*p++ = hyb_omp_word(HYB_JOIN, 0);
		hyb_publish(p);
	}
	if (hyb_likely(parallel != NULL)) {
		parallel->next = hyb_omp_self.parallels;
		hyb_omp_self.parallels = parallel;
	}
	data->ptr = NULL;
}

/* Members come at once, so that two may make the same team: the one that is first in the list holds. */
static HYB_COLD struct team *new_team(struct hyb_omp_parallel *parallel, uint32_t size)
{
	static uint32_t last;
	struct team *fresh = NULL;
	struct team *first;

	for (;;) {
		first = __atomic_load_n(&parallel->teams, __ATOMIC_ACQUIRE);
		for (struct team *team = first; team; team = team->next) {
			if (team->size == size)
				return team;
		}
		if (!fresh)
			fresh = hyb_alloc(sizeof(*fresh) + size * sizeof(fresh->members[0]));
		if (!fresh)
			return NULL;
		fresh->size = size;
		fresh->id = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
		fresh->next = first;
		/* release pairs with the acquire of those who look for a team */
		if (__atomic_compare_exchange_n(&parallel->teams, &first, fresh, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			return fresh;
	}
}

static HYB_HOT struct team *find_team(struct hyb_omp_parallel *parallel, uint32_t size)
{
	/* acquire pairs with the release in new_team: the team's members */
	struct team *team = __atomic_load_n(&parallel->teams, __ATOMIC_ACQUIRE);

	while (team && team->size != size)
		team = team->next;
	return hyb_likely(team != NULL) ? team : new_team(parallel, size);
}

static HYB_COLD void define_member(struct team *team, uint64_t use, uint32_t index, uint32_t stream)
{
	const struct hyb_def_team def = {
		.use = use, .size = team->size, .index = index, .stream = stream,
	};

	hyb_def_team(team->id, &def);
	team->members[index] = stream + 1;
}

/* A thread becomes a member: it enters the region, or is the one that forked and is in it already. */
static void begin_member(struct hyb_omp_parallel *parallel, uint32_t size, uint32_t index)
{
	struct hyb_omp_thread *o = &hyb_omp_self;
	bool forked = o->top != o->base && (o->top - 1)->kind == HYB_OMP_PARALLEL &&
		      (o->top - 1)->what == (uint64_t)(uintptr_t)parallel;
	uint32_t region = parallel->region;
	struct team *team = find_team(parallel, size);
	uint64_t *p = hyb_omp_record(forked ? HYB_POINT : HYB_ENTER, region);
	uint32_t stream;

	hyb_omp_push(HYB_OMP_MEMBER, forked ? 0 : region, (uint64_t)(uintptr_t)parallel->code, p != NULL);
	if (!p)
		return;
	if (hyb_likely(team && index < size)) {
		stream = hyb_self.stream->number;
		if (hyb_unlikely(team->members[index] != stream + 1))
			define_member(team, parallel->use, index, stream);
		*p++ = hyb_omp_word(HYB_TEAM_BEGIN, (uint64_t)(team->id & 0xffffff) << 32 | index);
		*p++ = parallel->use;
	}
	hyb_publish(p);
}

static void end_member(void)
{
	struct hyb_omp_open *open = hyb_omp_innermost(HYB_OMP_MEMBER);
	uint64_t *p;

	if (!open)
		return;
	hyb_omp_self.top = open;
	if (!open->recorded)
		return;
	p = hyb_omp_record_end(open->region ? HYB_LEAVE : HYB_POINT, open->region);
	if (p) {
		*p++ = hyb_omp_word(HYB_TEAM_END, 0);
		hyb_publish(p);
	}
}

/* The initial task of a thread that no construct began has no region and is in no team. */
void hyb_omp_implicit_task(int endpoint, ompt_data_t *data, ompt_data_t *task, unsigned int size,
			   unsigned int index, int flags)
{
	struct hyb_omp_parallel *parallel;

	(void)flags;
	if (endpoint != ompt_scope_begin) {
		end_member();
		return;
	}
	if (task)
		task->value = 0;
	parallel = data ? data->ptr : NULL;
	if (parallel)
		begin_member(parallel, size, index);
}
