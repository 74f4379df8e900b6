/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jump: signals all the time, whose handler leaves by longjmp, while the program makes the first call of one MPI
 * function after the other; at the end another thread loads a library, for which it needs the dynamic linker's lock.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile sig_atomic_t armed;
static volatile int jumps;

static void on_signal(int signal)
{
	(void)signal;
	if (!armed)
		return;
	armed = 0;
	jumps++;
	siglongjmp(back, 1);
}

#define CALLS 21

static void call(unsigned int which)
{
	int a, b;
	char text[MPI_MAX_LIBRARY_VERSION_STRING];
	MPI_Aint at, extent;
	MPI_Group group;

	switch (which) {
	case 0: MPI_Get_version(&a, &b); break;
	case 1: MPI_Initialized(&a); break;
	case 2: MPI_Finalized(&a); break;
	case 3: MPI_Get_library_version(text, &a); break;
	case 4: MPI_Wtime(); break;
	case 5: MPI_Wtick(); break;
	case 6: MPI_Comm_rank(MPI_COMM_WORLD, &a); break;
	case 7: MPI_Comm_size(MPI_COMM_WORLD, &a); break;
	case 8: MPI_Type_size(MPI_INT, &a); break;
	case 9: MPI_Get_address(&a, &at); break;
	case 10: MPI_Comm_group(MPI_COMM_WORLD, &group); break;
	case 11: MPI_Group_size(MPI_GROUP_EMPTY, &a); break;
	case 12: MPI_Query_thread(&a); break;
	case 13: MPI_Is_thread_main(&a); break;
	case 14: MPI_Get_processor_name(text, &a); break;
	case 15: MPI_Error_class(MPI_SUCCESS, &a); break;
	case 16: MPI_Group_rank(MPI_GROUP_EMPTY, &a); break;
	case 17: MPI_Comm_test_inter(MPI_COMM_WORLD, &a); break;
	case 18: MPI_Type_get_extent(MPI_INT, &at, &extent); break;
	case 19: MPI_Type_get_true_extent(MPI_INT, &at, &extent); break;
	case 20: MPI_Topo_test(MPI_COMM_WORLD, &a); break;
	}
}

static void *load(void *arg)
{
	void *library = dlopen(arg, RTLD_NOW);

	if (library)
		dlclose(library);
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM };
	struct itimerspec soon = { .it_value = { .tv_nsec = 1 } };
	pthread_t thread;
	timer_t timer;

	MPI_Init(&argc, &argv);
	/* MPI may have threads of its own, which are not to jump */
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	signal(SIGALRM, on_signal);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	for (volatile unsigned int i = 0; i < CALLS; i++) {
		/* at another moment of the call each time */
		soon.it_value.tv_nsec = 1 + 3000 * (i % 7);
		if (!sigsetjmp(back, 1)) {
			armed = 1;
			timer_settime(timer, 0, &soon, NULL);
			call(i);
		}
		armed = 0;
		/* as the next thread would */
		pthread_create(&thread, NULL, load, argc > 1 ? argv[1] : "libm.so.6");
		pthread_join(thread, NULL);
	}
	MPI_Finalize();
	printf("done\n");
	return 0;
}
