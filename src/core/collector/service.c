/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asking the service (src/collector/service) to collect for this job: it gets the socket that the job's processes come
 * to, and the experiment's directory. It answers within the milliseconds that a fork takes, or is not waited for.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "core/config/config.h"
#include "core/sys/log.h"
#include "core/sys/memory.h"
#include "core/sys/stack.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "format/collector.h"
#include "core/job/job.h"
#include "core/collector/collector.h"

#define PATIENCE_S	2

struct message {
	struct hyb_collect_request request;
	char texts[HYB_COLLECT_TEXTS * PATH_MAX];
};

/* The size of the message; 0: some text is too long. */
static size_t fill(struct message *m, const char *const *texts)
{
	size_t used = 0;

	m->request = (struct hyb_collect_request){
		.magic = HYB_COLLECT_MAGIC,
		.version = HYB_COLLECT_VERSION,
		.source = hyb_config.kernel,
		.events = hyb_config.kernel_events,
		.tasks = hyb_config.kernel_tasks,
		.profile = hyb_config.kernel_profile,
		.buffer = hyb_config.kernel_buffer,
		.chunk = hyb_config.chunk,
		.ring = hyb_config.ring,
		.sample_stack = hyb_config.sample_stack,
	};
	for (int i = 0; i < HYB_COLLECT_TEXTS; i++) {
		size_t n = strlen(texts[i]) + 1;

		if (n > PATH_MAX)
			return 0;
		memcpy(m->texts + used, texts[i], n);
		used += n;
	}
	return sizeof(m->request) + used;
}

/* Anybody could have bound the name before us. */
bool hyb_collect_is_trusted(long fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return !HYB_SYS(getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &peer, &size, 0) &&
	       (!peer.uid || peer.uid == (uid_t)HYB_SYS(geteuid, 0, 0, 0, 0, 0, 0));
}

static long connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	long fd, err;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	fd = HYB_SYS(socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, 0, 0, 0);
	if (fd < 0)
		return fd;
	err = HYB_SYS(connect, fd, &address, sizeof(address), 0, 0, 0);
	if (!err && !hyb_collect_is_trusted(fd))
		err = -EACCES;
	if (!err)
		return fd;
	hyb_sys_close(fd);
	return err;
}

static long send_request(long fd, struct message *m, size_t size, long listener, long directory)
{
	const int descriptors[2] = { (int)listener, (int)directory };
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(descriptors))];
	} control;
	struct iovec part = { .iov_base = m, .iov_len = size };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	memset(&control, 0, sizeof(control));
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(descriptors));
	memcpy(CMSG_DATA(&control.header), descriptors, sizeof(descriptors));
	return HYB_SYS(sendmsg, fd, &message, MSG_NOSIGNAL, 0, 0, 0);
}

/* What it refuses it says before it has read all: then the socket's first word is that of an error. */
static long take_answer(long fd, struct hyb_collect_answer *answer)
{
	struct timespec patience = { .tv_sec = PATIENCE_S };
	struct pollfd p = { .fd = (int)fd, .events = POLLIN };
	uint64_t signals = hyb_stack_signals();
	long n = HYB_SYS(ppoll, &p, 1, &patience, &signals, sizeof(signals), 0);

	if (n <= 0)
		return n ? n : -ETIMEDOUT;
	n = HYB_SYS(recvfrom, fd, answer, sizeof(*answer), 0, NULL, NULL);
	if (n == -ECONNRESET)
		n = HYB_SYS(recvfrom, fd, answer, sizeof(*answer), 0, NULL, NULL);
	if (n != (long)sizeof(*answer) || answer->magic != HYB_COLLECT_MAGIC)
		return n < 0 ? n : -EPROTO;
	answer->text[sizeof(answer->text) - 1] = 0;
	return answer->error;
}

static long ask(long fd, struct message *m, size_t size, long listener, const char *experiment,
		struct hyb_collect_answer *answer)
{
	long directory = hyb_sys_open(experiment, O_RDONLY | O_DIRECTORY, 0);
	long err;

	if (directory < 0)
		return directory;
	err = send_request(fd, m, size, listener, directory);
	hyb_sys_close(directory);
	/* Also where it would not have this: it may have said why. */
	return err >= 0 || err == -EPIPE ? take_answer(fd, answer) : err;
}

int hyb_service_ask(long listener, const char *experiment, const char *job, const char *start_dir)
{
	const char *tmp = hyb_job_env("TMPDIR");
	const char *const texts[HYB_COLLECT_TEXTS] = { experiment, job, start_dir, hyb_config.spool, tmp ? tmp : "",
							    hyb_collect_sample() };
	struct hyb_collect_answer answer = { .text = "" };
	struct message *m;
	size_t size;
	long fd, err;

	/* Root's own collector has all that there is, and of oneself there is no more to be had elsewhere. */
	if (!hyb_config.kernel_service[0] || hyb_config.kernel == HYB_KERNEL_SELF ||
	    hyb_config.kernel == HYB_KERNEL_OFF ||
	    !HYB_SYS(geteuid, 0, 0, 0, 0, 0, 0))
		return -ENOENT;
	fd = connect_to(hyb_config.kernel_service);
	if (fd < 0)
		return (int)fd;
	m = hyb_alloc(sizeof(*m));
	size = m ? fill(m, texts) : 0;
	err = size ? ask(fd, m, size, listener, experiment, &answer) : -ENAMETOOLONG;
	hyb_sys_close(fd);
	if (err)
		hyb_log_once(HYB_LOG_WARNING, "the service %s does not record what the kernel does under this job: %s; the job's "
			     "own collector is started, which may have less", hyb_config.kernel_service,
			     answer.text[0] ? answer.text : hyb_text_errno((int)-err));
	return (int)err;
}
