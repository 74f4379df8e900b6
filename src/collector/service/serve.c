/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job's process of the service; see service.h. It becomes its user before it reads what he sends, so nothing in there
 * can make it do more than he could do himself. Events alone are opened with the service's rights, which are given up
 * before the first event is read (source.c).
 */
#include "collector/service/service.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/sys/clock.h"
#include "core/config/config.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "format/collector.h"
#include "format/format.h"
#include "collector/job/collect.h"
#include "collector/common/memory-limit.h"
#include "collector/common/privilege.h"

#define PATIENCE_MS	5000	/* for the request of a process that has connected */
#define SHOWN		160	/* bytes of a text in a line of the log */

struct message {
	struct hyb_collect_request request;
	char texts[HYB_COLLECT_TEXTS * PATH_MAX];
	size_t size;
	const char *text[HYB_COLLECT_TEXTS];
	int descriptors[2];
	unsigned int count;
};

/* Takes the descriptors that came with the request, whatever they are. */
static void take_descriptors(struct msghdr *header, struct message *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		m->count = (unsigned int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		if (m->count > 2)
			m->count = 2;
		memcpy(m->descriptors, CMSG_DATA(c), m->count * sizeof(int));
	}
}

/* The service's own priority is not for its users. */
static void be_as_nice_as(pid_t pid)
{
	const struct sched_param none = { .sched_priority = 0 };
	const struct rlimit no = { 0, 0 };
	int nice, own = getpriority(PRIO_PROCESS, 0);

	errno = 0;
	nice = getpriority(PRIO_PROCESS, (id_t)pid);
	if (errno)
		nice = 0;
	sched_setscheduler(0, SCHED_OTHER, &none);
	setpriority(PRIO_PROCESS, 0, nice > own ? nice : own);
	setrlimit(RLIMIT_NICE, &no);
	setrlimit(RLIMIT_RTPRIO, &no);
}

static const char *receive(int fd, struct message *m)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct iovec parts[] = {
		{ .iov_base = &m->request, .iov_len = sizeof(m->request) },
		{ .iov_base = m->texts, .iov_len = sizeof(m->texts) },
	};
	struct msghdr header = {
		.msg_iov = parts,
		.msg_iovlen = 2,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n;

	if (poll(&p, 1, PATIENCE_MS) <= 0)
		return "no request came";
	n = recvmsg(fd, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (n < (ssize_t)sizeof(m->request) || header.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		return "this is no request";
	m->size = (size_t)n - sizeof(m->request);
	take_descriptors(&header, m);
	return NULL;
}

/* Each text ends with a zero, the last one at the very end of the request. */
static bool part_texts(struct message *m)
{
	size_t at = 0;

	for (int i = 0; i < HYB_COLLECT_TEXTS; i++) {
		const char *end = at < m->size ? memchr(m->texts + at, 0, m->size - at) : NULL;

		if (!end || end - (m->texts + at) >= PATH_MAX)
			return false;
		m->text[i] = m->texts + at;
		at = (size_t)(end + 1 - m->texts);
	}
	return at == m->size;
}

bool hyb_service_is_listener(int fd)
{
	int yes = 0, domain = 0, type = 0;
	socklen_t size = sizeof(yes);

	return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &size) && yes &&
	       !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) && domain == AF_UNIX &&
	       !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) && type == SOCK_SEQPACKET;
}

static bool is_directory(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISDIR(st.st_mode);
}

static const char *check_values(const struct hyb_collect_request *r)
{
	if (r->source < HYB_KERNEL_AUTO || r->source > HYB_KERNEL_BPF || r->tasks > HYB_KERNEL_ALL ||
	    r->profile > HYB_KERNEL_PROFILE_ONLY)
		return "it asks for something that there is not";
	if (r->buffer < HYB_COLLECT_BUFFER_MIN || r->buffer > HYB_COLLECT_BUFFER_MAX || r->chunk < HYB_CHUNK_MIN ||
	    r->chunk > HYB_CHUNK_MAX || r->chunk & 0xfff || r->ring > HYB_COLLECT_RING_MAX || r->sample_stack > 64u << 10)
		return "it asks for a size that is out of range";
	return NULL;
}

/* Streams have the task numbers that this process sees. To a job in another pid namespace they would mean nothing. */
static bool sees_same_numbers(pid_t pid)
{
	unsigned int inner;
	char path[64], text[4096];
	const char *line;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	if (hyb_sys_read_file(path, text, sizeof(text)) <= 0)
		return false;
	line = strstr(text, "\nNSpid:");
	return line && sscanf(line, "\nNSpid: %*u%n %u", &n, &inner) < 1;
}

/* What is wrong with the request, NULL: nothing. */
static const char *check(struct message *m, const struct ucred *peer)
{
	const char *wrong;

	if (m->request.magic != HYB_COLLECT_MAGIC)
		return "this is no request";
	if (m->request.version != HYB_COLLECT_VERSION)
		return "it is of another version of hybmon: install one";
	if (m->count != 2 || !hyb_service_is_listener(m->descriptors[0]) || !is_directory(m->descriptors[1]))
		return "a socket that listens and a directory have to come with it";
	wrong = check_values(&m->request);
	if (wrong)
		return wrong;
	if (!part_texts(m) || *m->text[HYB_COLLECT_EXPERIMENT] != '/' || *m->text[HYB_COLLECT_DIRECTORY] != '/')
		return "its texts are not what they should be";
	if (!sees_same_numbers(peer->pid))
		return "the job is in another pid namespace, as in a container, or has ended";
	return NULL;
}

/* A text of a user as the log may have it, without control characters: it cannot make lines of its own. */
static const char *shown(const char *text, char buf[SHOWN])
{
	size_t n = 0;

	for (; text[n] && n < SHOWN - 1; n++)
		buf[n] = text[n] >= ' ' && text[n] <= '~' && text[n] != '"' ? text[n] : '?';
	buf[n] = 0;
	return buf;
}

static void log_job(const struct ucred *peer, const struct message *m, uint64_t nanoseconds, int err)
{
	char job[SHOWN], experiment[SHOWN], line[1024];
	struct hyb_collect_result result;
	struct rusage usage;
	int n;

	hyb_collect_result(&result);
	getrusage(RUSAGE_SELF, &usage);
	n = snprintf(line, sizeof(line),
		     "hybmon-collect: user %u, process %ld, job \"%s\", into \"%s\": %s, %llu lost, %llu.%03u s, CPU %llu.%03u s%s%s\n",
		     (unsigned int)peer->uid, (long)peer->pid, shown(m->text[HYB_COLLECT_JOB], job),
		     shown(m->text[HYB_COLLECT_EXPERIMENT], experiment), result.source, (unsigned long long)result.lost,
		     (unsigned long long)(nanoseconds / 1000000000), (unsigned int)(nanoseconds / 1000000 % 1000),
		     (unsigned long long)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
					  (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000000),
		     (unsigned int)((usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000 % 1000),
		     err ? ": " : "", err ? hyb_text_errno(-err) : "");
	if (n > 0)
		err = (int)hyb_sys_write(STDERR_FILENO, line, strlen(line));
}

static int collect(struct message *m, const struct ucred *peer, const struct hyb_service_options *limits)
{
	const struct hyb_collect_request *r = &m->request;
	char source[HYB_CONFIG_WORD];
	struct hyb_collect_options options = {
		.listener = m->descriptors[0],
		.inside = true,
		.experiment = m->text[HYB_COLLECT_EXPERIMENT],
		.directory = m->text[HYB_COLLECT_DIRECTORY],
		.job = m->text[HYB_COLLECT_JOB],
		.sample = m->text[HYB_COLLECT_SAMPLE],
		.sample_stack = (unsigned int)r->sample_stack,
		.source = hyb_config_word("KERNEL", r->source, source),
		.wish = {
			.events = r->events,
			.buffer = r->buffer,
			.all = r->tasks == HYB_KERNEL_ALL && (!peer->uid || limits->all),
			.trace = r->profile != HYB_KERNEL_PROFILE_ONLY,
			.profile = r->profile != HYB_KERNEL_PROFILE_NO,
		},
	};
	uint64_t begin = hyb_clock_raw();
	int err;

	if (r->buffer > limits->buffer) {
		options.wish.buffer = limits->buffer;
		options.limited = "the service does not give as much for each CPU: see its --buffer";
	}
	hyb_config.chunk = r->chunk;
	hyb_config.ring = r->ring;
	hyb_config.spool = m->text[HYB_COLLECT_SPOOL];
	/* TMPDIR, which a spool's place may come from, is the user's. */
	clearenv();
	if (*m->text[HYB_COLLECT_TMPDIR])
		setenv("TMPDIR", m->text[HYB_COLLECT_TMPDIR], 1);
	err = hyb_collect_run(&options);
	log_job(peer, m, hyb_clock_raw() - begin, err);
	return err;
}

int hyb_service_answer(int fd, int error, const char *format, ...)
{
	struct hyb_collect_answer answer = { .magic = HYB_COLLECT_MAGIC, .error = error };
	va_list ap;

	va_start(ap, format);
	vsnprintf(answer.text, sizeof(answer.text), format, ap);
	va_end(ap);
	return send(fd, &answer, sizeof(answer), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

int hyb_service_serve(int fd, const struct ucred *peer, const struct hyb_service_options *limits)
{
	static struct message m;
	const char *wrong;
	int flags;
	int err = hyb_privilege_become(fd, peer->uid, peer->gid, HYB_COLLECTOR_CAPABILITIES);

	if (err) {
		hyb_service_answer(fd, err, "it cannot become this user: %s", strerror(-err));
		return 1;
	}
	be_as_nice_as(peer->pid);
	hyb_memory_grant(limits->buffer);
	/* Only the user himself may see what the kernel does under his programs. */
	umask(S_IRWXG | S_IRWXO);
	wrong = receive(fd, &m);
	if (!wrong)
		wrong = check(&m, peer);
	if (!wrong && fchdir(m.descriptors[1]))
		wrong = strerror(errno);
	if (wrong) {
		hyb_service_answer(fd, -EINVAL, "%s", wrong);
		return 1;
	}
	close(m.descriptors[1]);
	flags = fcntl(m.descriptors[0], F_GETFL);
	/* If nobody waits for the answer, the user has started a collector himself. */
	if (flags < 0 || fcntl(m.descriptors[0], F_SETFL, flags | O_NONBLOCK) || hyb_service_answer(fd, 0, "%s", ""))
		return 1;
	close(fd);
	return collect(&m, peer, limits) ? 1 : 0;
}
