/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits for a debugger; see debugger.h. */
#include "core/process/debugger.h"

#include <stdint.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <time.h>

#include "core/sys/alive.h"
#include "core/config/config.h"
#include "core/sys/log.h"
#include "core/sys/sys.h"

/* A number at *text, which goes on behind it. False: there is none. */
static bool take_number(const char **text, uint64_t *number)
{
	const char *p = *text;

	for (*number = 0; *p >= '0' && *p <= '9' && *number <= INT32_MAX; p++)
		*number = *number * 10 + (uint64_t)(*p - '0');
	if (p == *text)
		return false;
	*text = p;
	return true;
}

/* Whether "0,4-7" has it. What makes no sense ends the list. */
static bool has_rank(const char *list, uint64_t rank)
{
	uint64_t first, last;

	while (take_number(&list, &first)) {
		last = first;
		if (*list == '-') {
			list++;
			if (!take_number(&list, &last))
				return false;
		}
		if (rank >= first && rank <= last)
			return true;
		if (*list != ',')
			return false;
		list++;
	}
	return false;
}

void hyb_debugger_wait(int rank)
{
	const struct timespec moment = { .tv_nsec = 50000000 };
	const long pid = HYB_SYS(getpid, 0, 0, 0, 0, 0, 0);
	struct utsname name;

	if (!*hyb_config.replay || rank < 0 || !has_rank(hyb_config.replay_gdb, (uint64_t)rank) || hyb_alive_tracer())
		return;
	/*
	 * Yama lets only a parent attach, unless it is told otherwise. It stays told, so that a debugger can come back.
	 * Without Yama that is an error, and not needed.
	 */
	HYB_SYS(prctl, PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0, 0);
	if (HYB_SYS(uname, &name, 0, 0, 0, 0, 0))
		name.nodename[0] = 0;
	hyb_log(HYB_LOG_QUIET, "replay: rank %d waits for a debugger; on %s: gdb -p %ld", rank, name.nodename, pid);
	while (!hyb_alive_tracer())
		HYB_SYS(nanosleep, &moment, NULL, 0, 0, 0, 0);
}
