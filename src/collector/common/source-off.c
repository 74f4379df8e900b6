/* SPDX-License-Identifier: BSD-3-Clause */
/* The source that has no events, where only samples are taken. */
#include "collector/common/source.h"

#include "collector/common/privilege.h"

static int open_nothing(const struct hyb_collect_request *wish, int poll)
{
	(void)wish;
	(void)poll;
	return 0;
}

static void add_to_nothing(uint32_t tgid)
{
	(void)tgid;
}

static void do_nothing(void)
{
}

static uint64_t lost_nothing(void)
{
	return 0;
}

static bool has_no_stream(unsigned int index, char *buf, unsigned int size)
{
	(void)index;
	(void)buf;
	(void)size;
	return false;
}

/* Samples are opened later, as threads come, so only with what the user may do himself. */
const struct hyb_source hyb_source_off = {
	.name = "off",
	.capabilities = HYB_CAPABILITY(CAP_IPC_LOCK) | HYB_CAPABILITY(CAP_PERFMON) | HYB_CAPABILITY(CAP_SYSLOG),
	.as_user = true,
	.open = open_nothing,
	.add_process = add_to_nothing,
	.drain = do_nothing,
	.close = do_nothing,
	.lost = lost_nothing,
	.stream_name = has_no_stream,
};
