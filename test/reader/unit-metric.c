/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters: their definitions and the values in METRIC records, of all lengths and extremes, over several chunks; and
 * damaged ones, each word of which is changed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../lib/synth.h"
#include "../lib/tap.h"
#include "reader/streams/defs.h"
#include "reader/streams/metric.h"

#define MANY 3000u

/* Written apart from the reader: a value's difference as bytes. */
static size_t put_number(unsigned char *at, uint64_t difference)
{
	uint64_t zigzag = difference >> 63 ? ~(difference << 1) : difference << 1;
	size_t n = 0;

	while (zigzag >= 128) {
		at[n++] = (unsigned char)(zigzag % 128 + 128);
		zigzag /= 128;
	}
	at[n++] = (unsigned char)zigzag;
	return n;
}

static void put_words(struct synth *s, uint64_t set, uint64_t count, bool alone, const unsigned char *bytes, size_t size)
{
	size_t words = 2 + (size + 7) / 8, i;
	uint64_t word;

	synth_word(s, (uint64_t)HYB_METRIC << HYB_TYPE_SHIFT | (uint64_t)words << HYB_ID_SHIFT |
			      (s->now & HYB_TIME_MASK));
	synth_word(s, set | count << HYB_METRIC_COUNT_SHIFT | (alone ? HYB_METRIC_ALONE : 0));
	for (i = 0; i < words - 2; i++) {
		word = 0;
		for (size_t k = 0; k < 8 && i * 8 + k < size; k++)
			word |= (uint64_t)bytes[i * 8 + k] << 8 * k;
		synth_word(s, word);
	}
	synth_publish(s);
	s->now += s->tick;
}

/* `last` has the values before in the chunk. */
static void put_metric(struct synth *s, uint64_t set, bool alone, const uint64_t *values, uint64_t *last, uint32_t count)
{
	static unsigned char bytes[10 * MANY];
	size_t size = 0;

	for (uint32_t i = 0; i < count; i++) {
		size += put_number(bytes + size, values[i] - last[i]);
		last[i] = values[i];
	}
	put_words(s, set, count, alone, bytes, size);
}

/* Differences of each length, both signs, and around all bounds between lengths. */
static uint64_t value_of(unsigned int n)
{
	unsigned int shift = n / 6 % 64;
	const uint64_t power = UINT64_C(1) << shift;

	switch (n % 6) {
	case 0:
		return power;
	case 1:
		return power - 1;
	case 2:
		return -power;
	case 3:
		return power + 1;
	case 4:
		return ~power;
	default:
		return n % 12 == 5 ? UINT64_MAX : 0;
	}
}

static void test_values(void)
{
	const char *path = synth_path("values.hyb");
	uint64_t last[2] = { 0 }, values[2], before[2] = { 0 }, wrong = 0, seq = 0;
	struct hyb_metric_reader metrics = { NULL };
	struct hyb_metric_reading reading;
	struct hyb_reader *r;
	struct hyb_event e;
	struct synth s;
	unsigned int n;

	synth_open(&s, path, HYB_STREAM_THREAD, HYB_CHUNK_MIN, 0);
	for (n = 0; n < 6000; n++) {
		values[0] = value_of(n);
		values[1] = value_of(n * 7 + 1);
		if (n % 500 == 499)
			synth_next_chunk(&s);
		synth_room(&s, HYB_CHUNK_SLACK);
		if (s.chunk->seq != seq)
			memset(last, 0, sizeof(last));
		seq = s.chunk->seq;
		put_metric(&s, 3, n % 3 == 0, values, last, 2);
		if (n % 3)
			synth_event(&s, HYB_ENTER, n & 7);
	}
	synth_close(&s, true);
	hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r);
	for (n = 0; hyb_reader_next(r, &e) > 0;) {
		if (e.type != HYB_METRIC)
			continue;
		values[0] = value_of(n);
		values[1] = value_of(n * 7 + 1);
		wrong += hyb_metric_read(&metrics, &e, &reading) != 0 || reading.set != 3 || reading.count != 2 || e.id != 3 ||
			 reading.alone != (n % 3 == 0) || memcmp(reading.values, values, sizeof(values)) ||
			 (n ? !reading.before || memcmp(reading.before, before, sizeof(before)) : reading.before != NULL);
		memcpy(before, values, sizeof(before));
		n++;
	}
	tap(n == 6000 && !wrong, "values of all lengths, in %llu chunks", (unsigned long long)hyb_reader_stats(r)->chunks);
	tap(hyb_reader_stats(r)->chunks > 12 && !hyb_reader_stats(r)->corrupt_chunks, "chunks are whole");
	hyb_reader_close(r);
	hyb_metric_end(&metrics);
}

/* Several sets side by side, one of thousands of counters. */
static void test_sets(void)
{
	static uint64_t last[MANY], values[MANY];
	const char *path = synth_path("sets.hyb");
	uint64_t one = 0, two[2] = { 0 }, wrong = 0, n = 0;
	struct hyb_metric_reader metrics = { NULL };
	struct hyb_metric_reading reading;
	struct hyb_reader *r;
	struct hyb_event e;
	struct synth s;

	synth_open(&s, path, HYB_STREAM_THREAD, 1u << 20, 0);
	for (uint64_t i = 0; i < 20; i++) {
		for (uint32_t k = 0; k < MANY; k++)
			values[k] = i * i * k;
		put_metric(&s, UINT32_MAX, false, values, last, MANY);
		put_metric(&s, 0, false, &(uint64_t){ i << 40 }, &one, 1);
		put_metric(&s, 77, false, (uint64_t[]){ i, -i }, two, 2);
		synth_event(&s, HYB_LEAVE, 1);
	}
	synth_close(&s, true);
	hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r);
	while (hyb_reader_next(r, &e) > 0) {
		if (e.type != HYB_METRIC)
			continue;
		wrong += hyb_metric_read(&metrics, &e, &reading) != 0;
		if (n % 3 == 0)
			wrong += reading.set != UINT32_MAX || reading.count != MANY ||
				 reading.values[MANY - 1] != (n / 3) * (n / 3) * (MANY - 1);
		else if (n % 3 == 1)
			wrong += reading.set != 0 || reading.count != 1 || reading.values[0] != n / 3 << 40;
		else
			wrong += reading.set != 77 || reading.values[1] != -(n / 3);
		n++;
	}
	tap(n == 60 && !wrong, "sets side by side, one of %u counters", MANY);
	hyb_reader_close(r);
	hyb_metric_end(&metrics);
}

/* What one METRIC of these bytes gives, and then a whole one of the same set in that chunk, and in the next one. */
static bool is_bad(uint64_t count, const unsigned char *bytes, size_t size)
{
	static const int after[] = { 0, -EBADMSG, -EBADMSG, 0 };
	const char *path = synth_path("bad.hyb");
	struct hyb_metric_reader metrics = { NULL };
	struct hyb_metric_reading reading;
	struct hyb_reader *r;
	struct hyb_event e;
	struct synth s;
	bool same = true;
	unsigned int n = 0;

	synth_open(&s, path, HYB_STREAM_THREAD, HYB_CHUNK_MIN, 0);
	put_words(&s, 1, 2, false, (const unsigned char *)"\2\4", 2);
	put_words(&s, 1, count, false, bytes, size);
	put_words(&s, 1, 2, false, (const unsigned char *)"\2\4", 2);
	synth_next_chunk(&s);
	put_words(&s, 1, 2, false, (const unsigned char *)"\2\4", 2);
	synth_close(&s, true);
	hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r);
	while (hyb_reader_next(r, &e) > 0 && n < 4) {
		/* Of one without values nobody can say of which set it is. */
		if (n != 2 || (count && count <= size))
			same &= hyb_metric_read(&metrics, &e, &reading) == after[n];
		n++;
	}
	same &= n == 4 && reading.values[0] == 1 && reading.values[1] == 2;
	hyb_reader_close(r);
	hyb_metric_end(&metrics);
	return same;
}

static void test_bad(void)
{
	static const unsigned char endless[16] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
						   0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80 };
	static const unsigned char wide[16] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0 };
	static const unsigned char more[8] = { 2, 4, 6 }, word[16] = { 2, 4 };

	tap(is_bad(2, endless, sizeof(endless)), "a number without end");
	tap(is_bad(2, wide, sizeof(wide)), "a number of more than 64 bits");
	tap(is_bad(2, more, sizeof(more)), "more values than it says");
	tap(is_bad(2, word, sizeof(word)), "a word too many");
	tap(is_bad(9, more, sizeof(more)), "more values than there is room for");
	tap(is_bad(HYB_METRIC_COUNT_MASK, more, sizeof(more)), "as many as can be said");
	tap(is_bad(0, more, sizeof(more)), "no values");
	tap(is_bad(3, more, sizeof(more)), "another number of values than before");
	tap(is_bad(1, NULL, 0), "no words for values");
}

/* Each byte of it is changed in turn: reading must end, and say nothing that is not there. */
static void test_changed(void)
{
	const char *path = synth_path("changed.hyb");
	uint64_t last[3] = { 0 }, read = 0, bad = 0;
	struct hyb_metric_reading reading;
	struct hyb_reader *r;
	struct hyb_event e;
	struct synth s;

	synth_open(&s, path, HYB_STREAM_THREAD, HYB_CHUNK_MIN, 0);
	for (uint64_t i = 0; i < 4; i++) {
		put_metric(&s, i & 1, false, (uint64_t[]){ i << 7 * i, -i, UINT64_MAX * i }, last, 3);
		memset(last, 0, sizeof(last));
		synth_event(&s, HYB_ENTER, i);
	}
	synth_close(&s, true);
	for (uint64_t at = 0; at < 30 * 8; at++) {
		for (unsigned int to = 0; to < 256; to += 51) {
			const uint64_t offset = HYB_FILE_HEADER_SIZE + sizeof(struct hyb_chunk_header) + at;
			struct hyb_metric_reader metrics = { NULL };
			unsigned char was, now = (unsigned char)to;
			FILE *f = fopen(path, "rb");

			fseek(f, (long)offset, SEEK_SET);
			was = (unsigned char)fgetc(f);
			fclose(f);
			synth_poke(path, offset, &now, 1);
			hyb_reader_open(path, HYB_OWNER_ANY, NULL, &r);
			while (hyb_reader_next(r, &e) > 0) {
				if (e.type != HYB_METRIC)
					continue;
				if (hyb_metric_read(&metrics, &e, &reading))
					bad++;
				else
					for (uint32_t i = 0; i < reading.count; i++)
						read += reading.values[i] != 12345;
			}
			hyb_reader_close(r);
			hyb_metric_end(&metrics);
			synth_poke(path, offset, &was, 1);
		}
	}
	tap(read > 1000 && bad > 100, "damaged in every place: %llu values, %llu records that are none",
	    (unsigned long long)read, (unsigned long long)bad);
}

static void put_counter(struct synth *s, uint64_t id, const struct hyb_def_metric *def, const char *tail, size_t size)
{
	synth_def(s, HYB_DEF_METRIC, id, def, sizeof(*def), tail, size);
}

static void put_set(struct synth *s, uint64_t id, uint32_t count, const uint32_t *metrics, size_t there)
{
	struct hyb_def_metric_set def = { .count = count };

	synth_def(s, HYB_DEF_METRIC_SET, id, &def, sizeof(def), metrics, there * sizeof(*metrics));
}

static void test_definitions(void)
{
	static const char texts[24] = "cycles\0\0#\0\0\0\0\0\0\0of all";
	struct hyb_def_metric def = { .type = HYB_METRIC_DOUBLE, .mode = HYB_METRIC_POINT, .base = 2, .exponent = -20,
				      .flags = HYB_METRIC_SCALED | HYB_METRIC_NODE, .name_length = 6, .unit_length = 1,
				      .description_length = 6 };
	struct hyb_def_metric bad = def;
	const char *path = synth_path("defs.hyb");
	const struct hyb_metric_set *set;
	const struct hyb_metric *m;
	struct hyb_defs *d;
	struct synth s;

	synth_open(&s, path, HYB_STREAM_DEFS, HYB_CHUNK_MIN, 0);
	put_counter(&s, 9, &def, texts, sizeof(texts));
	put_counter(&s, 2, &(struct hyb_def_metric){ .base = 10 }, NULL, 0);
	put_counter(&s, 9, &def, texts, sizeof(texts)); /* bad from here on: there is one */
	bad.type = HYB_METRIC_DOUBLE + 1;
	put_counter(&s, 10, &bad, texts, sizeof(texts));
	bad = def;
	bad.mode = HYB_METRIC_POINT + 1;
	put_counter(&s, 11, &bad, texts, sizeof(texts));
	bad = def;
	bad.base = 0;
	put_counter(&s, 12, &bad, texts, sizeof(texts));
	bad = def;
	bad.description_length = 9;
	put_counter(&s, 13, &bad, texts, sizeof(texts));
	bad = def;
	bad.name_length = UINT32_MAX;
	put_counter(&s, 14, &bad, texts, sizeof(texts));
	bad = def;
	bad.unit_length = UINT32_MAX;
	put_counter(&s, 15, &bad, texts, sizeof(texts));
	synth_def(&s, HYB_DEF_METRIC, 16, &def, 16, NULL, 0);
	put_set(&s, 5, 3, (uint32_t[]){ 9, 2, 9 }, 3);
	put_set(&s, 5, 1, (uint32_t[]){ 9 }, 1); /* bad again */
	put_set(&s, 6, 0, NULL, 0);
	put_set(&s, 7, 3, (uint32_t[]){ 9, 2 }, 2);
	put_set(&s, 8, UINT32_MAX, (uint32_t[]){ 9, 2 }, 2);
	put_set(&s, 9, 2, (uint32_t[]){ 9, 10 }, 2);
	synth_def(&s, HYB_DEF_METRIC_SET, 10, NULL, 0, NULL, 0);
	synth_close(&s, true);
	tap(!hyb_defs_open(path, HYB_OWNER_ANY, NULL, &d), "definitions are read");
	m = hyb_metric_defs_find(&d->metrics, 9);
	tap(m && m->type == HYB_METRIC_DOUBLE && m->mode == HYB_METRIC_POINT && m->base == 2 && m->exponent == -20 &&
	    m->flags == (HYB_METRIC_SCALED | HYB_METRIC_NODE) && !strcmp(m->name, "cycles") && !strcmp(m->unit, "#") &&
	    !strcmp(m->description, "of all"), "a counter");
	m = hyb_metric_defs_find(&d->metrics, 2);
	tap(m && !*m->name && !*m->unit && !*m->description && m->base == 10, "one without texts");
	set = hyb_metric_defs_set(&d->metrics, 5);
	tap(set && set->count == 3 && d->metrics.metrics[set->metric[0]].id == 9 &&
	    d->metrics.metrics[set->metric[1]].id == 2 && d->metrics.metrics[set->metric[2]].id == 9, "a set");
	tap(d->metrics.metric_count == 2 && d->metrics.set_count == 1 && d->corrupt == 14, "what makes no sense is left out: %llu",
	    (unsigned long long)d->corrupt);
	tap(!hyb_metric_defs_find(&d->metrics, 10) && !hyb_metric_defs_set(&d->metrics, 7), "and not found");
	hyb_defs_close(d);
}

int main(void)
{
	test_values();
	test_sets();
	test_bad();
	test_changed();
	test_definitions();
	synth_cleanup();
	return tap_done();
}
