/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines on stderr: `hybmon[rank.thread]: warning: ...`. Signal-safe, one write(2) a line, errno kept;
 * silent where descriptor 2 is no longer the file it was when the process started.
 */
#ifndef HYB_CORE_SYS_LOG_H
#define HYB_CORE_SYS_LOG_H

#include "core/sys/compiler.h"

/* QUIET: said in any case, with no word in front. */
enum hyb_log_level { HYB_LOG_QUIET, HYB_LOG_ERROR, HYB_LOG_WARNING, HYB_LOG_NOTE };

/* Lines of higher levels are not written: the settings' VERBOSE once they are read, until then QUIET. */
extern enum hyb_log_level hyb_log_most;

/*
 * Remembers which file descriptor 2 is; called when the library is loaded. Lines then begin with what these functions
 * say: the process's rank (below 0: not known) and the calling thread's number. Both may be called in signal handlers.
 */
void hyb_log_start(int (*rank)(void), unsigned int (*thread)(void));
/*
 * Formats %s %d %u %lld %llu %zu %x %p only: what is wrong, then what to do; lower case, no full stop. What the arguments
 * bring that may not be shown becomes \xNN (format/printable.h).
 */
HYB_EXPORT void hyb_log(enum hyb_log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3), cold));
/* The same, but the first time only for each place it stands in. */
#define hyb_log_once(level, ...) do { \
		static int hyb_said_; \
		if (!__atomic_exchange_n(&hyb_said_, 1, __ATOMIC_RELAXED)) \
			hyb_log(level, __VA_ARGS__); \
	} while (0)

#endif
