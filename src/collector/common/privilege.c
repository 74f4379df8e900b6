/* SPDX-License-Identifier: BSD-3-Clause */
/* Capabilities, and becoming a user; see privilege.h. */
#include "collector/common/privilege.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SO_PEERGROUPS	/* Linux 4.13 */
#define SO_PEERGROUPS 59
#endif

static uint64_t own;

void hyb_privilege_start(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return;
	/* For a file with capabilities the kernel clears the ambient ones. The user's own are inheritable then. */
	for (int i = 0; i < 2; i++)
		own |= (uint64_t)(getauxval(AT_SECURE) ? data[i].inheritable : data[i].effective) << 32 * i;
}

bool hyb_privilege_is_own(int capability)
{
	return own & HYB_CAPABILITY(capability);
}

uint64_t hyb_privilege_own(uint64_t capabilities)
{
	return own & capabilities;
}

int hyb_privilege_keep(uint64_t capabilities)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capget, &header, data))
		return -errno;
	for (int i = 0; i < 2; i++) {
		data[i].permitted &= (uint32_t)(capabilities >> 32 * i);
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

int hyb_privilege_done(uint64_t capabilities)
{
	return getuid() ? hyb_privilege_keep(capabilities) : 0;
}

/* The groups that the peer had when it connected. */
static int take_groups(int peer)
{
	socklen_t size = 0;
	gid_t *groups;
	int err;

	/* The first call, without room, says how much room it takes. */
	if (!getsockopt(peer, SOL_SOCKET, SO_PEERGROUPS, NULL, &size))
		return setgroups(0, NULL) ? -errno : 0;
	if (errno != ERANGE)
		return -errno;
	groups = malloc(size);
	if (!groups)
		return -ENOMEM;
	err = getsockopt(peer, SOL_SOCKET, SO_PEERGROUPS, groups, &size) ? -errno : 0;
	if (!err && setgroups(size / sizeof(*groups), groups))
		err = -errno;
	free(groups);
	return err;
}

int hyb_privilege_become(int peer, uid_t uid, gid_t gid, uint64_t capabilities)
{
	int err = take_groups(peer);

	if (err)
		return err;
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid) ||
	    prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		return -errno;
	return hyb_privilege_keep(capabilities);
}
