/* SPDX-License-Identifier: BSD-3-Clause */
/* What of HYBMON_SAMPLE cannot be had is said by the process that starts the collector, which has no terminal. */
#include <errno.h>
#if __has_include(<linux/perf_event.h>)
#include <linux/perf_event.h>
#endif

#include "core/config/config.h"
#include "core/sys/log.h"
#include "core/config/sample-option.h"
#include "core/sys/sys.h"
#include "core/collector/collector.h"

static bool understands_sample(struct hyb_sample_wish *wish)
{
	char why[160];

	if (!hyb_config.sample[0])
		return false;
	if (!hyb_sample_wish_parse(hyb_config.sample, wish, why, sizeof(why)))
		return true;
	hyb_log_once(HYB_LOG_WARNING, "HYBMON_SAMPLE=%s: %s; no samples are taken", hyb_config.sample, why);
	return false;
}

const char *hyb_collect_sample(void)
{
	struct hyb_sample_wish wish;

	return understands_sample(&wish) ? hyb_config.sample : "";
}

#ifdef PERF_ATTR_SIZE_VER0
/* Whether this process may have the event, which is tried. 0 or -errno. */
static long try_event(const struct hyb_sample_wish *wish)
{
	const struct hyb_sample_perf perf = hyb_sample_event_perf(wish->event);
	struct perf_event_attr attr = {
		.type = perf.type,
		.size = PERF_ATTR_SIZE_VER0,
		.config = perf.config,
		.freq = wish->rate != 0,
		.sample_period = wish->rate ? wish->rate : wish->period,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	const long fd = HYB_SYS(perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);

	if (fd >= 0)
		hyb_sys_close(fd);
	return fd < 0 ? fd : 0;
}
#else
static long try_event(const struct hyb_sample_wish *wish)
{
	(void)wish;
	return -ENOSYS;
}
#endif

void hyb_collect_sample_limits(void)
{
	struct hyb_sample_wish wish;
	uint64_t asked;
	long err;

	if (!understands_sample(&wish))
		return;
	asked = hyb_sample_wish_limit(&wish);
	if (asked)
		hyb_log_once(HYB_LOG_WARNING, "HYBMON_SAMPLE=%s: the kernel allows %llu samples a second, which are taken; raise "
			     "kernel.perf_event_max_sample_rate", hyb_config.sample, (unsigned long long)wish.rate);
	err = try_event(&wish);
	if (err == -EACCES || err == -EPERM || err == -ENOSYS)
		hyb_log_once(HYB_LOG_WARNING, "HYBMON_SAMPLE=%s: this user may have no events, so no samples are taken: lower "
			     "kernel.perf_event_paranoid; a container may forbid perf_event_open", hyb_config.sample);
	else if (err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV || err == -EINVAL)
		hyb_log_once(HYB_LOG_WARNING, "HYBMON_SAMPLE=%s: this machine does not count %s, so no samples are taken; "
			     "HYBMON_SAMPLE=997Hz is possible on all", hyb_config.sample,
			     hyb_sample_event_name(wish.event));
}
