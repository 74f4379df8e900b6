/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters through the merge: where their events stand, with which values and in which classes; what is left out; and
 * what is told of them if not all is: merge/metric.c, merge/model/metric.c, merge/sink/rates.c.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "merge/sink/field.h"
#include "merge/merge.h"
#include "merge/sink/rates.h"
#include "../lib/synth.h"
#include "../lib/tap.h"

#define SEND 1u
#define PARALLEL 2u
#define TEAM 1u
#define BOTH 7u	 /* the set with two counters of the thread */
#define MIXED 8u /* one of the node, one of the thread, one of the process, one more of the thread */

static char told[16384];

static uint64_t word(enum hyb_record_type type, uint64_t payload)
{
	return (uint64_t)type << HYB_TYPE_SHIFT | payload;
}

static void event(struct synth *s, enum hyb_record_type type, uint64_t id, uint64_t attached)
{
	synth_room(s, 3);
	synth_word(s, word(type, id << HYB_ID_SHIFT | (s->now & HYB_TIME_MASK)));
	if (attached)
		synth_word(s, attached);
	synth_publish(s);
	s->now += s->tick;
}

/* The first in the chunk of a set, of values below 64: a byte each. */
static void metric(struct synth *s, uint64_t set, uint64_t count, const char *values)
{
	uint64_t bytes = 0;

	for (uint64_t i = 0; i < count; i++)
		bytes |= (uint64_t)(unsigned char)values[i] << 1 << 8 * i;
	synth_room(s, 3);
	synth_word(s, word(HYB_METRIC, UINT64_C(3) << HYB_ID_SHIFT | (s->now & HYB_TIME_MASK)));
	synth_word(s, set | count << HYB_METRIC_COUNT_SHIFT);
	synth_word(s, bytes);
	synth_publish(s);
	s->now += s->tick;
}

static void define_region(struct synth *s, uint64_t id, enum hyb_role role, enum hyb_paradigm paradigm, const char *name)
{
	const struct hyb_def_region def = { .role = (uint8_t)role, .paradigm = (uint8_t)paradigm,
					    .name_length = (uint32_t)strlen(name) };

	synth_def(s, HYB_DEF_REGION, id, &def, sizeof(def), name, strlen(name));
}

static void define_counter(struct synth *s, uint64_t id, uint32_t flags, const char *name)
{
	const struct hyb_def_metric def = { .base = 10, .flags = flags, .name_length = (uint32_t)strlen(name) };

	synth_def(s, HYB_DEF_METRIC, id, &def, sizeof(def), name, strlen(name));
}

static void define_set(struct synth *s, uint64_t id, uint32_t count, const uint32_t *metrics)
{
	const struct hyb_def_metric_set def = { .count = count };

	synth_def(s, HYB_DEF_METRIC_SET, id, &def, sizeof(def), metrics, count * sizeof(*metrics));
}

static void define(const char *path)
{
	const struct hyb_def_team team = { .use = 1, .size = 1 };
	struct synth s;

	synth_open(&s, path, HYB_STREAM_DEFS, HYB_CHUNK_MIN, 0);
	define_region(&s, SEND, HYB_ROLE_P2P, HYB_PARADIGM_MPI, "MPI_Send");
	define_region(&s, PARALLEL, HYB_ROLE_PARALLEL, HYB_PARADIGM_OPENMP, "parallel");
	synth_def(&s, HYB_DEF_TEAM, TEAM, &team, sizeof(team), NULL, 0);
	define_counter(&s, 1, 0, "cycles");
	define_counter(&s, 2, 0, "misses");
	define_counter(&s, 3, HYB_METRIC_NODE, "joule");
	define_counter(&s, 4, HYB_METRIC_PROCESS, "bytes");
	define_counter(&s, 5, 0, "cycles"); /* another one's number for the same */
	define_set(&s, 6, 2, (uint32_t[]){ 5, 2 });
	define_set(&s, BOTH, 2, (uint32_t[]){ 1, 2 });
	define_set(&s, MIXED, 4, (uint32_t[]){ 3, 1, 4, 2 });
	synth_close(&s, true);
}

/* A sink that notes what it is told. */
static int begin_sink(const struct hyb_sink_ops *ops, const struct hyb_merge *m, struct hyb_sink **sink)
{
	(void)ops;
	(void)m;
	*sink = NULL;
	*told = '\0';
	return 0;
}

static int open_track(struct hyb_sink *sink, const struct hyb_track *track, void **state)
{
	(void)sink;
	(void)track;
	*state = told;
	return 0;
}

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void note(const char *format, ...)
{
	size_t length = strlen(told);
	va_list va;

	va_start(va, format);
	vsnprintf(told + length, sizeof(told) - length, format, va);
	va_end(va);
}

static int64_t first_time;

static void note_metric(const struct hyb_merge_event *e)
{
	note("%u", e->metric.class->id);
	for (uint32_t i = 0; i < e->metric.class->count; i++)
		note("%c%s=%llu", i ? ',' : ':', e->metric.class->members[i]->def.name,
		     (unsigned long long)e->metric.values[i]);
	if (e->metric.instance != HYB_METRIC_UNUSED)
		note("/%u", e->metric.instance);
}

static int note_event(void *state, const struct hyb_merge_event *e)
{
	(void)state;
	if (e->kind == HYB_KIND_PROGRAM_BEGIN) {
		first_time = e->time;
		return 0;
	}
	note("%lld ", (long long)(e->time - first_time));
	if (e->kind <= HYB_KIND_LEAVE)
		note("%c%s", e->kind == HYB_KIND_ENTER ? '+' : '-', e->region->name);
	else if (e->kind == HYB_KIND_METRIC)
		note_metric(e);
	else
		note("%s", hyb_kind_word(e->kind));
	note("\n");
	return 0;
}

static int close_track(void *state, uint64_t *events)
{
	(void)state;
	*events = 0;
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
static const struct hyb_sink_ops noting = {
	.name = "note", .parts = no_parts, .begin = begin_sink, .open = open_track, .event = note_event,
	.close = close_track, .end = end_sink, .free = free_sink,
};

/* A process that did `play`, merged: *m is to be freed. */
static bool merged(const char *name, void (*play)(struct synth *s), const struct hyb_selection *selection,
		   struct hyb_merge *m)
{
	static volatile sig_atomic_t stop;
	const char *dir = synth_path(name);
	const struct hyb_sink_ops *const sinks[] = { &noting };
	const struct hyb_merge_options options = {
		.dirs = &dir, .dir_count = 1, .jobs = 1, .stop = &stop, .sinks = sinks, .sink_count = 1,
		.selection = selection,
	};
	struct synth s;
	char path[1024];

	mkdir(dir, 0777);
	snprintf(path, sizeof(path), "%s/defs.hyb", dir);
	define(path);
	snprintf(path, sizeof(path), "%s/thread-0.hyb", dir);
	synth_open(&s, path, HYB_STREAM_THREAD, HYB_CHUNK_MIN, 0);
	play(&s);
	synth_close(&s, true);
	return hyb_merge_run(m, &options) == 0;
}

static void check(const char *name, void (*play)(struct synth *s), uint64_t unknown, const char *expected)
{
	struct hyb_merge m;
	bool ok = merged(name, play, NULL, &m) && !strcmp(told, expected) && m.counts.unknown_metrics == unknown;

	if (!tap(ok, "%s", name))
		printf("# told, %llu not known:\n%s# expected:\n%s", (unsigned long long)m.counts.unknown_metrics, told,
		       expected);
	hyb_merge_free(&m);
}

static void play_calls(struct synth *s)
{
	const uint64_t error = word(HYB_ERROR, 5);

	metric(s, BOTH, 2, (char[]){ 1, 2 });
	event(s, HYB_ENTER, SEND, 0);
	metric(s, BOTH, 2, (char[]){ 3, 0 });
	event(s, HYB_LEAVE, SEND, error);
	event(s, HYB_ENTER, SEND, 0);
	metric(s, 6, 2, (char[]){ 5, 6 });
	metric(s, BOTH, 2, (char[]){ 1, 0 });
	event(s, HYB_LEAVE, SEND, 0);
}

static void play_alone(struct synth *s)
{
	event(s, HYB_ENTER, SEND, 0);
	metric(s, BOTH, 2, (char[]){ 1, 2 });
	metric(s, BOTH | HYB_METRIC_ALONE, 2, (char[]){ 1, 2 });
	event(s, HYB_MARK, HYB_MARK_OFF, 0);
	metric(s, BOTH, 2, (char[]){ 1, 2 });
	event(s, HYB_MORE, SEND, 0);
	event(s, HYB_LEAVE, SEND, 0);
}

static void play_scopes(struct synth *s)
{
	metric(s, MIXED, 4, (char[]){ 1, 2, 3, 4 });
	event(s, HYB_ENTER, SEND, 0);
	metric(s, MIXED, 4, (char[]){ 9, 0, 0, 1 });
	event(s, HYB_LEAVE, SEND, 0);
}

/* The team's begin is told between the fork and its Enter, whatever stands between their records. */
static void play_fork(struct synth *s)
{
	metric(s, BOTH, 2, (char[]){ 1, 2 });
	event(s, HYB_ENTER, PARALLEL, word(HYB_FORK, 1));
	event(s, HYB_POINT, PARALLEL, word(HYB_TEAM_BEGIN_SHORT, (uint64_t)TEAM << HYB_SHORT_TEAM_SHIFT | 1));
	metric(s, BOTH, 2, (char[]){ 1, 2 });
	event(s, HYB_LEAVE, PARALLEL, word(HYB_JOIN, HYB_JOIN_TEAM));
}

/* A Leave without its Enter; records that are lost; a set that is not defined, or of another size; the end. */
static void play_lost(struct synth *s)
{
	metric(s, BOTH, 2, (char[]){ 1, 2 });
	event(s, HYB_LEAVE, SEND, 0);
	metric(s, 99, 2, (char[]){ 1, 2 });
	event(s, HYB_ENTER, SEND, 0);
	metric(s, BOTH, 2, (char[]){ 2, 2 });
	synth_lose(s, 3);
	synth_next_chunk(s);
	metric(s, MIXED, 2, (char[]){ 3, 4 });
	metric(s, BOTH, 2, (char[]){ 7, 8 });
	event(s, HYB_ENTER, SEND, 0);
	event(s, HYB_LEAVE, SEND, 0);
	metric(s, BOTH, 2, (char[]){ 1, 2 });
}

static void check_selection(void)
{
	struct hyb_selection counters = HYB_SELECTION_ALL, others = HYB_SELECTION_ALL, part = HYB_SELECTION_ALL;
	struct hyb_merge m;

	tap(hyb_selection_parse_groups("counters", &counters.groups) &&
		    merged("only", play_calls, &counters, &m) && !strchr(told, '+') &&
		    !strncmp(told, "10 0:cycles=1,misses=2\n", 23), "--events=counters");
	hyb_merge_free(&m);
	tap(hyb_selection_parse_groups("-counters", &others.groups) &&
		    merged("others", play_calls, &others, &m) && strchr(told, '+') && !strstr(told, "cycles"),
	    "--events=-counters");
	hyb_merge_free(&m);
	part.from = 25;
	part.to = 45;
	tap(merged("part", play_calls, &part, &m) &&
		    !strcmp(told, "0 +MPI_Send\n5 0:cycles=4,misses=2\n5 -MPI_Send\n15 +MPI_Send\n20 -MPI_Send\n"),
	    "a part of the time");
	hyb_merge_free(&m);
}

static int begin_curve(void *arg, const struct hyb_gmetric *metric)
{
	(void)arg;
	note("begin %s\n", metric->def.name);
	return 0;
}

static int put_curve(void *arg, const struct hyb_gmetric *metric, int64_t time, double value)
{
	(void)arg;
	note("%lld %s %g\n", (long long)time, metric->def.name, value);
	return 0;
}

static void check_rates(void)
{
	static const uint64_t values[][2] = { { 10, 5 }, { 40, 6 }, { 50, 7 }, { UINT64_MAX, 8 }, { 1, 9 } };
	static const int64_t times[] = { 1000, 4000, 4000, 5000, 6000 };
	struct hyb_gmetric grows = { .def = { .name = "a", .unit = "s", .description = "", .base = 10, .exponent = -9 } };
	struct hyb_gmetric stands = { .def = { .name = "b", .unit = "#", .mode = HYB_METRIC_ABSOLUTE, .base = 2,
					       .exponent = 1, .flags = HYB_METRIC_SCALED | HYB_METRIC_NODE } };
	struct hyb_gmetric *members[] = { &grows, &stands };
	const struct hyb_gmetric_class class = { .count = 2, .members = members };
	const struct hyb_rates_to to = { .begin = begin_curve, .value = put_curve };
	struct hyb_rates rates = { NULL };
	struct hyb_merge_event e = { .kind = HYB_KIND_METRIC };
	char *name, *unit;
	bool ok = true;

	*told = '\0';
	for (size_t i = 0; i < 5; i++) {
		e.time = times[i];
		e.metric.class = &class;
		e.metric.values = values[i];
		ok &= !hyb_rates_event(&rates, &e, &to);
	}
	ok &= !hyb_rates_end(&rates, &to);
	/* 30 ns in 3 us; then from 40 to -1, and from -1 to 1: whatever the bits, a difference is less than 2^63. */
	if (!tap(ok && !strcmp(told, "begin a\nbegin b\n1000 a 0.01\n1000 b 10\n4000 a -0.041\n4000 b 14\n5000 a 0.002\n"
				     "5000 b 16\n6000 b 18\n6000 a 0\n"), "rates and values"))
		printf("%s", told);
	ok = !hyb_rate_names(&grows, &name, &unit) && !strcmp(name, "a per second") && !strcmp(unit, "s/s");
	free(name);
	free(unit);
	ok &= !hyb_rate_names(&stands, &name, &unit) && !strcmp(name, "b (scaled) of the node") && !strcmp(unit, "#");
	free(name);
	free(unit);
	tap(ok, "what they are called");
}

int main(void)
{
	check("calls", play_calls, 0,
	      "10 0:cycles=1,misses=2\n10 +MPI_Send\n30 0:cycles=4,misses=2\n30 -MPI_Send\n40 +MPI_Send\n"
	      "70 0:cycles=5,misses=6\n70 0:cycles=5,misses=2\n70 -MPI_Send\n");
	check("alone", play_alone, 0,
	      "0 +MPI_Send\n20 0:cycles=2,misses=4\n30 0:cycles=1,misses=2\n30 off\n60 0:cycles=3,misses=6\n60 -MPI_Send\n");
	check("scopes", play_scopes, 0,
	      "10 0:cycles=2,misses=4\n10 1:bytes=3/0\n10 2:joule=1/1\n10 +MPI_Send\n"
	      "30 0:cycles=2,misses=5\n30 1:bytes=3/0\n30 2:joule=10/1\n30 -MPI_Send\n");
	check("fork", play_fork, 0,
	      "10 fork\n10 team_begin\n10 0:cycles=1,misses=2\n10 +parallel\n40 0:cycles=2,misses=4\n40 -parallel\n40 team_end\n40 join\n");
	check("lost", play_lost, 2,
	      "30 +MPI_Send\n40 -MPI_Send\n40 +records lost\n40 off\n50 on\n50 -records lost\n70 0:cycles=7,misses=8\n"
	      "70 +MPI_Send\n80 -MPI_Send\n");
	check_selection();
	check_rates();
	synth_cleanup();
	return tap_done();
}
