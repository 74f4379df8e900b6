/* SPDX-License-Identifier: BSD-3-Clause */
/* The public interface of include/hybmon.h, and what MPI_Pcontrol and omp_control_tool do, which is the same. */
#include "hybmon.h"

#include "base/config.h"
#include "base/sys.h"
#include "process/load.h"
#include "process/process.h"
#include "record/definitions.h"
#include "record/record.h"
#include "record/thread.h"

/*
 * Marks the place in the calling thread's stream, so that what is missing is seen to be wanted. A signal handler may
 * have interrupted the thread while it writes there: such a mark goes to the definitions, with its time.
 */
static void mark(enum hyb_mark which)
{
	struct hyb_thread *t = &hyb_self;
	uint64_t signals;
	uint64_t now;

	hyb_sys_block_signals(&signals);
	now = hyb_counter();
	if (t->stream && (t->frame || t->unguarded)) {
		hyb_def_mark(hyb_thread_number(), which, now);
	} else if ((t->pos < t->end && now >> HYB_TIME_BITS == t->epoch) || hyb_stream_make_room(t, now)) {
		if (t->frame) {
			hyb_def_mark(hyb_thread_number(), which, now);
		} else {
			*t->pos = hyb_head(HYB_MARK, which, now);
			hyb_publish(t->pos + 1);
		}
	}
	hyb_sys_restore_signals(&signals);
}

static void switch_recording(bool on)
{
	uint32_t groups;

	if (hyb_process_wish(on) != HYB_PROCESS_RECORDING)
		return;
	groups = on ? hyb_config.mpi | HYB_RECORDING_ON : 0;
	if (__atomic_exchange_n(&hyb_recording, groups, __ATOMIC_RELAXED) == groups)
		return;
	__atomic_add_fetch(&hyb_recording_turns, (uint64_t)on, __ATOMIC_RELAXED);
	mark(on ? HYB_MARK_ON : HYB_MARK_OFF);
}

HYB_EXPORT void hybmon_pause(void)
{
	switch_recording(false);
}

HYB_EXPORT void hybmon_resume(void)
{
	switch_recording(true);
}

void hyb_process_pcontrol(bool on)
{
	hyb_config_load();
	if (hyb_config.pcontrol)
		switch_recording(on);
}

HYB_EXPORT int hybmon_is_recording(void)
{
	return hyb_process_state() == HYB_PROCESS_RECORDING &&
	       !hyb_is_off(HYB_RECORDING_ON);
}

HYB_EXPORT const char *hybmon_version(void)
{
	return hyb_version;
}
