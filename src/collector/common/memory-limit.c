/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much of the kernel's memory a user may have; see memory-limit.h. The kernel itself counts perf's rings, once
 * CAP_IPC_LOCK is given up. It does not count the maps of bpf programs. So this locks as much shared memory, without
 * touching it: the kernel then counts the maps of all the user's processes together. A segment is gone with the process
 * that has it, whatever kills that.
 */
#include "collector/common/memory-limit.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/common/privilege.h"
#include "collector/common/proc.h"
#include "collector/common/source.h"

static bool granted;
static uint64_t alone;	/* taken by this process, if there is no shared memory to count by */
static uint64_t share;	/* what is left of perf's share for this process */
static bool have_share;
static void *segments[64];
static unsigned int segment_count;

static uint64_t limit(void)
{
	struct rlimit locked = { .rlim_cur = 0 };

	if (getrlimit(RLIMIT_MEMLOCK, &locked) || locked.rlim_cur > UINT64_MAX / 4)
		return UINT64_MAX;
	return locked.rlim_cur;
}

/* What perf gives each user beyond RLIMIT_MEMLOCK. */
static uint64_t perfs_share(void)
{
	long kib = hyb_proc_setting("/proc/sys/kernel/perf_event_mlock_kb", 0);

	return kib > 0 ? ((uint64_t)kib << 10) * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN) : 0;
}

void hyb_memory_grant(uint64_t buffer)
{
	struct rlimit locked;
	rlim_t most = buffer * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);

	granted = true;
	/* For the source self, whose rings are as many as the threads, and which has no capability for them. */
	if (getrlimit(RLIMIT_MEMLOCK, &locked))
		return;
	locked.rlim_max = locked.rlim_max < most ? locked.rlim_max : most;
	locked.rlim_cur = locked.rlim_max;
	setrlimit(RLIMIT_MEMLOCK, &locked);
}

bool hyb_memory_is_limited(void)
{
	return getuid() && !granted && !hyb_privilege_is_own(CAP_IPC_LOCK);
}

uint64_t hyb_memory_privilege(void)
{
	return hyb_memory_is_limited() ? 0 : HYB_CAPABILITY(CAP_IPC_LOCK);
}

uint64_t hyb_memory_lockable(void)
{
	uint64_t most = limit();

	/* This is perf's own rule. */
	if (!getuid() || most == UINT64_MAX || hyb_proc_setting("/proc/sys/kernel/perf_event_paranoid", 2) < 0)
		return UINT64_MAX;
	return most + perfs_share();
}

/* 1: it is counted; 0: it is too much; -errno: shared memory cannot be had here. */
static int count_as_locked(uint64_t bytes)
{
	const size_t most = sizeof(segments) / sizeof(segments[0]);
	int id = segment_count < most ? shmget(IPC_PRIVATE, bytes, 0600 | SHM_NORESERVE) : -1;
	void *at;
	int err = 0;

	if (id < 0)
		return segment_count < most ? -errno : 0;
	/* Nobody touches it: only its size counts. */
	at = shmat(id, NULL, SHM_RDONLY);
	if (at == (void *)-1)
		err = -errno;
	if (!err && shmctl(id, SHM_LOCK, NULL))
		err = errno == ENOMEM || errno == EPERM ? 0 : -errno;
	else if (!err)
		err = 1;
	shmctl(id, IPC_RMID, NULL);
	if (err == 1)
		segments[segment_count++] = at;
	else if (at != (void *)-1)
		shmdt(at);
	return err;
}

static bool take_locked(uint64_t bytes)
{
	uint64_t most = limit();
	int counted;

	if (!bytes || most == UINT64_MAX)
		return true;
	if (bytes > most)
		return false;
	counted = count_as_locked(bytes);
	if (counted >= 0)
		return counted;
	/* Without shared memory of System V, each process at least has no more than the limit. */
	if (alone + bytes > most)
		return false;
	alone += bytes;
	return true;
}

/* A user has perf's share once. His first collector has it: the one that could take this name. */
static void take_share(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	static bool tried;
	int fd, n;

	if (tried)
		return;
	tried = true;
	n = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "hybmon-memory-%u", (unsigned int)getuid());
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (bind(fd, (const void *)&name, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)))
		close(fd);
	else
		have_share = true;
	share = have_share ? perfs_share() : 0;
}

bool hyb_memory_take(uint64_t bytes)
{
	uint64_t given;

	if (!hyb_memory_is_limited())
		return true;
	take_share();
	given = bytes < share ? bytes : share;
	if (!take_locked(bytes - given))
		return false;
	share -= given;
	return true;
}

void hyb_memory_give_back(void)
{
	while (segment_count)
		shmdt(segments[--segment_count]);
	alone = 0;
	share = have_share ? perfs_share() : 0;
}

uint64_t hyb_memory_take_rings(uint64_t count, uint64_t wanted, uint64_t least, uint64_t beside)
{
	uint64_t size = wanted;

	while (!hyb_memory_take(count * (size + beside))) {
		if (size <= least)
			return 0;
		size /= 2;
	}
	if (size < wanted)
		hyb_source_cut(wanted, size);
	return size;
}
