/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parallel regions and their teams. The thread that forks has a struct for each depth of nesting, which it uses again
 * and again; in it the threads write down who they are in teams of each size. As long as the runtime gives a team the
 * same threads, nothing more than which team and which use of it is recorded; a change is defined (HYB_DEF_TEAM).
 *
 * The team waits for its last member, so what members need of the region is in the 64 bits that the runtime keeps for
 * it and hands over anyhow: nothing that we write at each fork goes from one processor's cache to another's, which
 * takes as long as all the rest. What members read in memory is written when it changes only.
 */
#include "ompt/callbacks.h"

#include "core/sys/memory.h"
#include "core/record/definitions.h"
#include "core/record/stream.h"

/* The team of one size that a thread forks at one depth. */
struct hyb_omp_team {
	struct hyb_omp_team *next;	/* of another size */
	uint32_t id;
	uint32_t size;
	uint32_t members[];	/* number of each one's stream, plus 1; each writes its own */
};

struct hyb_omp_parallel {
	struct hyb_omp_team *teams;
	uint32_t number;	/* 0: there are too many */
	/* of the thread that forks, for each region, so in another line; read by others where there is no number */
	struct hyb_omp_parallel *next __attribute__((aligned(HYB_APART)));	/* while it is not in use */
	uint64_t use;
	uint32_t region;
};

/*
 * The data of a parallel region: bit 63 set, its region, the number of its struct, which use of that it is; or, where
 * that has no number, its address.
 */
#define PACKED		(UINT64_C(1) << 63)
#define REGION_SHIFT	47
#define NUMBER_SHIFT	32
#define NUMBERS		(UINT32_C(1) << (REGION_SHIFT - NUMBER_SHIFT))

static struct hyb_omp_parallel *numbered[NUMBERS];

static void give_number(struct hyb_omp_parallel *parallel)
{
	static uint32_t last;
	uint32_t number = __atomic_load_n(&last, __ATOMIC_RELAXED);

	do {
		if (number + 1 == NUMBERS)
			return;
	} while (!__atomic_compare_exchange_n(&last, &number, number + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	parallel->number = number + 1;
	/* release pairs with the acquire in parallel_of */
	__atomic_store_n(&numbered[number + 1], parallel, __ATOMIC_RELEASE);
}

static HYB_COLD struct hyb_omp_parallel *new_parallel(void)
{
	struct hyb_omp_parallel *parallel = hyb_alloc_apart(sizeof(*parallel));

	if (parallel)
		give_number(parallel);
	return parallel;
}

/* One that has been used as often as the data can say is given up. */
static HYB_HOT struct hyb_omp_parallel *take(struct hyb_omp_thread *o)
{
	struct hyb_omp_parallel *parallel = o->parallels;

	if (hyb_likely(parallel != NULL)) {
		o->parallels = parallel->next;
		if (hyb_likely(parallel->use < UINT32_MAX || !parallel->number))
			return parallel;
	}
	return new_parallel();
}

static HYB_HOT uint64_t data_of(const struct hyb_omp_parallel *parallel)
{
	if (hyb_likely(parallel->number))
		return PACKED | (uint64_t)parallel->region << REGION_SHIFT |
		       (uint64_t)parallel->number << NUMBER_SHIFT | parallel->use;
	return (uint64_t)(uintptr_t)parallel;
}

static HYB_HOT struct hyb_omp_parallel *parallel_of(uint64_t data)
{
	/* acquire pairs with the release in give_number */
	if (hyb_likely(data & PACKED))
		return __atomic_load_n(&numbered[data >> NUMBER_SHIFT & (NUMBERS - 1)], __ATOMIC_ACQUIRE);
	return (struct hyb_omp_parallel *)(uintptr_t)data;
}

static HYB_HOT uint32_t region_of(uint64_t data)
{
	return hyb_likely(data & PACKED) ? data >> REGION_SHIFT & HYB_ID_MASK : parallel_of(data)->region;
}

static HYB_HOT uint64_t use_of(uint64_t data)
{
	return hyb_likely(data & PACKED) ? (uint32_t)data : parallel_of(data)->use;
}

void hyb_omp_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *data,
			    unsigned int requested, int flags, const void *code)
{
	uint32_t region = hyb_omp_region(flags & ompt_parallel_league ? HYB_OMP_TEAMS : HYB_OMP_PARALLEL, code);
	struct hyb_omp_parallel *parallel = take(&hyb_omp_self);
	uint64_t *p;

	(void)frame;
	if (hyb_unlikely(requested > hyb_omp_cpus))
		hyb_omp_crowded();
	hyb_omp_settle(task);
	data->value = 0;
	if (hyb_likely(parallel != NULL)) {
		parallel->use++;
		parallel->region = region;
		data->value = data_of(parallel);
	}
	p = hyb_omp_enter(HYB_OMP_PARALLEL, region, data->value);
	if (hyb_likely(p != NULL)) {
		*p++ = hyb_omp_word(HYB_FORK, requested);
		hyb_publish(p);
	}
}

void hyb_omp_parallel_end(ompt_data_t *data, ompt_data_t *task, int flags, const void *code)
{
	struct hyb_omp_parallel *parallel = parallel_of(data->value);
	struct hyb_omp_open *open;
	uint64_t *p;

	(void)flags;
	(void)code;
	hyb_omp_settle(task);
	open = hyb_omp_innermost(HYB_OMP_PARALLEL);
	p = hyb_omp_leave_open(open, false);
	if (hyb_likely(p != NULL)) {
		*p++ = hyb_omp_word(HYB_JOIN, open->team_over ? HYB_JOIN_TEAM : 0);
		hyb_publish(p);
	}
	if (hyb_likely(parallel != NULL)) {
		parallel->next = hyb_omp_self.parallels;
		hyb_omp_self.parallels = parallel;
	}
	data->value = 0;
}

/* Members come at once, so that two may make the same team: the one that is first in the list holds. */
static HYB_COLD struct hyb_omp_team *new_team(struct hyb_omp_parallel *parallel, uint32_t size)
{
	static uint32_t last;
	struct hyb_omp_team *fresh = NULL;
	struct hyb_omp_team *first;

	for (;;) {
		first = __atomic_load_n(&parallel->teams, __ATOMIC_ACQUIRE);
		for (struct hyb_omp_team *team = first; team; team = team->next) {
			if (team->size == size)
				return team;
		}
		if (!fresh)
			fresh = hyb_alloc_apart(sizeof(*fresh) + size * sizeof(fresh->members[0]));
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

static struct hyb_omp_team *look_for_team(struct hyb_omp_parallel *parallel, uint32_t size)
{
	/* acquire pairs with the release in new_team: the team's members */
	struct hyb_omp_team *team = __atomic_load_n(&parallel->teams, __ATOMIC_ACQUIRE);

	while (team && team->size != size)
		team = team->next;
	return team ? team : new_team(parallel, size);
}

/* Most often it is the one that the thread was in before. Teams stay. */
static HYB_HOT struct hyb_omp_team *find_team(uint64_t data, uint32_t size)
{
	struct hyb_omp_thread *o = &hyb_omp_self;
	uint64_t key = (data & (uint64_t)(NUMBERS - 1) << NUMBER_SHIFT) | size;
	struct hyb_omp_team *team;

	if (hyb_likely(data & PACKED && key == o->team_key))
		return o->team;
	team = look_for_team(parallel_of(data), size);
	o->team = team;
	o->team_key = team && data & PACKED ? key : 0;
	return team;
}

static HYB_COLD void define_member(struct hyb_omp_team *team, uint64_t use, uint32_t index, uint32_t stream)
{
	const struct hyb_def_team def = {
		.use = use, .size = team->size, .index = index, .stream = stream,
	};

	hyb_def_team(team->id, &def);
	team->members[index] = stream + 1;
}

static HYB_HOT uint64_t *put_team(uint64_t *p, const struct hyb_omp_team *team, uint32_t index, uint64_t use)
{
	if (hyb_likely(team->id < HYB_SHORT_TEAMS && index < HYB_SHORT_MEMBERS && use <= UINT32_MAX)) {
		*p = hyb_omp_word(HYB_TEAM_BEGIN_SHORT, (uint64_t)team->id << HYB_SHORT_TEAM_SHIFT |
							(uint64_t)index << HYB_SHORT_MEMBER_SHIFT | use);
		return p + 1;
	}
	p[0] = hyb_omp_word(HYB_TEAM_BEGIN, (uint64_t)(team->id & 0xffffff) << 32 | index);
	p[1] = use;
	return p + 2;
}

/* A thread becomes a member: it enters the region, or is the one that forked and is in it already. */
static HYB_HOT void begin_member(uint64_t data, uint32_t size, uint32_t index)
{
	struct hyb_omp_thread *o = &hyb_omp_self;
	bool forked = o->top != o->base && (o->top - 1)->kind == HYB_OMP_PARALLEL && (o->top - 1)->what == data;
	uint32_t region = region_of(data);
	uint64_t *p = hyb_omp_record_at(forked ? HYB_POINT : HYB_ENTER, region, true);
	struct hyb_omp_team *team = find_team(data, size);
	uint32_t stream;

	hyb_omp_push(HYB_OMP_MEMBER, forked ? 0 : region, region, p != NULL);
	if (!p)
		return;
	if (hyb_likely(team && index < size)) {
		stream = hyb_self.stream->number;
		if (hyb_unlikely(team->members[index] != stream + 1))
			define_member(team, use_of(data), index, stream);
		p = put_team(p, team, index, use_of(data));
	}
	hyb_publish(p);
}

/*
 * The thread that forked leaves the region next. Between that and this lies nothing of the program's, so it leaves its
 * team with the region, by one record. Worker: its region and its team, at once behind the barrier; and a runtime that
 * tells of this only when it has work again (LLVM) begins with that at once.
 */
static HYB_HOT void end_member(void)
{
	struct hyb_omp_open *open = hyb_omp_innermost(HYB_OMP_MEMBER);
	struct hyb_omp_thread *o = &hyb_omp_self;
	uint64_t *p;

	if (!open)
		return;
	o->top = open;
	if (!open->recorded)
		return;
	if (!open->region && open != o->base && (open - 1)->kind == HYB_OMP_PARALLEL && (open - 1)->recorded) {
		(open - 1)->team_over = true;
		return;
	}
	p = hyb_omp_record_end(open->region ? HYB_LEAVE : HYB_POINT, open->region, true);
	if (p) {
		*p++ = hyb_omp_word(HYB_TEAM_END, 0);
		hyb_publish(p);
		hyb_omp_keep(p, HYB_ENTER);
	}
}

/* The initial task of a thread that no construct began has no region and is in no team. */
void hyb_omp_implicit_task(int endpoint, ompt_data_t *data, ompt_data_t *task, unsigned int size,
			   unsigned int index, int flags)
{
	(void)flags;
	if (endpoint != ompt_scope_begin) {
		end_member();
		return;
	}
	if (task && task->value)
		task->value = 0;
	if (data && data->value)
		begin_member(data->value, size, index);
}
