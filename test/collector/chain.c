/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chain DIR LIBRARY...: naps in a chain of calls that is known: main, outer, middle in each LIBRARY in turn
 * (chain-library.c, loaded when recording has begun), generated code, inner, and doze, which is inlined. Prints the
 * lines of the calls. The generated code that the second library calls is in /tmp/perf-PID.map. The experiment DIR is
 * where the collector says that it records. Built by the test, with frame pointers and debug information.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector.h"

#define NAPS 5
/* A frame, also where nothing is called that has one; no jump in place of the last call. */
#define KEEP_FRAME() __asm__ volatile("" ::"r"(__builtin_frame_address(0)) : "memory")
#define HERE(line) ((line) = __LINE__)

typedef void (*generated)(void (*f)(void));

static int at_inner, at_outer, at_main;

/* A function of libc would have no frame of its own for its caller to be found by. */
static inline __attribute__((always_inline)) void doze(void)
{
	static const struct timespec t = { .tv_nsec = 2000000 };
#if defined(__x86_64__)
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(SYS_nanosleep), "D"(&t), "S"(0) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long number __asm__("x8") = SYS_nanosleep;
	register long first __asm__("x0") = (long)&t;
	register long second __asm__("x1") = 0;

	__asm__ volatile("svc 0" : "+r"(first) : "r"(number), "r"(second) : "memory");
#else
#error "how is a system call made here?"
#endif
}

static __attribute__((noinline)) void inner(void)
{
	HERE(at_inner); doze();
	KEEP_FRAME();
}

/* As runtimes tell perf of the code that they make. The test removes the file. */
static void tell(const void *at, size_t size, const char *name)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	if (!f)
		exit(77);
	fprintf(f, "%lx %zx %s\n", (unsigned long)at, size, name);
	fclose(f);
}

/* A frame, a call of the argument, and back. */
static generated generate(const char *name)
{
#if defined(__x86_64__)
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
#else
	static const unsigned int code[] = { 0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0 };
#endif
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	memcpy(at, code, sizeof(code));
	if (mprotect(at, 4096, PROT_READ | PROT_EXEC))
		exit(77);
	__builtin___clear_cache(at, at + sizeof(code));
	if (name)
		tell(at, sizeof(code), name);
	return (generated)(void *)at;
}

static __attribute__((noinline)) void outer(void (*middle)(generated code, void (*f)(void)), generated code)
{
	HERE(at_outer); middle(code, inner);
	KEEP_FRAME();
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	if (argc > 1)
		wait_for_collector(argv[1]);
	for (int i = 2; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		void (*middle)(generated code, void (*f)(void)) = library ? dlsym(library, "middle") : NULL;
		generated code = generate(i > 2 ? "made(int, int)" : NULL);

		if (!middle)
			exit(1);
		for (int n = 0; n < NAPS; n++) {
			HERE(at_main); outer(middle, code);
		}
	}
	printf("pid=%d inner=%d outer=%d main=%d\n", (int)getpid(), at_inner, at_outer, at_main);
	MPI_Finalize();
	return 0;
}
