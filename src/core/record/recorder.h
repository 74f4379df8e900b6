/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who records: a process of the program's, or the collector of what the kernel does. Streams, definitions and the
 * manifest know nothing of either; what they need of it is handed in here.
 */
#ifndef HYB_CORE_RECORD_RECORDER_H
#define HYB_CORE_RECORD_RECORDER_H

#include <stdbool.h>

#include "core/sys/owned.h"

struct hyb_recorder {
	/* Whether streams may be written. Any thread may ask, at any time, also in a copy of the process. */
	bool (*is_recording)(void);
	/*
	 * A thread has its first event: begins to record if that has not been done, waits if another thread is at it.
	 * True if this process is recorded. NULL: no thread's events are recorded.
	 */
	bool (*start)(void);
	/*
	 * A file of the recorder's directory, or -errno; flags are O_RDWR or O_WRONLY, and O_APPEND. With O_CREAT it is
	 * made, and *identity told; without, it must be the one that *identity tells.
	 */
	long (*open)(const char *name, int flags, struct hyb_identity *identity);
	void (*unlink)(const char *name);
	/* Events are lost from here on, or the oldest ones are; err says why, -errno. Called each time. */
	void (*report_loss)(int err);
};

/* Before anything else of this folder is called; *recorder stays the caller's, and there. */
void hyb_record_for(const struct hyb_recorder *recorder);
/* Who that is, for the files of this folder; NULL before. */
extern const struct hyb_recorder *hyb_recorder;

/* False before there is a recorder. */
static inline bool hyb_recorder_is_recording(void)
{
	return hyb_recorder && hyb_recorder->is_recording();
}

#endif
