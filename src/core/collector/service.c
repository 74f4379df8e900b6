/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asking the service (src/collector/service) to collect for this job: it gets the socket that the job's processes come
 * to, and the experiment's directory. It answers within the milliseconds that a fork takes, or is not waited for.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "core/config/config.h"
#include "core/sys/log.h"
#include "core/sys/stack.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "format/collector.h"
#include "core/job/job.h"
#include "core/collector/collector.h"

#define PATIENCE_S	2

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

int hyb_service_ask(long listener, const char *experiment, const char *job, const char *start_dir)
{
	struct hyb_collect_answer answer = { .text = "" };
	long fd, err;

	/* Root's own collector has all that there is, and of oneself there is no more to be had elsewhere. */
	if (!hyb_config.kernel_service[0] || hyb_config.kernel == HYB_KERNEL_SELF ||
	    hyb_config.kernel == HYB_KERNEL_OFF ||
	    !HYB_SYS(geteuid, 0, 0, 0, 0, 0, 0))
		return -ENOENT;
	fd = connect_to(hyb_config.kernel_service);
	if (fd < 0)
		return (int)fd;
	err = hyb_collect_send_request(fd, listener, experiment, job, start_dir);
	/* Also where it would not have this: it may have said why. */
	if (err >= 0 || err == -EPIPE)
		err = take_answer(fd, &answer);
	hyb_sys_close(fd);
	if (err)
		hyb_log_once(HYB_LOG_WARNING, "the service %s does not record what the kernel does under this job: %s; the job's "
			     "own collector is started, which may have less", hyb_config.kernel_service,
			     answer.text[0] ? answer.text : hyb_text_errno((int)-err));
	return (int)err;
}
