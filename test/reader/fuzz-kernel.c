/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as streams of a CPU and as a collector's definitions: neither may the reader crash or hang, nor break what
 * its headers promise. With clang's -fsanitize=fuzzer it is a fuzz target (define HYB_LIBFUZZER); else a test that
 * changes good streams at random, always the same way: fuzz-kernel [ROUNDS], or over the files given: fuzz-kernel
 * FILE..., or `fuzz-kernel --seeds DIR` to write the good streams for a fuzzer.
 */
#include <string.h>

#include "../lib/synth.h"
#include "../lib/fuzz.h"
#include "reader/streams/kdefs.h"
#include "reader/streams/kernel.h"

static uint64_t sum; /* of all there is, so that it is looked at */

/* The input as a stream, beside a good one. */
static void try_streams(const char *path, const char *good, uint64_t size)
{
	const char *paths[2] = { path, good };
	uint64_t events = 0, last = 0, begun = 0;
	struct hyb_kernel_stats stats;
	struct hyb_kernel_reader *r;
	struct hyb_kernel_event e;
	int ret;

	require(!hyb_kernel_open(paths, 2, HYB_OWNER_ANY, NULL, &r));
	while ((ret = hyb_kernel_next(r, &e)) > 0) {
		require(e.time >= last && e.source < 2 && e.detail < 1u << 24 && e.what && e.what != HYB_KERNEL_LOST);
		last = e.time;
		begun += e.what == HYB_KERNEL_GAP_BEGIN;
		require(e.what != HYB_KERNEL_GAP_END || begun-- > 0);
		require(e.what != HYB_KERNEL_GAP_BEGIN || e.word[0] >= e.time);
		sum += e.word[0] + e.word[1] + e.stack + e.task + e.lost;
		/* Every event takes two words, and a gap is two events. */
		require(++events < 2 * size + 10000);
	}
	require(!ret && !begun);
	hyb_kernel_stats(r, &stats);
	require(stats.events + 2 * stats.gaps == events);
	sum += hyb_kernel_ended(r, 0) + hyb_kernel_tid(r, 0);
	hyb_kernel_close(r);
}

static void try_defs(const char *path)
{
	struct hyb_kdefs d;
	FILE *nowhere = fopen("/dev/null", "w");
	size_t count;

	hyb_kdefs_read(path, HYB_OWNER_ANY, NULL, &d);
	for (size_t i = 0; i < d.task_count; i++) {
		require(hyb_kdefs_tasks(&d, d.tasks[i].number, &count) <= &d.tasks[i] && count);
		sum += strlen(d.tasks[i].name);
	}
	for (size_t i = 0; i < d.name_count; i++)
		require(hyb_kdefs_name(&d, d.names[i].id >> 32, (uint32_t)d.names[i].id));
	require(nowhere);
	for (size_t i = 0; i < d.stack_count; i++)
		require(!hyb_kdefs_stack(&d, d.stacks[i].id, UINT64_MAX, NULL, NULL, nowhere));
	require(hyb_kdefs_stack(&d, UINT64_MAX, 0, NULL, NULL, nowhere));
	fclose(nowhere);
	hyb_kdefs_free(&d);
}

static const char *good_stream;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];

	fuzz_file(data, size, path);
	try_defs(path);
	try_streams(path, good_stream ? good_stream : path, size);
	return 0;
}

#ifndef HYB_LIBFUZZER

/* Records of all kinds, whole ones, in chunks of their own now and then. */
static void make_events(const char *path, unsigned int count)
{
	struct synth s;

	synth_open(&s, path, HYB_STREAM_CPU, HYB_CHUNK_MIN, 0);
	for (unsigned int i = 0; i < count; i++) {
		const uint64_t what = i % HYB_KERNEL_LOST + 1;
		const uint64_t words[4] = { what << 56 | (uint64_t)(i % 300) << 32 | i % 11, i % 7, s.now - 3,
					    (uint64_t)HYB_STACK << HYB_TYPE_SHIFT | i % 5 };

		synth_event(&s, HYB_KERNEL, 4);
		synth_words(&s, words, i % 3 ? 3 : 4);
		synth_publish(&s);
		if (i % 1000 == 999) {
			s.now += HYB_TIME_MASK;
			synth_lose(&s, i % 13);
			synth_next_chunk(&s);
		}
	}
	synth_close(&s, count % 2);
}

static void make_defs(const char *path)
{
	const struct hyb_def_stack stack = { .kernel = 2, .user = 2, .tgid = 7 };
	const struct hyb_def_mapping mapping = { .address = 0x1000, .length = 0x1000, .path_length = 9 };
	const uint64_t addresses[4] = { 0x5010, 0x6000, 0x1010, 0x9000 };
	struct hyb_def_symbol symbol = { .address = 0x5000, .size = 0x100, .name_length = 6 };
	struct hyb_def_task task = { .tid = 5, .tgid = 7, .kind = HYB_TASK_KIND_JOB, .name = "0123456789abcdef" };
	struct synth s;

	synth_open(&s, path, HYB_STREAM_DEFS, HYB_CHUNK_MIN, 0);
	for (uint64_t i = 0; i < 60; i++) {
		const uint64_t name[2] = { 5, 0x6c6c616373 };

		task.start = i;
		symbol.address += 0x80;
		synth_def(&s, HYB_DEF_TASK, i / 3, &task, sizeof(task), NULL, 0);
		synth_def(&s, HYB_DEF_KERNEL_NAME, (uint64_t)HYB_NAME_SYSCALL << 32 | i, name, sizeof(name), NULL, 0);
		synth_def(&s, HYB_DEF_STACK, i, &stack, sizeof(stack), addresses, sizeof(addresses));
		synth_def(&s, HYB_DEF_SYMBOL, 0, &symbol, sizeof(symbol), "symbol", 6);
		synth_def(&s, HYB_DEF_MAPPING, 7, &mapping, sizeof(mapping), "/lib/so.6", 9);
	}
	synth_close(&s, true);
}

static void change(uint8_t *data, size_t *size)
{
	static const uint64_t values[] = { 0, 1, UINT64_MAX, UINT32_MAX, INT64_MAX, 4096, UINT64_C(0x620002) << 40,
					   (uint64_t)HYB_KERNEL_LOST << 56, UINT64_C(0xf6ffff) << 40 };
	uint64_t value = values[next_random() % (sizeof(values) / sizeof(values[0]))];
	/* Most of them in the first chunk, which is never empty. */
	size_t at = next_random() % (next_random() % 3 ? HYB_FILE_HEADER_SIZE + 4096 : *size);

	fuzz_change(data, size, at < *size ? at : *size - 1, value, next_random() % 4);
}

static void mutate(const char *path, unsigned long rounds)
{
	size_t size, length;
	uint8_t *good = fuzz_load(path, &length, 0), *data = malloc(length + 1);

	require(data);
	for (unsigned long i = 0; i < rounds; i++) {
		memcpy(data, good, length);
		size = length;
		for (uint64_t n = i ? next_random() % 6 + 1 : 0; n; n--)
			change(data, &size);
		LLVMFuzzerTestOneInput(data, size);
	}
	free(data);
	free(good);
}

int main(int argc, char **argv)
{
	static char events[512], defs[512];
	const char *dir = argc == 3 && !strcmp(argv[1], "--seeds") ? argv[2] : synth_directory();
	unsigned long rounds = 500;

	snprintf(events, sizeof(events), "%s/cpu", dir);
	snprintf(defs, sizeof(defs), "%s/kdefs", dir);
	make_events(events, 3001);
	make_defs(defs);
	good_stream = events;
	if (dir == argv[argc - 1])
		return 0;
	if (!fuzz_arguments(argc, argv, &rounds, 0)) {
		printf("1..2\n");
		mutate(events, rounds);
		printf("ok 1 - a CPU's stream, changed %lu times\n", rounds);
		mutate(defs, rounds);
		printf("ok 2 - definitions, changed %lu times\n", rounds);
	}
	synth_cleanup();
	return 0;
}

#endif
