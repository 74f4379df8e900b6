/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * delays WAY TIMES MS [CAUSE [WHO]]: one rank comes late to what others wait in, so often and by so much. Says who is
 * to blame: `culprit RANK LINE`, the line of the call that it comes late to. What keeps it is a nap, or CAUSE: `work`,
 * `faults`, `preempted` by a process of the same CPU, `stopped` by SIGSTOP, `sync`: writing to a file that is put on
 * disk each time, `quota`: of the cgroup of the CPU controller whose folder DELAYS_CGROUP names, or `interrupts` of its
 * CPU that take long. WHO is late to operations of all, if not rank 1. The others have no work.
 */
#define _GNU_SOURCE 1
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks, culprit, who = 1;
static long ms;
static void (*keep)(void);
static int x, y;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void nap(void)
{
	const struct timespec moment = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&moment, NULL);
}

static void work(void)
{
	double end = now() + (double)ms / 1000;

	while (now() < end)
		;
}

/* So much CPU time. */
static void spend(double seconds)
{
	struct timespec ts;
	double end;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	end = (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9 + seconds;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	while ((double)ts.tv_sec + (double)ts.tv_nsec * 1e-9 < end);
}

/* Until so much time has gone by, in which there is little but faults. */
static void faults(void)
{
	const size_t size = 1 << 20;
	double end = now() + (double)ms / 1000;

	while (now() < end) {
		char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			return;
		madvise(at, size, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < size; i += 4096)
			((volatile char *)at)[i] = 1;
		munmap(at, size);
	}
}

/* Another process stops this one for so long. */
static void stopped(void)
{
	volatile int *over = mmap(NULL, sizeof(*over), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = over == MAP_FAILED ? -1 : fork();

	if (child < 0)
		return;
	if (!child) {
		kill(getppid(), SIGSTOP);
		nap();
		*over = 1;
		kill(getppid(), SIGCONT);
		_exit(0);
	}
	while (!*over)
		;
	waitpid(child, NULL, 0);
	munmap((void *)over, sizeof(*over));
}

static void sync_file(void)
{
	static char block[65536];
	double end = now() + (double)ms / 1000;
	FILE *file = tmpfile();

	while (file && now() < end) {
		fwrite(block, sizeof(block), 1, file);
		fflush(file);
		fsync(fileno(file));
	}
	if (file)
		fclose(file);
}

/* CPU time for which it needs about so long in that cgroup. */
static void quota(void)
{
	const char *folder = getenv("DELAYS_CGROUP");
	char path[512];
	FILE *file;

	for (int in = 1; folder && in >= 0; in--) {
		snprintf(path, sizeof(path), "%s%s/tasks", folder, in ? "" : "/..");
		file = fopen(path, "w");
		if (file)
			fprintf(file, "%d\n", (int)getpid());
		if (!file || fclose(file))
			MPI_Abort(MPI_COMM_WORLD, 3);
		if (in)
			spend((double)ms / 4000);
	}
}

/* So much CPU time of its own, while another process wants the same CPU. */
static void preempted(void)
{
	cpu_set_t here, before;
	pid_t child;

	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	sched_setaffinity(0, sizeof(here), &here);
	child = fork();
	if (!child)
		for (;;)
			;
	spend((double)ms / 2000);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	sched_setaffinity(0, sizeof(before), &before);
}

/* A program for the kernel that takes some milliseconds: it copies a value of a map, which is that large, onto itself. */
static int slow_program(void)
{
	const int size = 64 << 20;
	union bpf_attr map = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = (uint32_t)size, .max_entries = 1 };
	const struct bpf_insn code[] = {
		{ BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0 },
		{ BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, (int)syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map)) },
		{ 0 },
		{ BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0 },
		{ BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4 },
		{ BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem },
		{ BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 4, 0 },
		{ BPF_ALU64 | BPF_MOV | BPF_X, 1, 0, 0, 0 },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 2, 0, 0, size },
		{ BPF_ALU64 | BPF_MOV | BPF_X, 3, 0, 0, 0 },
		{ BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_probe_read_kernel },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0 },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
	};
	union bpf_attr program = { .prog_type = BPF_PROG_TYPE_PERF_EVENT, .insn_cnt = sizeof(code) / sizeof(code[0]) };

	program.insns = (uintptr_t)code;
	program.license = (uintptr_t)"GPL";
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &program, sizeof(program));
}

/* For so long, a timer of this CPU interrupts it, and has that program to run each time. */
static void interrupts(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 500000, .disabled = 1 };
	cpu_set_t here, before;
	static int program;
	int event;

	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	sched_setaffinity(0, sizeof(here), &here);
	program = program ? program : slow_program();
	event = (int)syscall(SYS_perf_event_open, &attr, -1, sched_getcpu(), -1, 0);
	if (event < 0 || ioctl(event, PERF_EVENT_IOC_SET_BPF, program) || ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
		MPI_Abort(MPI_COMM_WORLD, 3);
	work();
	close(event);
	sched_setaffinity(0, sizeof(before), &before);
}

/* One line: which one is told. */
#define LATE(who, call) do { culprit = __LINE__; if (rank == (who)) keep(); call; STAY; } while (0)
/* No call may be the last thing that a function does: it would become a jump, and its caller's. */
#define STAY __asm__ volatile("")

static void late_sender(void)
{
	if (rank == 0)
		LATE(0, MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
	else if (rank == 1)
		MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void late_isend(void)
{
	MPI_Request request;

	if (rank == 0) {
		LATE(0, MPI_Isend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request));
	} else if (rank == 1) {
		MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
	}
	if (rank < 2)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* What is looked for comes late. */
static void probe(void)
{
	if (rank == 1)
		MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	late_sender();
}

static void iprobe(void)
{
	int found = rank != 1;

	while (!found)
		MPI_Iprobe(0, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
	late_sender();
}

static void test(void)
{
	MPI_Request request = MPI_REQUEST_NULL;
	int done = 0;

	if (rank == 0)
		LATE(0, MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
	else if (rank == 1)
		MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
	while (!done)
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

static void late_receiver(void)
{
	if (rank == 1)
		MPI_Ssend(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	else if (rank == 0)
		LATE(0, MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void late_irecv(void)
{
	MPI_Request request;

	if (rank == 1)
		MPI_Issend(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
	else if (rank == 0)
		LATE(0, MPI_Irecv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request));
	if (rank < 2)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void barrier(void)
{
	LATE(who, MPI_Barrier(MPI_COMM_WORLD));
}

static void allreduce(void)
{
	LATE(who, MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
}

static void ibarrier(void)
{
	MPI_Request request;

	LATE(who, MPI_Ibarrier(MPI_COMM_WORLD, &request));
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void late_root(void)
{
	LATE(1, MPI_Bcast(&x, 1, MPI_INT, 1, MPI_COMM_WORLD));
	MPI_Barrier(MPI_COMM_WORLD);
}

static void early_root(void)
{
	LATE(1, MPI_Reduce(&x, &y, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
	MPI_Barrier(MPI_COMM_WORLD);
}

/* All wait for the last one, which waits for the one before it, and so on to the first. */
static void chain(void)
{
	if (rank)
		MPI_Recv(&x, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank + 1 < ranks)
		LATE(0, MPI_Send(&x, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD));
	MPI_Barrier(MPI_COMM_WORLD);
}

static void fence(void)
{
	int *memory;
	MPI_Win win;

	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&x, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, win);
	LATE(who, MPI_Win_fence(0, win));
	MPI_Win_free(&win);
}

/* Rank 0 is the origin, the others are targets. */
static void epoch(bool late_post)
{
	MPI_Group world, group;
	int *memory, others[2] = { 1, 2 }, first = 0;
	MPI_Win win;

	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, rank ? 1 : ranks - 1, rank ? &first : others, &group);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Win_start(group, 0, win);
		MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		LATE(late_post ? -1 : 0, MPI_Win_complete(win));
	} else {
		LATE(late_post ? 1 : -1, MPI_Win_post(group, 0, win));
		MPI_Win_wait(win);
	}
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	MPI_Win_free(&win);
}

static void late_post(void)
{
	epoch(true);
}

static void late_complete(void)
{
	epoch(false);
}

/* Rank 1 has a lock that rank 2 asks for then; rank 0 only has the memory. */
static void window_lock(void)
{
	int *memory;
	MPI_Win win;

	MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 2)
		MPI_Recv(&y, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	}
	if (rank == 1) {
		MPI_Win_flush(0, win);
		MPI_Send(&x, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
	}
	if (rank)
		LATE(1, MPI_Win_unlock(0, win));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_free(&win);
}

static void file_all(void)
{
	static MPI_File file;

	if (!file)
		MPI_File_open(MPI_COMM_WORLD, "written", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
	MPI_Barrier(MPI_COMM_WORLD);
	LATE(who, MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof(x), &x, 1, MPI_INT, MPI_STATUS_IGNORE));
}

static void balanced(void)
{
	keep();
	LATE(-1, MPI_Barrier(MPI_COMM_WORLD));
}

#define ANY (-2) /* as WHO says */

static const struct {
	const char *name;
	void (*run)(void);
	int culprit;
} ways[] = {
	{ "late_sender", late_sender, 0 }, { "late_isend", late_isend, 0 }, { "late_receiver", late_receiver, 0 },
	{ "late_irecv", late_irecv, 0 }, { "barrier", barrier, ANY }, { "allreduce", allreduce, ANY }, { "ibarrier", ibarrier, ANY },
	{ "probe", probe, 0 }, { "iprobe", iprobe, 0 }, { "test", test, 0 }, { "late_root", late_root, 1 }, { "early_root", early_root, 1 }, { "chain", chain, 0 }, { "fence", fence, ANY },
	{ "late_post", late_post, 1 }, { "late_complete", late_complete, 0 },
	{ "window_lock", window_lock, 1 }, { "file_all", file_all, ANY }, { "balanced", balanced, -1 },
};

static const struct {
	const char *name;
	void (*keep)(void);
} causes[] = {
	{ "work", work }, { "faults", faults }, { "preempted", preempted }, { "stopped", stopped }, { "sync", sync_file },
	{ "quota", quota }, { "interrupts", interrupts },
};

int main(int argc, char **argv)
{
	const char *cause = argc > 4 ? argv[4] : "nap";
	size_t way = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	while (way < sizeof(ways) / sizeof(ways[0]) && (argc < 4 || strcmp(ways[way].name, argv[1])))
		way++;
	if (way == sizeof(ways) / sizeof(ways[0]))
		MPI_Abort(MPI_COMM_WORLD, 2);
	ms = strtol(argv[3], NULL, 10);
	who = argc > 5 ? atoi(argv[5]) : 1;
	keep = nap;
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		keep = strcmp(causes[i].name, cause) ? keep : causes[i].keep;
	MPI_Barrier(MPI_COMM_WORLD);
	for (long i = strtol(argv[2], NULL, 10); i; i--)
		ways[way].run();
	if (rank == (ways[way].culprit == ANY ? who : ways[way].culprit))
		printf("culprit %d %d\n", rank, culprit);
	MPI_Finalize();
	return 0;
}
