/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting for the node's collector before the first event, so that the kernel's data begins where the program's does:
 * to open its events takes it a tenth of a second, in which a short program has ended. It is not waited for longer than
 * it lives: with it the other end of the socket goes.
 */
#include "core/collector/collector.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#include "core/sys/clock.h"
#include "core/config/config.h"
#include "core/sys/log.h"
#include "core/sys/stack.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "format/collector.h"
#include "core/record/manifest.h"

#define MILLISECOND	UINT64_C(1000000)
#define SECOND		UINT64_C(1000000000)

/* 0: it records this process; -ETIMEDOUT; -ECONNRESET: it has ended; or why it does not record it. */
static long take_welcome(long fd)
{
	struct hyb_collect_welcome welcome;
	long n = HYB_SYS(recvfrom, fd, &welcome, sizeof(welcome), MSG_DONTWAIT, NULL, NULL);

	if (n < 0)
		return n;
	if (n != (long)sizeof(welcome) || welcome.magic != HYB_COLLECT_MAGIC)
		return -ECONNRESET;
	return welcome.error;
}

static long wait_until(long fd, uint64_t end)
{
	struct pollfd p = { .fd = (int)fd, .events = POLLIN };
	uint64_t signals = hyb_stack_signals();

	for (;;) {
		uint64_t now = hyb_clock_raw();
		uint64_t left = now < end ? end - now : 0;
		struct timespec patience = { .tv_sec = (time_t)(left / SECOND), .tv_nsec = (long)(left % SECOND) };
		long n = HYB_SYS(ppoll, &p, 1, &patience, &signals, sizeof(signals), 0);

		if (n > 0)
			return take_welcome(fd);
		/* A debugger that stops the process, for one, interrupts this. */
		if (n < 0 && n != -EINTR)
			return n;
		if (!left)
			return -ETIMEDOUT;
	}
}

static void note(uint64_t took, long err)
{
	char text[128];
	size_t n = hyb_text_format(text, sizeof(text), "%llu us, %s", (unsigned long long)(took / 1000),
				   !err ? "ready" : err == -ETIMEDOUT ? "not ready" : err == -ECONNRESET ?
				   "the collector ended" : hyb_text_errno((int)-err));

	hyb_manifest_add("kernel-wait", text, n);
}

void hyb_collect_wait(long fd, bool speaks)
{
	uint64_t begin = hyb_clock_raw();
	long err;

	if (hyb_config.kernel_wait) {
		/* Threads that run meanwhile may close what they do not know. */
		fd = hyb_sys_high_descriptor(fd);
		err = wait_until(fd, begin + hyb_config.kernel_wait * MILLISECOND);
		note(hyb_clock_raw() - begin, err);
		if (err == -ETIMEDOUT && speaks)
			hyb_log_once(HYB_LOG_NOTE, "hybmon-collect was not ready within %llu ms, so what the kernel does is "
				     "recorded from later on than the program; HYBMON_KERNEL_WAIT can be longer",
				     (unsigned long long)hyb_config.kernel_wait);
		if (err == -ECONNRESET && speaks)
			hyb_log_once(HYB_LOG_WARNING, "hybmon-collect cannot record what the kernel does; hybmon report says why");
	}
	hyb_sys_close(fd);
}
