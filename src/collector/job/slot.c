/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Telling threads of their slots; see slot.h. Who asks is known by the socket; that the thread is his is looked up, and
 * that he is of the job. What he gets shows no more than what threads of this user's job did.
 */
#include "collector/job/slot.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/sys/text.h"
#include "format/collector.h"
#include "collector/common/task.h"

static bool is_thread(uint32_t tgid, uint32_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u", tgid, tid);
	return !access(path, F_OK);
}

static int find(const struct hyb_source *source, uint32_t tgid, uint32_t tid, int *fd, uint64_t *at)
{
	static bool said;
	int err;

	if (!source || !source->give_slot)
		return -EOPNOTSUPP;
	if (!hyb_tasks_is_job(tgid) || !is_thread(tgid, tid))
		return -ESRCH;
	err = source->give_slot(tgid, tid, fd, at);
	if (err && err != -EOPNOTSUPP && !said) {
		said = true;
		hyb_source_missing("profile", err == -EDQUOT ? "of some threads, by region: this user has no memory left for "
							       "it; raise ulimit -l" :
							       hyb_text_errno(-err));
	}
	return err;
}

void hyb_slot_answer(int connection, const struct hyb_source *source, uint32_t tgid, uint32_t tid)
{
	struct hyb_collect_slot slot = { .magic = HYB_COLLECT_MAGIC };
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { .iov_base = &slot, .iov_len = sizeof(slot) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	int fd = -1;

	slot.error = find(source, tgid, tid, &fd, &slot.at);
	if (!slot.error) {
		memset(&control, 0, sizeof(control));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	/* If nobody waits for it any more, nothing is lost. */
	sendmsg(connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}
