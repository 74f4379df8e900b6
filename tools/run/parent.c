/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process that stays while a command runs; see parent.h. It is in the command's process group, so what a terminal
 * or a shell's `kill %1` sends reaches the command without it; what was sent to this process alone it hands on. Which
 * of the two it was the kernel does not tell, so there is a witness: a child that does nothing but say which signals
 * the group got.
 */
#include "tools/run/parent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/tool.h"

#define SIGNALS		65
#define WITNESS_MS	20	/* what the group got the witness tells within that time */
#define SAME_MS		100	/* and what it told so long ago is of the same signal */

static struct {
	pid_t child;
	pid_t witness;
	int signals;			/* signalfd */
	int told;			/* by the witness, a byte for each signal; -1: there is none */
	int64_t group_got[SIGNALS];	/* when, in ms; 0: never */
	sigset_t mask;			/* at the start, as the command is to have it */
	struct sigaction on_child;
} parent = { .signals = -1, .told = -1 };

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Where this process is killed, its children go with it: as the command would have if it were in its place. */
static void go_with_parent(pid_t of)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != of)
		_exit(EXIT_FAILED);
}

static void close_from(unsigned int first, unsigned int last)
{
	if (first <= last && syscall(SYS_close_range, first, last, 0) && errno == ENOSYS) {
		for (unsigned int fd = first; fd <= last && fd < 65536; fd++)
			close((int)fd);
	}
}

/* Closes all descriptors from 3 on but these two. */
static void close_all_but(int a, int b)
{
	unsigned int low = (unsigned int)(a < b ? a : b), high = (unsigned int)(a < b ? b : a);

	if (a < 0 || b < 0)
		low = high;
	close_from(3, low - 1);
	close_from(low + 1, high - 1);
	close_from(high + 1, ~0u);
}

/* Never comes back. */
static void witness(int out, pid_t of)
{
	sigset_t all;
	int n;

	go_with_parent(of);
	prctl(PR_SET_NAME, "hybmon-witness");
	dup2(out, STDIN_FILENO);	/* already there if it was closed */
	close_from(1, ~0u);
	sigfillset(&all);
	for (;;) {
		unsigned char byte = sigwait(&all, &n) ? 0 : (unsigned char)n;

		if (write(STDIN_FILENO, &byte, 1) < 0)
			_exit(EXIT_FAILED);
	}
}

/* A descriptor that the command's standard input and outputs do not take the place of, should they be closed. */
static int out_of_the_way(int fd)
{
	int high = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;

	if (fd >= 0)
		close(fd);
	return high;
}

/* Without one, every signal counts as sent to this process alone. */
static void start_witness(void)
{
	pid_t self = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return;
	parent.witness = fork();
	if (!parent.witness)
		witness(ends[1], self);
	close(ends[1]);
	if (parent.witness < 0)
		close(ends[0]);
	else
		parent.told = out_of_the_way(ends[0]);
}

/* As if nothing had been prepared. Comes back where the command cannot be executed. */
static int become(char *const argv[])
{
	sigaction(SIGCHLD, &parent.on_child, NULL);
	sigprocmask(SIG_SETMASK, &parent.mask, NULL);
	execvp(argv[0], argv);
	return -errno;
}

/* Never comes back. Success closes the pipe without a word. */
static void begin(char *const argv[], int failed, pid_t of)
{
	int err;

	go_with_parent(of);
	err = become(argv);
	if (write(failed, &err, sizeof(err)) < 0)
		_exit(EXIT_FAILED);
	_exit(EXIT_FAILED);
}

/* Whatever the command got from its shell and closes itself must not be kept open by its parent. */
static void let_go(void)
{
	int null = open("/dev/null", O_RDWR);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	close_all_but(parent.signals, parent.told);
}

static void block_all(void)
{
	struct sigaction fallback = { .sa_handler = SIG_DFL };
	sigset_t all;

	/* Who has asked for SIGCHLD to be ignored gets no status. */
	sigaction(SIGCHLD, &fallback, &parent.on_child);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &parent.mask);
	parent.signals = out_of_the_way(signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
}

/* Where there can be no child, the command takes this process. */
static int start(char *const argv[])
{
	pid_t self = getpid();
	int ends[2] = { -1, -1 };
	int err = 0;

	fflush(NULL);
	block_all();
	if (parent.signals < 0 || pipe2(ends, O_CLOEXEC))
		return become(argv);
	parent.child = fork();
	if (!parent.child)
		begin(argv, ends[1], self);
	close(ends[1]);
	if (parent.child < 0)
		return become(argv);
	start_witness();
	if (read(ends[0], &err, sizeof(err)) != (ssize_t)sizeof(err))
		err = 0;
	close(ends[0]);
	if (!err)
		let_go();
	return err;
}

static void end_witness(void)
{
	if (parent.witness <= 0)
		return;
	kill(parent.witness, SIGKILL);
	waitpid(parent.witness, NULL, 0);
}

static void hear_witness(void)
{
	unsigned char bytes[256];
	ssize_t n = read(parent.told, bytes, sizeof(bytes));

	if (n <= 0) {
		close(parent.told);
		parent.told = -1;
	}
	for (ssize_t i = 0; i < n; i++)
		parent.group_got[bytes[i] % SIGNALS] = now_ms();
}

/* Whether all of the group got this signal, not only this process. */
static bool group_got(unsigned int n)
{
	int64_t begin = now_ms();
	struct pollfd p = { .events = POLLIN };

	for (;;) {
		int64_t left = begin + WITNESS_MS - now_ms();

		if (parent.group_got[n] && now_ms() - parent.group_got[n] < SAME_MS)
			return true;
		p.fd = parent.told;
		if (parent.told < 0 || left <= 0 || poll(&p, 1, (int)left) <= 0)
			return false;
		hear_witness();
	}
}

/*
 * What the command sends to its parent would without this process have gone to the one before: it still does.
 */
static void hand_on(const struct signalfd_siginfo *s)
{
	pid_t to = (pid_t)s->ssi_pid == parent.child ? getppid() : parent.child;
	int n = (int)s->ssi_signo;

	if (n <= 0 || n >= SIGNALS || n == SIGCHLD || group_got((unsigned int)n) || to <= 1)
		return;
	if (s->ssi_code == SI_QUEUE)
		sigqueue(to, n, (union sigval){ .sival_ptr = (void *)(uintptr_t)s->ssi_ptr });
	else
		kill(to, n);
}

/* As the command did, so that a shell with job control sees the job stop when it has. */
static void stop(int n)
{
	sigset_t set;

	signal(n, SIG_DFL);
	raise(n);
	sigfillset(&set);
	sigdelset(&set, n);
	sigprocmask(SIG_SETMASK, &set, NULL);
	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
}

/* Whether the command has ended. As first process of a namespace this one also has to collect others' orphans. */
static bool collect(int *status)
{
	int seen;
	pid_t pid;

	while ((pid = waitpid(-1, &seen, WNOHANG | WUNTRACED)) > 0) {
		if (pid != parent.child)
			continue;
		if (!WIFSTOPPED(seen)) {
			*status = seen;
			return true;
		}
		stop(WSTOPSIG(seen));
	}
	return false;
}

static void attend(void)
{
	struct pollfd p[2] = { { .fd = parent.signals, .events = POLLIN }, { .fd = parent.told, .events = POLLIN } };
	struct signalfd_siginfo s;

	if (poll(p, 2, -1) < 0)
		return;
	if (p[1].revents)
		hear_witness();
	while (read(parent.signals, &s, sizeof(s)) == (ssize_t)sizeof(s))
		hand_on(&s);
}

int hyb_parent_run(char *const argv[], int *status)
{
	int err = start(argv);

	while (!err && !collect(status))
		attend();
	end_witness();
	return err;
}

void hyb_parent_leave(int status)
{
	const struct rlimit none = { 0, 0 };
	sigset_t set;
	int n;

	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	n = WTERMSIG(status);
	/* The command has left a core if there was to be one. */
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
	signal(n, SIG_DFL);
	raise(n);
	sigfillset(&set);
	sigdelset(&set, n);
	sigprocmask(SIG_SETMASK, &set, NULL);
	_exit(128 + n);		/* the first process of a namespace is not to be killed so */
}
