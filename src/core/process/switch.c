/* SPDX-License-Identifier: BSD-3-Clause */
/* Recording goes on and off: for hybmon.h, MPI_Pcontrol and omp_control_tool. */
#include "core/config/config.h"
#include "core/sys/sys.h"
#include "core/process/process.h"
#include "core/record/definitions.h"
#include "core/record/record.h"
#include "core/record/thread.h"

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
	if (!t->frame && !t->unguarded && hyb_kernel_moved(t))
		hyb_sums_leave(t, now);
	if (t->stream && (t->frame || t->unguarded)) {
		hyb_def_mark(hyb_thread_number(), which, now);
	} else if ((t->pos < t->end && now >> HYB_TIME_BITS == t->epoch) || hyb_thread_make_room(t, now)) {
		if (t->frame) {
			hyb_def_mark(hyb_thread_number(), which, now);
		} else {
			*t->pos = hyb_head(HYB_MARK, which, now);
			hyb_publish(t->pos + 1);
		}
	}
	hyb_sys_restore_signals(&signals);
}

void hyb_process_switch(bool on)
{
	uint32_t groups;

	if (hyb_process_wish(on) != HYB_PROCESS_RECORDING)
		return;
	groups = on ? hyb_process_groups() : 0;
	if (__atomic_exchange_n(&hyb_recording, groups, __ATOMIC_RELAXED) == groups)
		return;
	if (on)
		hyb_recording_turn();
	mark(on ? HYB_MARK_ON : HYB_MARK_OFF);
}

void hyb_process_control(bool on)
{
	hyb_config_load();
	if (hyb_config.pcontrol)
		hyb_process_switch(on);
}
