/* SPDX-License-Identifier: BSD-3-Clause */
/* omp_control_tool(): OpenMP's own way for a program to switch a tool off and on, as MPI_Pcontrol is MPI's. */
#include "ompt/callbacks.h"

#include <errno.h>

#include "core/config/config.h"

/* What a program that asks gets as the result of its call. */
enum { SUCCESS = 0, IGNORED = 1 };

static int switch_recording(bool on)
{
	int saved = errno;

	hyb_process_control(on);
	errno = saved;
	return SUCCESS;
}

/* What is recorded is on disk at once, so there is nothing to flush. */
int hyb_omp_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code)
{
	static bool ended;

	(void)modifier;
	(void)argument;
	(void)code;
	if (!hyb_config.pcontrol || __atomic_load_n(&ended, __ATOMIC_RELAXED))
		return IGNORED;
	switch (command) {
	case ompt_control_start:
		return switch_recording(true);
	case ompt_control_end:
		__atomic_store_n(&ended, true, __ATOMIC_RELAXED);
		return switch_recording(false);
	case ompt_control_pause:
		return switch_recording(false);
	case ompt_control_flush:
		return SUCCESS;
	}
	return IGNORED;
}
