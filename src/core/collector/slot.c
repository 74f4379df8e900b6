/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asking the collector for a slot; see slot.h. The answer may take as long as a collector takes to begin, and nobody
 * waits for it: the socket stays open until it comes, and is looked at now and then. The program may close it meanwhile,
 * and its number be another file's. Then the collector is asked once more.
 */
#include "core/collector/slot.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "core/config/config.h"
#include "core/sys/sys.h"
#include "format/collector.h"
#include "core/collector/collector.h"
#include "core/record/sums.h"

/* The inode of a socket, 0: it is none. */
static uint64_t socket_inode(long fd)
{
	struct stat st;

	/* As fstat, which libc has under several names. */
	if (HYB_SYS(newfstatat, fd, "", &st, AT_EMPTY_PATH, 0, 0) || !S_ISSOCK(st.st_mode))
		return 0;
	return st.st_ino;
}

static bool is_ours(const struct hyb_sums_ask *ask)
{
	return ask->socket && ask->inode && socket_inode(ask->socket - 1) == ask->inode;
}

static void forget(struct hyb_sums_ask *ask)
{
	if (is_ours(ask))
		hyb_sys_close(ask->socket - 1);
	ask->socket = 0;
}

static int connect_first(struct hyb_sums_ask *ask)
{
	long fd = hyb_collect_connect((uint32_t)HYB_SYS(gettid, 0, 0, 0, 0, 0, 0));

	if (fd < 0)
		return (int)fd;
	fd = hyb_sys_high_descriptor(fd);
	ask->socket = fd + 1;
	ask->inode = socket_inode(fd);
	return -EAGAIN;
}

/* The descriptor that came with the answer; -1: none. */
static int descriptor_of(struct msghdr *message)
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len >= CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* 0 with the descriptor to be mapped; -EAGAIN: there is no answer yet; -errno: there are no slots. */
static int take_answer(long socket, struct hyb_collect_slot *slot, int *fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { .iov_base = slot, .iov_len = sizeof(*slot) };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control),
	};
	long n = HYB_SYS(recvmsg, socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC, 0, 0, 0);

	if (n == -EINTR)
		return -EAGAIN;
	if (n < 0)
		return (int)n;
	*fd = descriptor_of(&message);
	if (n == (long)sizeof(*slot) && slot->magic == HYB_COLLECT_MAGIC && !slot->error && *fd >= 0)
		return 0;
	if (*fd >= 0)
		hyb_sys_close(*fd);
	return n == (long)sizeof(*slot) && slot->error ? slot->error : -EPROTO;
}

static int ask_for_slot(struct hyb_sums_ask *ask, const struct hyb_kernel_slot **slot)
{
	struct hyb_collect_slot answer;
	int err, fd = -1;
	long at;

	if (!is_ours(ask)) {
		ask->socket = 0;
		return connect_first(ask);
	}
	err = take_answer(ask->socket - 1, &answer, &fd);
	if (err == -EAGAIN)
		return err;
	forget(ask);
	if (err)
		return err;
	at = HYB_SYS(mmap, 0, HYB_SLOT_SIZE, PROT_READ, MAP_SHARED, fd, answer.at);
	hyb_sys_close(fd);
	if (at < 0 && at > -4096)
		return at == -EAGAIN ? -ENOMEM : (int)at;
	*slot = (const struct hyb_kernel_slot *)at;
	return 0;
}

static int ask_nobody(struct hyb_sums_ask *ask, const struct hyb_kernel_slot **slot)
{
	(void)ask;
	(void)slot;
	return -EOPNOTSUPP;
}

static bool wanted;

void hyb_slot_settle(void)
{
	wanted = hyb_config.mode != HYB_MODE_TRACE && hyb_config.kernel != HYB_KERNEL_OFF &&
		 hyb_config.kernel_profile != HYB_KERNEL_PROFILE_NO;
	if (!wanted || hyb_config.mode != HYB_MODE_PROFILE)
		return;
	/* A profile has bounds, events have none. Only bpf adds up. */
	hyb_config.kernel_profile = HYB_KERNEL_PROFILE_ONLY;
	if (hyb_config.kernel == HYB_KERNEL_AUTO)
		hyb_config.kernel = HYB_KERNEL_BPF;
	else if (hyb_config.kernel != HYB_KERNEL_BPF)
		hyb_config.kernel = HYB_KERNEL_OFF;
}

void hyb_slot_start(void)
{
	static const struct hyb_sums_way with = { .ask = ask_for_slot, .forget = forget, .look = hyb_own_sums };
	static const struct hyb_sums_way without = { .ask = ask_nobody, .forget = forget, .look = hyb_own_sums };

	if (wanted)
		hyb_sums_by(hyb_config.kernel == HYB_KERNEL_OFF ? &without : &with);
}
