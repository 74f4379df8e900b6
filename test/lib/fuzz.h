/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What both fuzz targets need, and, where they are tests, to change good inputs at random, always the same way.
 */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define require(condition)                                                                         \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char fuzz_path[64];

static inline void fuzz_remove(void)
{
	unlink(fuzz_path);
}

/*
 * The input as a file, which the next one overwrites: its descriptor, and its path in `path`. It has a name, since the
 * reader follows no links, as those of /proc are.
 */
static inline int fuzz_file(const uint8_t *data, size_t size, char path[64])
{
	static int fd = -1;

	if (fd < 0) {
		snprintf(fuzz_path, sizeof(fuzz_path), "%s/hybmon-fuzz-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
		fd = mkostemp(fuzz_path, O_CLOEXEC);
		atexit(fuzz_remove);
	}
	memcpy(path, fuzz_path, sizeof(fuzz_path));
	require(fd >= 0 && !ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	return fd;
}

#ifndef HYB_LIBFUZZER

static uint64_t random_state = 88172645463325252u;

static inline uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* A file's contents, with `spare` bytes behind them. */
static inline uint8_t *fuzz_load(const char *path, size_t *size, size_t spare)
{
	struct stat st;
	uint8_t *data;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	require(fd >= 0 && !fstat(fd, &st));
	data = malloc((size_t)st.st_size + spare + 1);
	require(data && read(fd, data, (size_t)st.st_size) == st.st_size);
	close(fd);
	*size = (size_t)st.st_size;
	return data;
}

/* One of the first four ways to change what is at `at`: a bit, a word, a byte, an end. */
static inline void fuzz_change(uint8_t *data, size_t *size, size_t at, uint64_t word, unsigned int way)
{
	switch (way) {
	case 0:
		data[at] ^= (uint8_t)(1u << next_random() % 8);
		break;
	case 1:
		at &= ~(size_t)7;
		memcpy(data + at, &word, *size - at < 8 ? *size - at : 8);
		break;
	case 2:
		data[at] = (uint8_t)next_random();
		break;
	case 3:
		if (next_random() % 8 == 0)
			*size = at + 1;
		break;
	}
}

/* Arguments: none, how many ROUNDS, or FILEs, which are tried as they are: true. */
static inline int fuzz_arguments(int argc, char **argv, unsigned long *rounds, size_t spare)
{
	char *end = NULL;

	if (argc > 1)
		*rounds = strtoul(argv[1], &end, 10);
	if (!end || !*end)
		return 0;
	for (int i = 1; i < argc; i++) {
		size_t size;
		uint8_t *data = fuzz_load(argv[i], &size, spare);

		LLVMFuzzerTestOneInput(data, size);
		free(data);
	}
	return 1;
}

#endif
#endif
