/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handlers CALL WHAT: a signal handler at each instruction of the library's that a call runs through. The instructions
 * are found by single steps; those of the ways that are taken only where nothing slows the call down, by stepping from
 * a breakpoint on. Then there is a breakpoint at each, one at a time, and its handler does WHAT:
 *
 *	pause	pauses recording and resumes it
 *	off	pauses it; it is resumed after the call
 *	call	makes an MPI call
 *	jump	leaves the call by longjmp
 *
 * Says at the end how many calls were made, and how often the handler ran.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#define HYBMON_WEAK
#include "hybmon.h"

#ifdef __x86_64__

#define PLACES 4096
#define TRAP_FLAG 0x100

static unsigned char *places[PLACES];
static int place_count;
static struct {
	unsigned char *begin;
	unsigned char *end;
} texts[8];
static int text_count;

static unsigned char *broken;	/* where the breakpoint is */
static unsigned char instead;	/* of what */
static volatile bool stepping;
static const char *what;
static volatile int handled;
static volatile int inside;	/* calls that the handler made */
static sigjmp_buf back;
static MPI_Request request = MPI_REQUEST_NULL;

static int call_rank(void)
{
	int rank = -1;

	return MPI_Comm_rank(MPI_COMM_WORLD, &rank) || rank;
}

static int call_send(void)
{
	return MPI_Send(&(int){ 1 }, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}

static int call_probe(void)
{
	int flag = 1;

	return MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE) || flag;
}

static int call_test(void)
{
	int flag = 1;

	return MPI_Test(&request, &flag, MPI_STATUS_IGNORE) || flag;
}

static int call_time(void)
{
	return MPI_Wtime() < 0;
}

static const struct {
	const char *name;
	int (*call)(void);
} calls[] = {
	{ "rank", call_rank }, { "send", call_send }, { "probe", call_probe }, { "test", call_test },
	{ "time", call_time },
};

static bool is_ours(const unsigned char *at)
{
	for (int i = 0; i < text_count; i++) {
		if (at >= texts[i].begin && at < texts[i].end)
			return true;
	}
	return false;
}

static void find_texts(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long begin, end;
	char line[4096];
	char access[8];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "/libhybmon") || sscanf(line, "%lx-%lx %7s", &begin, &end, access) != 3 || access[2] != 'x')
			continue;
		mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC);
		texts[text_count].begin = (unsigned char *)begin;
		texts[text_count++].end = (unsigned char *)end;
	}
	fclose(maps);
}

static void add_place(unsigned char *at)
{
	for (int i = 0; i < place_count; i++) {
		if (places[i] == at)
			return;
	}
	if (place_count < PLACES)
		places[place_count++] = at;
}

static void act(void)
{
	int size;

	handled++;
	if (!strcmp(what, "pause")) {
		HYBMON_CALL(hybmon_pause);
		HYBMON_CALL(hybmon_resume);
	} else if (!strcmp(what, "off")) {
		HYBMON_CALL(hybmon_pause);
	} else if (!strcmp(what, "call")) {
		inside++;
		MPI_Comm_size(MPI_COMM_WORLD, &size);
	} else if (!strcmp(what, "jump")) {
		siglongjmp(back, 1);
	}
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	unsigned char *at = (unsigned char *)registers[REG_RIP];

	(void)signal;
	(void)info;
	if (broken && at == broken + 1) {
		*broken = instead;
		registers[REG_RIP]--;
		broken = NULL;
		if (stepping)
			registers[REG_EFL] |= TRAP_FLAG;
		else
			act();
		return;
	}
	if (stepping && is_ours(at))
		add_place(at);
	if (!stepping)
		registers[REG_EFL] &= ~TRAP_FLAG;
}

static void break_at(unsigned char *at)
{
	broken = at;
	instead = *at;
	*at = 0xcc;
}

static void repair(void)
{
	if (broken)
		*broken = instead;
	broken = NULL;
}

/* All instructions of ours that such a call may run through. */
static int find_places(int (*call)(void))
{
	int made = 1;

	stepping = true;
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc");
	call();
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" : : : "memory", "cc");
	for (int i = 0; i < place_count; i++, made++) {
		break_at(places[i]);
		call();
		__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" : : : "memory", "cc");
		repair();
	}
	stepping = false;
	return made;
}

/*
 * Once in some minutes, when the upper bits of the time change (HYB_TIME_BITS), a call defines the clock with all signals
 * blocked. A trap there would end the program, so it waits until that is not near.
 */
static void wait_for_change_of_time(void)
{
	const uint64_t near = UINT64_C(1) << 35;
	const struct timespec moment = { .tv_nsec = 100000000 };

	while (__builtin_ia32_rdtsc() >> 40 != (__builtin_ia32_rdtsc() + near) >> 40)
		nanosleep(&moment, NULL);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER };
	int (*call)(void) = NULL;
	int value, size;
	int made = 3000;

	for (size_t i = 0; argc == 3 && i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (!strcmp(calls[i].name, argv[1]))
			call = calls[i].call;
	}
	if (!call)
		return 2;
	what = argv[2];
	MPI_Init(&argc, &argv);
	MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
	/* the first one of the handler's, too */
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	HYBMON_CALL(hybmon_pause);
	HYBMON_CALL(hybmon_resume);
	for (int i = 0; i < made; i++)
		call();
	find_texts();
	wait_for_change_of_time();
	sigaction(SIGTRAP, &action, NULL);
	made += find_places(call);
	for (volatile int i = 0; i < place_count; i++) {
		made++;
		if (!sigsetjmp(back, 1)) {
			break_at(places[i]);
			if (call())
				printf("wrong result\n");
			repair();
		}
		if (!strcmp(what, "off"))
			HYBMON_CALL(hybmon_resume);
		call();
		made++;
	}
	signal(SIGTRAP, SIG_DFL);
	MPI_Rsend(&(int){ 1 }, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Finalize();
	printf("places %d handled %d made %d inside %d\n", place_count, handled, made, inside);
	return 0;
}

#else

int main(void)
{
	return 77;
}

#endif
