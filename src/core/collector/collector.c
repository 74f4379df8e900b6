/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way to the collector; see collect.h. There is one for each experiment on a node: who can bind the
 * name made of it (name.h) is the first, makes the listening socket, and gives it to the collector that it
 * starts. Everybody, the first one too, connects to it and sends a hello: the kernel keeps both until the
 * collector comes to take them.
 *
 * Where an administrator runs a service for all users, that is asked first (collector-service.c).
 *
 * The collector is no child that the program could wait for by accident, has nothing of the program's open, and a
 * session of its own, so that no launcher takes it for a rank.
 */
#include "format/collector.h"
#include "core/collector/collector.h"

#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "core/config/config.h"
#include "core/config/library.h"
#include "core/sys/log.h"
#include "core/sys/memory.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "core/job/job.h"
#include "core/collector/name.h"

#define STACK_SIZE	(64u << 10)	/* of each of the two processes between this and the collector */
#define TRIES		20
#define KEPT_FD		3

/* Where the job's collector listens, once this process has told it of itself. */
static struct {
	struct hyb_collect_name name;
	int known;		/* the name; stored with release */
	int refused;		/* there will be none */
} met;

struct start {
	char path[PATH_MAX];
	long request;			/* the socket that the collector finds its request in */
	char *stack;
	int error;			/* of the exec */
};

bool hyb_collect_wanted(void)
{
	return *hyb_collect_sample() || hyb_config.kernel != HYB_KERNEL_OFF;
}

/* The socket, or -errno. */
static long say_hello_from(const struct hyb_collect_name *name, uint32_t tid)
{
	const struct hyb_collect_hello hello = { HYB_COLLECT_MAGIC, HYB_COLLECT_VERSION, tid, 0 };
	long fd = hyb_collect_socket();
	long err;

	if (fd < 0)
		return fd;
	err = HYB_SYS(connect, fd, &name->address, name->length, 0, 0, 0);
	if (!err && !hyb_collect_is_trusted(fd))
		err = -EACCES;
	if (!err)
		err = HYB_SYS(sendto, fd, &hello, sizeof(hello), MSG_NOSIGNAL | MSG_DONTWAIT, 0, 0);
	if (err >= 0)
		return fd;
	hyb_sys_close(fd);
	return err;
}

/* As a process. 0 with the socket, which the answer comes by. */
static long say_hello(const struct hyb_collect_name *name, long *connection)
{
	long fd = say_hello_from(name, 0);

	if (fd < 0)
		return fd;
	*connection = fd;
	return 0;
}

static void remember(const struct hyb_collect_name *name)
{
	met.name = *name;
	/* pairs with the acquire in hyb_collect_connect */
	__atomic_store_n(&met.known, 1, __ATOMIC_RELEASE);
}

long hyb_collect_connect(uint32_t tid)
{
	if (__atomic_load_n(&met.known, __ATOMIC_ACQUIRE))
		return say_hello_from(&met.name, tid);
	return __atomic_load_n(&met.refused, __ATOMIC_RELAXED) ? -ENOENT : -EAGAIN;
}

/* In the collector-to-be, which has this process's memory until it executes: no libc, and errno is the caller's. */
static int become_collector(void *start)
{
	const uint64_t none = 0;
	struct start *s = start;
	char option[] = "--request=3";
	char *arguments[] = { s->path, option, NULL };
	/* A launcher's environment has no business there; where a spool goes by default is in the request. */
	char *environment[] = { NULL };
	long null;

	HYB_SYS(setsid, 0, 0, 0, 0, 0, 0);
	if (s->request != KEPT_FD)
		HYB_SYS(dup3, s->request, KEPT_FD, 0, 0, 0, 0);
	else
		HYB_SYS(fcntl, KEPT_FD, F_SETFD, 0, 0, 0, 0);
	null = hyb_sys_open("/dev/null", O_RDWR, 0);
	for (int fd = 0; fd < KEPT_FD; fd++) {
		if (null != fd)
			HYB_SYS(dup3, null, fd, 0, 0, 0, 0);
	}
	/* Kernels before 5.9 lack it: the collector closes what it finds open. */
	HYB_SYS(close_range, KEPT_FD + 1, ~0u, 0, 0, 0, 0);
	hyb_sys_restore_signals(&none);
	s->error = (int)HYB_SYS(execve, s->path, arguments, environment, 0, 0, 0);
	HYB_SYS(exit, 127, 0, 0, 0, 0, 0);
	return 127;
}

static int fork_again(void *start)
{
	struct start *s = start;

	if (clone(become_collector, s->stack + STACK_SIZE, CLONE_VM | CLONE_VFORK, s) < 0)
		s->error = -errno;
	HYB_SYS(exit, 0, 0, 0, 0, 0, 0);
	return 0;
}

/*
 * Children that tell nobody of their end (no SIGCHLD) are not seen by the program's own wait. They share our
 * memory, as after vfork, and so cost no copy of a large program's page tables, and meet no lock of its libc.
 */
static int execute(struct start *s)
{
	uint64_t signals;
	int saved = errno;
	int status;
	long pid;

	s->stack = hyb_alloc(2 * (size_t)STACK_SIZE);
	if (!s->stack)
		return -ENOMEM;
	hyb_sys_block_signals(&signals);
	pid = clone(fork_again, s->stack + 2 * (size_t)STACK_SIZE, CLONE_VM | CLONE_VFORK, s);
	if (pid < 0)
		s->error = -errno;
	else
		HYB_SYS(wait4, pid, &status, __WCLONE, 0, 0, 0);
	hyb_sys_restore_signals(&signals);
	errno = saved;
	return s->error;
}

/* The request waits in the socket for the collector to take it. */
static int execute_with_request(struct start *s, long listener, const char *experiment, const char *job,
				const char *start_dir)
{
	int ends[2];
	long err = HYB_SYS(socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends, 0, 0);

	if (err)
		return (int)err;
	s->request = ends[1];
	err = hyb_collect_send_request(ends[0], listener, experiment, job, start_dir);
	if (!err)
		err = execute(s);
	hyb_sys_close(ends[0]);
	hyb_sys_close(ends[1]);
	return (int)err;
}

static int start_collector(long listener, const char *experiment, const char *job, const char *start_dir)
{
	struct start *s = hyb_alloc(sizeof(*s));
	int err = -ENOMEM;

	if (s && !hyb_library_beside(s->path, sizeof(s->path), start_dir, "hybmon-collect"))
		err = -ENAMETOOLONG;
	else if (s)
		err = execute_with_request(s, listener, experiment, job, start_dir);
	if (err)
		hyb_log_once(HYB_LOG_WARNING, "cannot start %s: %s; nothing of the kernel is recorded; install it there "
			     "or set HYBMON_KERNEL=off", s ? s->path : "hybmon-collect", hyb_text_errno(-err));
	return err;
}

/* This process is the first, so it also sees to it that somebody listens. */
static long begin_collector(long listener, const struct hyb_collect_name *name, const char *experiment, const char *job,
			    const char *start_dir, long *connection)
{
	long err;

	hyb_collect_sample_limits();
	err = say_hello(name, connection);
	if (hyb_service_ask(listener, experiment, job, start_dir) &&
	    start_collector(listener, experiment, job, start_dir))
		hyb_collect_unlisten(name);
	hyb_sys_close(listener);
	return err;
}

/* 0: the job's collector is there, and knows of this process. -EACCES, -ECONNREFUSED: somebody else has the name. */
static long meet_collector(const char *experiment, const char *job, const char *start_dir,
			   const struct hyb_collect_name *name, long *connection)
{
	const struct timespec moment = { .tv_nsec = 200000 };
	long listener = -1;
	long err = 0;

	/* Between another's bind and listen, and while a collector that ends lets go of the name, there is a moment. */
	for (int i = 0; i < TRIES; i++) {
		err = hyb_collect_listen(name, &listener);
		if (err < 0)
			break;
		if (err) {
			err = begin_collector(listener, name, experiment, job, start_dir, connection);
			break;
		}
		err = say_hello(name, connection);
		if (err != -ECONNREFUSED && err != -EAGAIN && err != -ENOENT)
			break;
		HYB_SYS(nanosleep, &moment, NULL, 0, 0, 0, 0);
	}
	if (!err)
		remember(name);
	return err;
}

void hyb_collect_start(const char *experiment, const char *job, const char *start_dir, bool speaks)
{
	struct hyb_collect_name name;
	long connection = -1;
	long err = -EACCES;

	/* All processes of the job pass by the same ones: first those that nobody else can connect to. */
	for (unsigned int n = 1; n <= 2 * HYB_COLLECT_NAMES; n++) {
		if (n == HYB_COLLECT_NAMES + 1 && err != -EAGAIN)
			err = -EACCES;
		if (err != -EACCES && err != -ECONNREFUSED)
			continue;
		hyb_collect_name(experiment, job, (n - 1) % HYB_COLLECT_NAMES + 1, n <= HYB_COLLECT_NAMES, &name);
		err = meet_collector(experiment, job, start_dir, &name, &connection);
		if (!err)
			break;
	}
	if (connection >= 0)
		hyb_collect_wait(connection, speaks);
	if (err)
		__atomic_store_n(&met.refused, 1, __ATOMIC_RELAXED);
	if (err)
		hyb_log_once(HYB_LOG_WARNING, "cannot reach the collector on this node: %s; what the kernel does under this "
			     "process is not recorded", hyb_text_errno((int)-err));
}
