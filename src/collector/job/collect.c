/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The collector's life; see collect.h. It waits for three things: processes that come to its socket, the ends of those
 * that came, and rings that are filling. When the last process has ended and no other comes within a moment, it ends.
 * It lets go of the socket's name first, so a process that begins later starts another collector.
 *
 * It believes only what the kernel says of who comes, and serves only processes of this user. Of what they send it
 * looks at the size and the first words.
 *
 * Rights that its user lacks (file capabilities, the service's) are given up as soon as events are open: source.c.
 */
#include "collector/job/collect.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/sys/clock.h"
#include "core/config/config.h"
#include "core/sys/text.h"
#include "format/collector.h"
#include "collector/common/address.h"
#include "collector/job/listener.h"
#include "collector/common/map.h"
#include "collector/common/name.h"
#include "collector/common/output.h"
#include "collector/common/pidfd.h"
#include "collector/common/privilege.h"
#include "collector/common/proc.h"
#include "collector/common/recording.h"
#include "collector/sample/sample.h"
#include "collector/job/slot.h"
#include "collector/job/source-list.h"
#include "collector/common/task.h"
#include "core/record/definitions.h"
#include "core/record/manifest.h"

#define DRAIN_MS	200	/* a ring that is not full by then is read all the same */
#define LINGER_MS	300	/* for the next process of the job, after the last one */
#define LAST_MS		20	/* for what the last one does on its way out, if no other can come */
#define PATIENCE_MS	10000	/* for the first one */
#define MOST_AT_ONCE	64	/* connections: meanwhile rings are filling */
#define GRACE_S		20	/* to write out what there is, once it is told to end */
#define SECOND		1000000000u

/* what epoll's data says, in its lower half. In the upper half is the descriptor. */
enum { RING, LISTENER, PROCESS, PEER, PARENT };

static struct {
	const struct hyb_source *source;
	int poll;
	unsigned int processes;	/* of the job, alive */
	uint64_t empty_since;	/* since when there is none; nanoseconds */
	struct hyb_map known_parents;
	unsigned int parents;	/* alive, so they may begin more processes */
	const char *job;
	uint64_t patience;
	uint64_t drained_at;
	uint64_t clock_at;
	unsigned int refused;
	bool recorded;			/* some process, and the manifest says since when */
	volatile sig_atomic_t stop;
} self;

static int watch(int fd, uint32_t what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = (uint64_t)fd << 32 | what };

	return epoll_ctl(self.poll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* The process lives, so its number was its own while its rights were looked at. */
static bool is_alive(int fd, pid_t pid)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return hyb_tasks_is_users((uint32_t)pid) && !poll(&p, 1, 0);
}

/* The parent, mostly a launcher, may begin the next process of the job: the collector waits as long as it lives. */
static void watch_parent(pid_t pid)
{
	const long parent = hyb_proc_parent((uint32_t)pid);
	int fd;

	if (parent < 0 || hyb_map_get(&self.known_parents, (uint64_t)parent))
		return;
	hyb_map_put(&self.known_parents, (uint64_t)parent, &self);
	self.parents++;
	fd = parent ? (int)syscall(SYS_pidfd_open, parent, 0) : -1;
	if (fd >= 0 && watch(fd, PARENT))
		close(fd);
}

/*
 * Whether no other process can be of the job, now that the last one has ended. A process that no launcher began is
 * alone in its job, as the job's key says (src/core/job/job.c). A job of `hybmon run` may have more, whoever began them.
 */
static bool nobody_comes(void)
{
	long pid;

	if (sscanf(self.job, "process %*s %ld", &pid) == 1 && hyb_tasks_is_job((uint32_t)pid))
		return true;
	return !self.parents && strncmp(self.job, "run ", 4) != 0;
}

/* A process came that is not recorded. If it has ended meanwhile, there is nothing to tell. */
static void refuse_process(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	static bool said;

	if (!said && !poll(&p, 1, 0)) {
		said = true;
		hyb_source_missing("process", "one came that this user may not look into: its program may not be read, has rights "
				   "that he lacks, or forbids it (PR_SET_DUMPABLE)");
	}
	close(fd);
}

/* 0: it is recorded from here on. */
static int add_process(int connection, pid_t pid)
{
	int fd = hyb_pidfd_of_peer(connection, pid);

	self.patience = LINGER_MS * (uint64_t)1000000;
	if (fd >= 0 && self.source && self.source->expect_process)
		self.source->expect_process((uint32_t)pid);
	/* If it has ended, its number may be another's by now. */
	if (fd < 0 || !is_alive(fd, pid) || watch(fd, PROCESS)) {
		if (fd >= 0)
			refuse_process(fd);
		else if (fd != -ESRCH && fd != -EINVAL)
			hyb_source_missing("process", fd == -ENOSYS ? "Linux 5.3 is needed, for pidfd_open" :
							  hyb_text_errno(-fd));
		return fd >= 0 ? -EPERM : fd;
	}
	hyb_tasks_add_process((uint32_t)pid);
	self.processes++;
	watch_parent(pid);
	if (self.source)
		self.source->add_process((uint32_t)pid);
	hyb_samples_add_process((uint32_t)pid);
	return 0;
}

/* The process may wait for this with its first event, so what it is told of is so already. */
static void welcome(int connection, int err)
{
	const struct hyb_collect_welcome w = { .magic = HYB_COLLECT_MAGIC, .error = err };

	if (!err && !self.recorded)
		hyb_kernel_recording_from(hyb_clock_raw());
	self.recorded |= !err;
	send(connection, &w, sizeof(w), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* A process, or a thread of one that came before. */
static void come(int connection, const struct hyb_collect_hello *hello, pid_t pid)
{
	if (hello->tid)
		hyb_slot_answer(connection, self.source, (uint32_t)pid, hello->tid);
	else
		welcome(connection, add_process(connection, pid));
}

/* Takes the hello of a process that connected. True: it has not come yet. */
static bool serve(int fd)
{
	char message[sizeof(struct hyb_collect_hello) + 1];
	struct hyb_collect_hello hello;
	struct ucred peer;
	socklen_t size = sizeof(peer);
	ssize_t n;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return false;
	n = recv(fd, message, sizeof(message), MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		return true;
	if (n == (ssize_t)sizeof(hello))
		memcpy(&hello, message, sizeof(hello));
	if (n == (ssize_t)sizeof(hello) && hello.magic == HYB_COLLECT_MAGIC && hello.version == HYB_COLLECT_VERSION)
		come(fd, &hello, peer.pid);
	else
		self.refused++;
	return false;
}

/* A process may have connected, and not said hello yet. */
static bool serve_or_watch(int fd)
{
	if (!serve(fd) || watch(fd, PEER))
		return false;
	self.empty_since = hyb_clock_raw();
	return true;
}

static uint64_t lost(void)
{
	return (self.source ? self.source->lost() : 0) + hyb_samples_lost();
}

static void drain(void)
{
	uint64_t now = hyb_clock_raw();

	if (now >= self.clock_at) {
		self.clock_at = now + SECOND;
		hyb_def_clock();
	}
	self.source->drain();
	hyb_samples_drain();
	self.drained_at = now;
	hyb_kernel_recording_until(now, lost());
}

static void take_event(const struct epoll_event *event)
{
	int fd = (int)(event->data.u64 >> 32);

	switch ((uint32_t)event->data.u64) {
	case LISTENER:
		hyb_listener_accept(MOST_AT_ONCE, serve_or_watch);
		break;
	case PEER:
		if (!serve(fd))
			close(fd);
		break;
	case PARENT:
		epoll_ctl(self.poll, EPOLL_CTL_DEL, fd, NULL);
		close(fd);
		self.parents--;
		break;
	case PROCESS:
		epoll_ctl(self.poll, EPOLL_CTL_DEL, fd, NULL);
		close(fd);
		/* What it did last has to be read before its parent collects it: /proc knows nothing of it then. */
		self.drained_at = 0;
		if (!--self.processes)
			self.empty_since = hyb_clock_raw();
		break;
	}
}

static bool is_over(uint64_t now)
{
	if (self.stop)
		return true;
	if (self.processes)
		return false;
	if (self.known_parents.count && nobody_comes())
		return now - self.empty_since > LAST_MS * (uint64_t)1000000;
	return now - self.empty_since > self.patience;
}

/* Returns when the job is over. */
static void run(void)
{
	struct epoll_event events[64];

	while (!is_over(hyb_clock_raw())) {
		int n = epoll_wait(self.poll, events, 64, self.processes ? DRAIN_MS : LAST_MS);
		bool full = false;

		for (int i = 0; i < n; i++) {
			full |= !(uint32_t)events[i].data.u64;
			take_event(&events[i]);
		}
		if (full || hyb_clock_raw() - self.drained_at >= DRAIN_MS * (uint64_t)1000000)
			drain();
	}
}

/* From here on nobody can connect. Those who did are served to their end. */
static void let_go(void)
{
	hyb_listener_withdraw();
	hyb_listener_accept(UINT_MAX, serve_or_watch);
	hyb_listener_close();
}

/*
 * Ranks are often bound to CPUs, and keep them busy. So the collector may run on any CPU, and has a higher priority if
 * its user may have that himself.
 */
static void step_aside(void)
{
	cpu_set_t *every;
	size_t size = CPU_ALLOC_SIZE(1 << 16);

	every = CPU_ALLOC(1 << 16);
	if (every) {
		memset(every, 0xff, size);
		sched_setaffinity(0, size, every);
		CPU_FREE(every);
	}
	if (!getuid() || hyb_privilege_is_own(CAP_SYS_NICE))
		setpriority(PRIO_PROCESS, 0, -10);
}

/*
 * The administrator, or the service, ends the collector, which writes out what it has. Its user has the listener, too,
 * and can make it block, so the listener is shut down. The alarm ends what hangs elsewhere, in the user's file system.
 */
static void end(int signal)
{
	(void)signal;
	self.stop = true;
	hyb_listener_withdraw();
	alarm(GRACE_S);
}

static int watch_signals(void)
{
	struct sigaction action = { .sa_handler = end, .sa_flags = SA_RESTART };
	struct sigaction terminate = { .sa_handler = SIG_DFL };
	sigset_t all;

	/* All other signals are blocked. It is alone in its session, so nobody else has a reason to send any. */
	sigfillset(&all);
	sigdelset(&all, SIGTERM);
	sigdelset(&all, SIGALRM);
	alarm(0);
	if (sigaction(SIGTERM, &action, NULL) || sigaction(SIGALRM, &terminate, NULL) ||
	    sigprocmask(SIG_SETMASK, &all, NULL))
		return -errno;
	return 0;
}

/* What is wrong with the text was said to the user, who has a terminal. */
static int open_samples(const struct hyb_request *request)
{
	struct hyb_samples_options samples = {
		.alone = self.source == &hyb_source_off,
		.mapped = request->wish.events & HYB_KERNEL_CALLCHAIN && self.source->has_mappings,
		.stack = (unsigned int)request->wish.sample_stack,
	};
	char why[128];
	const char *sample = request->text[HYB_COLLECT_SAMPLE];

	if (!*sample || !self.source || hyb_sample_wish_parse(sample, &samples.wish, why, sizeof(why)))
		return -ENOENT;
	return hyb_samples_open(&samples, self.poll);
}

static int open_source(const struct hyb_request *request)
{
	char word[HYB_CONFIG_WORD];
	const char *name = hyb_config_word("KERNEL", (unsigned int)request->wish.source, word);

	return hyb_source_open(name, &request->wish, self.poll, &self.source);
}

/* With samples it is worth while also if there is nothing else to be had. */
static int open_all(const struct hyb_request *request)
{
	int err = open_source(request);
	int none;

	if (err && *request->text[HYB_COLLECT_SAMPLE])
		hyb_source_open(hyb_source_off.name, &request->wish, self.poll, &self.source);
	none = open_samples(request);
	if (err && !none)
		return 0;
	return err ? err : self.source == &hyb_source_off ? none : 0;
}

static int begin(const struct hyb_request *request)
{
	int err;

	hyb_listener_start(request->listener);
	self.job = request->text[HYB_COLLECT_JOB];
	self.patience = PATIENCE_MS * (uint64_t)1000000;
	self.empty_since = hyb_clock_raw();
	err = watch_signals();
	if (err)
		return err;
	self.poll = epoll_create1(EPOLL_CLOEXEC);
	if (self.poll < 0)
		return -errno;
	step_aside();
	hyb_tasks_start(request->wish.tasks == HYB_KERNEL_ALL);
	hyb_address_start();
	err = hyb_kernel_recording_begin(request);
	if (err)
		return err;
	hyb_name_start();
	err = open_all(request);
	if (!err)
		err = watch(hyb_listener_fd(), LISTENER);
	return err;
}

int hyb_collect_try(const struct hyb_request *request)
{
	int err;

	hyb_output_none = true;
	self.poll = epoll_create1(EPOLL_CLOEXEC);
	if (self.poll < 0)
		return -errno;
	hyb_tasks_start(request->wish.tasks == HYB_KERNEL_ALL);
	err = open_source(request);
	if (err)
		return err;
	printf("source: %s\n", self.source->name);
	if (*request->text[HYB_COLLECT_SAMPLE] && !open_samples(request)) {
		printf("samples: %s\n", request->text[HYB_COLLECT_SAMPLE]);
		hyb_samples_close();
	}
	self.source->close();
	return 0;
}

void hyb_collect_result(struct hyb_collect_result *result)
{
	result->source = self.source ? self.source->name : "nothing";
	result->lost = lost();
}

/* Notes what this user may not see, or cannot see from here. */
static void note_limits(void)
{
	if (hyb_address_hidden())
		hyb_kernel_recording_note("kernel-addresses", "hashed: this user may not see them");
	if (!hyb_tasks_first_namespace())
		hyb_kernel_recording_note("pid-namespace", "not the first one");
}

static bool stream_name(unsigned int index, char *buf, unsigned int size)
{
	unsigned int streams = 0;

	while (self.source && self.source->stream_name(streams, buf, size))
		if (streams++ == index)
			return true;
	return hyb_samples_stream_name(index - streams, buf, size);
}

int hyb_collect_run(const struct hyb_request *request)
{
	int err = begin(request);

	if (!err) {
		/* Processes that came before this are recorded from here on. The manifest says so then. */
		hyb_listener_accept(MOST_AT_ONCE, serve_or_watch);
		hyb_kernel_recording_source(self.source, request);
		note_limits();
		do {
			run();
			let_go();
		} while (self.processes && !self.stop);
		self.source->close();
		hyb_samples_close();
	}
	hyb_listener_withdraw();
	if (self.refused || hyb_listener_refused())
		hyb_source_missing("connections", "some came from other users, or were none of hybmon's");
	hyb_kernel_recording_end(stream_name, lost());
	return err;
}
