/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The request for a recording of what the kernel does, by a socket, to the service or to the job's own collector: the
 * settings that format/collector.tbl.h lists, some texts, and two descriptors.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>

#include "core/config/config.h"
#include "core/job/job.h"
#include "core/collector/collector.h"
#include "core/sys/sys.h"
#include "format/collector.h"

static long send_parts(long fd, struct iovec *parts, size_t count, const int descriptors[2])
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct msghdr message = {
		.msg_iov = parts, .msg_iovlen = count, .msg_control = &control, .msg_controllen = sizeof(control),
	};
	long sent;

	memset(&control, 0, sizeof(control));
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(&control.header), descriptors, 2 * sizeof(int));
	sent = HYB_SYS(sendmsg, fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT, 0, 0, 0);
	return sent < 0 ? sent : 0;
}

long hyb_collect_send_request(long fd, long listener, const char *experiment, const char *job, const char *start_dir)
{
	const char *tmp = hyb_job_env("TMPDIR");
	const char *const texts[HYB_COLLECT_TEXTS] = {
		[HYB_COLLECT_EXPERIMENT] = experiment,
		[HYB_COLLECT_JOB] = job,
		[HYB_COLLECT_DIRECTORY] = start_dir,
		[HYB_COLLECT_SPOOL] = hyb_config.spool,
		[HYB_COLLECT_TMPDIR] = tmp ? tmp : "",
		[HYB_COLLECT_SAMPLE] = hyb_collect_sample(),
	};
	struct hyb_collect_request request = {
		.magic = HYB_COLLECT_MAGIC,
		.version = HYB_COLLECT_VERSION,
#define HYB_COLLECT_SETTING(member, config, kind, least, most, multiple) .member = hyb_config.config,
#include "format/collector.tbl.h"
#undef HYB_COLLECT_SETTING
	};
	struct iovec parts[1 + HYB_COLLECT_TEXTS] = { { &request, sizeof(request) } };
	long directory, err;

	for (int i = 0; i < HYB_COLLECT_TEXTS; i++) {
		parts[1 + i].iov_base = (char *)(uintptr_t)texts[i];
		parts[1 + i].iov_len = strlen(texts[i]) + 1;
		if (parts[1 + i].iov_len > PATH_MAX)
			return -ENAMETOOLONG;
	}
	directory = hyb_sys_open(experiment, O_RDONLY | O_DIRECTORY, 0);
	if (directory < 0)
		return directory;
	err = send_parts(fd, parts, 1 + HYB_COLLECT_TEXTS, (const int[]){ (int)listener, (int)directory });
	hyb_sys_close(directory);
	return err;
}
