/* SPDX-License-Identifier: BSD-3-Clause */
/* The merge of OpenMP's records, whole ones and such as only damage makes: merge/openmp/thread.c, merge/model/team.c. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "merge/merge.h"
#include "../lib/synth.h"
#include "../lib/tap.h"

#define PARALLEL 1u
#define LOOP 2u
#define TEAM 1u

static uint64_t word(enum hyb_record_type type, uint64_t payload)
{
	return (uint64_t)type << HYB_TYPE_SHIFT | payload;
}

static void event(struct synth *s, enum hyb_record_type type, uint64_t id, const uint64_t *attached,
		  size_t count)
{
	synth_room(s, 1 + count);
	synth_word(s, word(type, id << HYB_ID_SHIFT | (s->now & HYB_TIME_MASK)));
	synth_words(s, attached, count);
	synth_publish(s);
	s->now += s->tick;
}

static void define_region(struct synth *s, uint64_t id, enum hyb_role role, const char *name)
{
	const struct hyb_def_region def = {
		.role = (uint8_t)role, .paradigm = HYB_PARADIGM_OPENMP, .name_length = (uint32_t)strlen(name),
	};

	synth_def(s, HYB_DEF_REGION, id, &def, sizeof(def), name, strlen(name));
}

static void define(const char *path, uint32_t team_size)
{
	const struct hyb_def_team team = { .use = 1, .size = team_size, .index = 0, .stream = 0 };
	struct synth s;

	synth_open(&s, path, HYB_STREAM_DEFS, HYB_CHUNK_MIN, 0);
	define_region(&s, PARALLEL, HYB_ROLE_PARALLEL, "parallel");
	define_region(&s, LOOP, HYB_ROLE_LOOP, "loop");
	synth_def(&s, HYB_DEF_TEAM, TEAM, &team, sizeof(team), NULL, 0);
	synth_close(&s, true);
}

/* A sink that counts events. */
static int begin_sink(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink)
{
	(void)ops;
	(void)m;
	*sink = NULL;
	return 0;
}

static int open_track(struct hyb_sink *sink, const struct hyb_track *track, void **state)
{
	(void)sink;
	(void)track;
	*state = calloc(1, sizeof(uint64_t));
	return *state ? 0 : -1;
}

static int count_event(void *state, const struct hyb_merge_event *e)
{
	(void)e;
	++*(uint64_t *)state;
	return 0;
}

static int close_track(void *state, uint64_t *events)
{
	*events = *(uint64_t *)state;
	free(state);
	return 0;
}

static int end_sink(struct hyb_sink *sink)
{
	(void)sink;
	return 0;
}

static void free_sink(struct hyb_sink *sink)
{
	(void)sink;
}

static const char *const no_parts[] = { NULL };
static const struct hyb_sink_ops counting = {
	.name = "count", .parts = no_parts, .begin = begin_sink, .open = open_track, .event = count_event,
	.close = close_track, .end = end_sink, .free = free_sink,
};

/* A process that did `play`, in a team of that size: merged. */
static int merged(const char *name, uint32_t team_size, void (*play)(struct synth *s), struct hyb_merge *m)
{
	static volatile sig_atomic_t stop;
	const char *dir = synth_path(name);
	const struct hyb_sink_ops *const sinks[] = { &counting };
	struct hyb_merge_options options = {
		.dirs = &dir, .dir_count = 1, .jobs = 1, .stop = &stop, .sinks = sinks, .sink_count = 1,
	};
	struct synth s;
	char path[1024];

	mkdir(dir, 0777);
	snprintf(path, sizeof(path), "%s/defs.hyb", dir);
	define(path, team_size);
	snprintf(path, sizeof(path), "%s/thread-0.hyb", dir);
	synth_open(&s, path, HYB_STREAM_THREAD, HYB_CHUNK_MIN, 0);
	play(&s);
	synth_close(&s, true);
	return hyb_merge_run(m, &options);
}

static void play_loop(struct synth *s)
{
	const uint64_t fork = word(HYB_FORK, 1), join = word(HYB_JOIN, 0), end = word(HYB_TEAM_END, 0);
	const uint64_t begin[] = { word(HYB_TEAM_BEGIN, (uint64_t)TEAM << 32), 1 };
	const uint64_t count = word(HYB_COUNT, 30);

	event(s, HYB_ENTER, PARALLEL, &fork, 1);
	event(s, HYB_POINT, PARALLEL, begin, 2);
	event(s, HYB_ENTER, LOOP, &count, 1);
	for (uint64_t i = 0; i < 3; i++) {
		const uint64_t chunk[] = { word(HYB_CHUNK, HYB_CHUNK_LOOP), 10 * i, 10 };

		event(s, HYB_POINT, 0, chunk, 3);
	}
	event(s, HYB_LEAVE, LOOP, NULL, 0);
	event(s, HYB_POINT, 0, &end, 1);
	event(s, HYB_LEAVE, PARALLEL, &join, 1);
}

/* As the library writes it: the team in one word each. The second use of it is another one's. */
static void play_short(struct synth *s)
{
	const uint64_t fork = word(HYB_FORK, 1), join = word(HYB_JOIN, HYB_JOIN_TEAM);

	for (uint64_t use = 0; use < 2; use++) {
		const uint64_t begin = word(HYB_TEAM_BEGIN_SHORT, (uint64_t)TEAM << HYB_SHORT_TEAM_SHIFT | use);

		event(s, HYB_ENTER, PARALLEL, &fork, 1);
		event(s, HYB_POINT, PARALLEL, &begin, 1);
		event(s, HYB_LEAVE, PARALLEL, &join, 1);
	}
}

/* The program's begin; two regions; three chunks; fork and join; a team's begin and end. */
static void check_loop(void)
{
	struct hyb_merge m;

	tap_equal(merged("loop", 1, play_loop, &m), 0, "a loop in chunks is merged");
	tap_equal((long long)m.counts.events, 1 + 4 + 6 + 2 + 2, "with all its chunks");
	hyb_merge_free(&m);
	tap_equal(merged("short", 1, play_short, &m), 0, "teams in one word are merged");
	tap_equal((long long)m.counts.events, 1 + 2 * (2 + 2) + 2, "a use of one that is defined has its begin and end");
	hyb_merge_free(&m);
	tap_equal(merged("huge", UINT32_MAX, play_loop, &m), 0, "a team of a damaged size is merged");
	tap_equal((long long)m.counts.events, 1 + 4 + 6 + 2, "without the team");
	hyb_merge_free(&m);
}

static void play_damaged(struct synth *s)
{
	const uint64_t twice[] = { word(HYB_ERROR, 1), word(HYB_ERROR, 2), word(HYB_JOIN, 0) };
	const uint64_t forks[] = { word(HYB_FORK, 1), word(HYB_FORK, 1) };
	const uint64_t foreign[] = { word(HYB_TASK_CREATE, 0), UINT64_C(7) << 32 | 1 };
	const uint64_t own[] = { word(HYB_TASK_CREATE, 0), 1 };

	event(s, HYB_POINT, 0, forks, 1);
	event(s, HYB_ENTER, LOOP, NULL, 0);
	event(s, HYB_LEAVE, LOOP, twice, 3);
	event(s, HYB_POINT, PARALLEL, foreign, 2);
	event(s, HYB_POINT, PARALLEL, own, 2);
	event(s, HYB_ENTER, PARALLEL, forks, 2);
}

/* The program's begin; two regions; a task; fork and join of the second region. */
static void check_damaged(void)
{
	struct hyb_merge m;

	tap_equal(merged("damaged", 1, play_damaged, &m), 0, "what is said twice is merged");
	tap_equal((long long)m.counts.events, 1 + 4 + 1 + 2, "forks are joined");
	tap_equal((long long)m.counts.unplaced_tasks, 1, "a task that nobody of the team created is left out");
	hyb_merge_free(&m);
}

static void check_requests(void)
{
	struct hyb_numbers r = { .count = 0 };
	uint64_t i, wrong = 0;

	hyb_numbers_add(&r, 5);
	for (i = 100; i < 1000000; i++) {
		if (hyb_numbers_toggle(&r, i))
			abort();
		wrong += !hyb_numbers_has(&r, i);
		if (hyb_numbers_toggle(&r, i))
			abort();
		wrong += hyb_numbers_has(&r, i);
	}
	tap_equal((long long)wrong, 0, "requests that began and ended");
	tap(hyb_numbers_has(&r, 5) && r.count == 1, "one that is open stays");
	tap(r.words.room <= 128, "the others take no memory");
	hyb_numbers_free(&r);
}

/* Of a task by its stream and number: its group, -1 where that is not known. */
static long long created_in(const struct hyb_task_teams *c, uint64_t stream, uint32_t number)
{
	uint32_t group;

	return hyb_task_teams_find(c, stream << 32 | number, &group) ? (long long)group : -1;
}

static void check_created(void)
{
	struct hyb_task_teams c = { .count = 0 };
	uint64_t i;

	for (i = 1; i <= 1000000; i++)
		hyb_task_teams_note(&c, i, i <= 600000 ? 4 : 9);
	/* what was created while recording was off has no place */
	for (i = 1000011; i <= 1000020; i++)
		hyb_task_teams_note(&c, i, 9);
	for (i = 1; i <= 10; i++)
		hyb_task_teams_note(&c, UINT64_C(3) << 32 | i, i <= 5 ? HYB_TASK_TEAMS_ALONE : 9);
	tap_equal((long long)c.count, 5, "a million tasks are as many runs as there are teams");
	tap_equal(created_in(&c, 0, 600000), 4, "the last of a run");
	tap_equal(created_in(&c, 0, 600001), 9, "the first of the next one");
	tap_equal(created_in(&c, 0, 1000010), -1, "one that was not recorded");
	tap_equal(created_in(&c, 0, 1000011), 9, "one behind that");
	tap_equal(created_in(&c, 3, 5), HYB_TASK_TEAMS_ALONE, "outside of any team");
	tap_equal(created_in(&c, 2, 5), -1, "by a thread that created none");
	tap_equal(created_in(&c, 3, 11), -1, "behind all");
	tap(!hyb_task_teams_alone(&c, 0) && !hyb_task_teams_alone(&c, 2) && hyb_task_teams_alone(&c, 3),
	    "who created tasks outside of teams");
	hyb_task_teams_note(&c, UINT64_C(3) << 32 | 1, 4);
	tap_equal(created_in(&c, 3, 7), -1, "numbers that were used again tell nothing");
	hyb_task_teams_free(&c);
}

int main(void)
{
	check_loop();
	check_damaged();
	check_created();
	check_requests();
	synth_cleanup();
	return tap_done();
}
