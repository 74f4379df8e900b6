/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job's process of the service; see service.h. It becomes its user before it reads what he sends, so nothing in there
 * can make it do more than he could do himself. Events alone are opened with the service's rights, which are given up
 * before the first event is read (source.c).
 */
#include "collector/service/service.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "core/sys/clock.h"
#include "core/config/config.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "format/collector.h"
#include "collector/job/collect.h"
#include "collector/job/request.h"
#include "collector/common/memory-limit.h"
#include "collector/common/privilege.h"

#define SHOWN		160	/* bytes of a text in a line of the log */

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

/* NULL, or what is wrong with the request. */
static const char *receive(int fd, const struct ucred *peer, struct hyb_request *request)
{
	const char *wrong = hyb_request_receive(fd, request);

	if (wrong)
		return wrong;
	/* Samples alone every user may have, from his own collector. */
	if (request->wish.source == HYB_KERNEL_OFF)
		return "it asks for something that there is not";
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

static void log_job(const struct ucred *peer, const struct hyb_request *request, uint64_t nanoseconds, int err)
{
	char job[SHOWN], experiment[SHOWN], line[1024];
	struct hyb_collect_result result;
	struct rusage usage;
	int n;

	hyb_collect_result(&result);
	getrusage(RUSAGE_SELF, &usage);
	n = snprintf(line, sizeof(line),
		     "hybmon-collect: user %u, process %ld, job \"%s\", into \"%s\": %s, %llu lost, %llu.%03u s, CPU %llu.%03u s%s%s\n",
		     (unsigned int)peer->uid, (long)peer->pid, shown(request->text[HYB_COLLECT_JOB], job),
		     shown(request->text[HYB_COLLECT_EXPERIMENT], experiment), result.source, (unsigned long long)result.lost,
		     (unsigned long long)(nanoseconds / 1000000000), (unsigned int)(nanoseconds / 1000000 % 1000),
		     (unsigned long long)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
					  (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000000),
		     (unsigned int)((usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000 % 1000),
		     err ? ": " : "", err ? hyb_text_errno(-err) : "");
	if (n > 0)
		err = (int)hyb_sys_write(STDERR_FILENO, line, strlen(line));
}

static int collect(struct hyb_request *request, const struct ucred *peer, const struct hyb_service_options *limits)
{
	uint64_t begin = hyb_clock_raw();
	int err;

	if (peer->uid && !limits->all)
		request->wish.tasks = HYB_KERNEL_JOB;
	if (request->wish.buffer > limits->buffer) {
		request->wish.buffer = limits->buffer;
		request->limited = "the service does not give as much for each CPU: see its --buffer";
	}
	err = hyb_request_run(request);
	log_job(peer, request, hyb_clock_raw() - begin, err);
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
	struct hyb_request request;
	const char *wrong;
	int err = hyb_privilege_become(fd, peer->uid, peer->gid, HYB_COLLECTOR_CAPABILITIES);

	if (err) {
		hyb_service_answer(fd, err, "it cannot become this user: %s", strerror(-err));
		return 1;
	}
	be_as_nice_as(peer->pid);
	hyb_memory_grant(limits->buffer);
	wrong = receive(fd, peer, &request);
	if (wrong) {
		hyb_service_answer(fd, -EINVAL, "%s", wrong);
		return 1;
	}
	/* If nobody waits for the answer, the user has started a collector himself. */
	if (hyb_service_answer(fd, 0, "%s", ""))
		return 1;
	close(fd);
	return collect(&request, peer, limits) ? 1 : 0;
}
