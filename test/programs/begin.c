/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * begin: the process's first call is that of a thread which is held up in a system call of the recorder's beginning, by
 * a filter that asks us first. Meanwhile another thread makes its first call and gets a signal, and the process forks
 * in two ways. Status 77: no such filters here.
 *
 * begin library: the other thread loads $TEST_LIBRARY, whose constructor calls MPI: it has the dynamic linker's lock
 * when it waits.
 *
 * begin service: it is held up by a service at $HYBMON_KERNEL_SERVICE, ourselves, that answers only when another thread
 * is through.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "count.h"

static sem_t handled;
static sem_t at_it;
static sem_t go_on;
static int held_up;
static int through;
static int over;
static int listener;

/* Makes all of this process ask before they make a directory. */
static int filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mkdirat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			    SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_TSYNC |
			    SECCOMP_FILTER_FLAG_TSYNC_ESRCH, &program);
}

static void on_signal(int number)
{
	(void)number;
	sem_post(&handled);
}

static void *ask(void *count)
{
	int flag;

	count_self = count;
	sem_post(&at_it);
	COUNT(MPI_Initialized(&flag));
	__atomic_store_n(&through, 1, __ATOMIC_RELEASE);
	/* to be there for its signal */
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
		usleep(1000);
	return NULL;
}

/* It is like any call that a library makes to see whether there is MPI. */
static int child_asks(pid_t pid)
{
	int status;
	int flag;

	CHECK(pid >= 0);
	if (pid == 0) {
		MPI_Initialized(&flag);
		_exit(3);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What happens while the first thread is held up; without the recorder nothing is. */
static void meanwhile(pthread_t *second, volatile uint64_t *count)
{
	CHECK(pthread_create(second, NULL, ask, (void *)count) == 0);
	CHECK(sem_wait(&at_it) == 0);
	usleep(100000);
	CHECK(pthread_kill(*second, SIGUSR1) == 0);
	CHECK(sem_wait(&handled) == 0);
	printf("signal handled\n");
	printf("fork: %d\n", child_asks(fork()));
	printf("clone: %d\n", child_asks((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)));
}

static void *load(void *count)
{
	count_self = count;
	sem_post(&at_it);
	CHECK(dlopen(getenv("TEST_LIBRARY"), RTLD_NOW));
	++*count_self;
	return NULL;
}

/* The first one waits until all that is to happen meanwhile has; who comes later may go on. */
static void *answer(void *unused)
{
	(void)unused;
	for (;;) {
		struct seccomp_notif question = { .id = 0 };
		struct seccomp_notif_resp response = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &question))
			continue;
		if (!__atomic_exchange_n(&held_up, 1, __ATOMIC_RELEASE))
			CHECK(sem_wait(&go_on) == 0);
		response.id = question.id;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
	}
	return NULL;
}

/* Without the recorder there is no service to be asked. */
static int serve(void)
{
	const char *path = getenv("HYBMON_KERNEL_SERVICE");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	CHECK(path && strlen(path) < sizeof(address.sun_path) && fd >= 0);
	strcpy(address.sun_path, path);
	CHECK(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 1) == 0);
	return fd;
}

static void run_service(volatile uint64_t *first_count, volatile uint64_t *second_count)
{
	pthread_t first, second;
	int service = serve();
	int asked = -1;

	CHECK(pthread_create(&first, NULL, ask, (void *)first_count) == 0);
	while (asked < 0 && !__atomic_load_n(&through, __ATOMIC_ACQUIRE)) {
		asked = accept(service, NULL, NULL);
		usleep(1000);
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	if (asked >= 0) {
		CHECK(pthread_create(&second, NULL, ask, (void *)second_count) == 0);
		CHECK(pthread_join(second, NULL) == 0);
		printf("asked; the first thread is %s\n", pthread_tryjoin_np(first, NULL) ? "waiting" : "through");
		close(asked);
	}
	pthread_join(first, NULL);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	volatile uint64_t *counts[2] = { count_map(1), count_map(2) };
	pthread_t first, second, answerer;

	count_open(0);
	CHECK(sem_init(&handled, 0, 0) == 0 && sem_init(&at_it, 0, 0) == 0 && sem_init(&go_on, 0, 0) == 0);
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	if (argc > 1 && strcmp(argv[1], "service") == 0) {
		run_service(counts[0], counts[1]);
		return 0;
	}
	listener = filter();
	if (listener < 0)
		return 77;
	CHECK(pthread_create(&answerer, NULL, answer, NULL) == 0);
	CHECK(pthread_create(&first, NULL, ask, (void *)counts[0]) == 0);
	CHECK(sem_wait(&at_it) == 0);
	/* without the recorder nothing holds it up */
	while (!__atomic_load_n(&held_up, __ATOMIC_ACQUIRE) && !__atomic_load_n(&through, __ATOMIC_ACQUIRE))
		usleep(1000);
	if (argc > 1 && strcmp(argv[1], "library") == 0) {
		CHECK(pthread_create(&second, NULL, load, (void *)counts[1]) == 0);
		CHECK(sem_wait(&at_it) == 0);
		usleep(100000);
	} else {
		meanwhile(&second, counts[1]);
	}
	CHECK(sem_post(&go_on) == 0);
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	CHECK(pthread_join(first, NULL) == 0);
	CHECK(pthread_join(second, NULL) == 0);
	COUNT(MPI_Init(&argc, &argv));
	COUNT(MPI_Finalize());
	return 0;
}
