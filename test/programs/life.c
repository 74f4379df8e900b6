/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * life WHAT: things that programs do around MPI which a library in their process must bear: closing
 * descriptors that are not theirs, changing directory, running out of descriptors or file size, calling
 * MPI before MPI_Init and after MPI_Finalize, going on for long after it, looking at errno.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "count.h"

#define WORLD "MPI_COMM_WORLD"

static const int enough = 20000;	/* calls to outgrow several chunks */
static const int plenty = 300000;	/* calls to outgrow some megabytes */

static void many_calls(int n)
{
	int rank;

	for (int i = 0; i < n; i++) {
		errno = 4711;
		CALL(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
		CHECK(errno == 4711);
	}
}

/* The same without writing down each call: what is lost need only be counted. */
static void counted_calls(int n)
{
	int rank;

	for (int i = 0; i < n; i++) {
		errno = 4711;
		COUNT(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
		CHECK(errno == 4711);
	}
}

/* What the launcher gave: Hydra serves a process no longer when the copies of its outputs are closed. */
static int is_launchers(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

/* Closes all there are but the launcher's, and puts files of its own in their places. */
static void close_all(void)
{
	char line[] = "mine\n";
	char got[sizeof(line)];
	int file[200];
	int flag;

	MPI_Initialized(&flag);		/* a library has begun its work here */
	for (int fd = 3; fd < 1024; fd++)
		if (!is_launchers(fd))
			close(fd);
	for (int i = 0; i < 200; i++) {
		file[i] = open(".", O_TMPFILE | O_RDWR, 0600);
		CHECK(file[i] >= 0 && write(file[i], line, sizeof(line)) == sizeof(line));
	}
	expect_line("enter MPI_Initialized");
	expect_line("leave MPI_Initialized");
	CALL(MPI_Init(NULL, NULL));
	many_calls(enough);
	CALL(MPI_Finalize());
	for (int i = 0; i < 200; i++) {
		CHECK(pread(file[i], got, sizeof(got), 0) == sizeof(line));
		CHECK(memcmp(got, line, sizeof(line)) == 0 && lseek(file[i], 0, SEEK_END) == sizeof(line));
	}
}

/* After MPI_Init MPI has sockets and pipes of its own, but a file would be a library's. */
static void close_later(void)
{
	struct stat st;
	char got[8] = "";
	int file[200];

	CALL(MPI_Init(NULL, NULL));
	for (int fd = 3; fd < 1024; fd++) {
		if (fd != expect_self.fd && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
			close(fd);
	}
	for (int i = 0; i < 200; i++) {
		file[i] = open(".", O_TMPFILE | O_RDWR, 0600);
		CHECK(file[i] >= 0);
	}
	many_calls(enough);
	for (int i = 0; i < 200; i++)
		CHECK(read(file[i], got, sizeof(got)) == 0);
	CALL(MPI_Finalize());
}

static void change_directory(void)
{
	CHECK(chdir("/") == 0);
	CALL(MPI_Init(NULL, NULL));
	CHECK(chdir("/usr") == 0);
	many_calls(enough);
	CALL(MPI_Finalize());
}

static void limit(int resource, rlim_t value)
{
	struct rlimit limit;

	CHECK(getrlimit(resource, &limit) == 0);
	limit.rlim_cur = value;
	CHECK(setrlimit(resource, &limit) == 0);
}

static void *counted_thread(void *arg)
{
	count_self = arg;
	counted_calls(1000);
	return NULL;
}

static void few_descriptors(void)
{
	struct rlimit before;
	volatile uint64_t *count;
	pthread_t thread;
	int lowest;

	count_open(0);
	CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
	COUNT(MPI_Init(NULL, NULL));
	count = count_map(1);
	lowest = dup(2);
	close(lowest);
	limit(RLIMIT_NOFILE, lowest);
	CHECK(dup(2) == -1 && errno == EMFILE);
	counted_calls(plenty);
	CHECK(pthread_create(&thread, NULL, counted_thread, (void *)count) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
	COUNT(MPI_Finalize());
}

static void small_files(void)
{
	count_open(0);
	COUNT(MPI_Init(NULL, NULL));
	limit(RLIMIT_FSIZE, 1 << 20);	/* past it, a write would raise SIGXFSZ */
	counted_calls(plenty);
	COUNT(MPI_Finalize());
}

static void before_and_after(void)
{
	int version;
	int minor;
	int flag;

	CALL(MPI_Initialized(&flag));
	CHECK(!flag);
	CALL(MPI_Finalized(&flag));
	CHECK(!flag);
	CALL(MPI_Get_version(&version, &minor));
	CALL(MPI_Init(NULL, NULL));
	CALL(MPI_Initialized(&flag));
	CHECK(flag);
	CALL(MPI_Finalize());
	CALL(MPI_Finalized(&flag));
	CHECK(flag);
	CALL(MPI_Initialized(&flag));
	CHECK(flag);
}

static void never(void)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING];
	int length;
	int flag;

	CALL(MPI_Get_library_version(text, &length));
	CALL(MPI_Initialized(&flag));
	printf("%s: %d\n", text, flag);
}

static pthread_barrier_t finalized;

static void *live_on(void *arg)
{
	int flag;

	(void)arg;
	expect_open(1);
	CALL(MPI_Initialized(&flag));
	pthread_barrier_wait(&finalized);
	pthread_barrier_wait(&finalized);
	for (int i = 0; i < 1000; i++)
		CALL(MPI_Finalized(&flag));
	CHECK(flag);
	return NULL;
}

/* A thread that still calls what it may when MPI is gone. */
static void live_after(void)
{
	pthread_t thread;
	int provided;

	CALL(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided));
	CHECK(pthread_barrier_init(&finalized, NULL, 2) == 0);
	CHECK(pthread_create(&thread, NULL, live_on, NULL) == 0);
	pthread_barrier_wait(&finalized);
	CALL(MPI_Finalize());
	pthread_barrier_wait(&finalized);
	CHECK(pthread_join(thread, NULL) == 0);
}

static void plain(void)
{
	CALL(MPI_Init(NULL, NULL));
	many_calls(enough);
	CALL(MPI_Finalize());
}

static const struct {
	const char *name;
	void (*run)(void);
} table[] = {
	{ "closed", close_all }, { "closed-later", close_later }, { "chdir", change_directory },
	{ "nofile", few_descriptors }, { "fsize", small_files }, { "around", before_and_after },
	{ "never", never }, { "after", live_after }, { "plain", plain },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (argc > 1 && strcmp(argv[1], table[i].name) == 0) {
			table[i].run();
			printf("%s: done\n", argv[1]);
			return 0;
		}
	}
	fprintf(stderr, "usage: life WHAT\n");
	return 2;
}
