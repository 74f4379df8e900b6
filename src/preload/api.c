/* SPDX-License-Identifier: BSD-3-Clause */
/* The public interface of include/hybmon.h. */
#include "hybmon.h"

#include "core/process/process.h"
#include "core/record/record.h"

HYB_EXPORT void hybmon_pause(void)
{
	hyb_process_switch(false);
}

HYB_EXPORT void hybmon_resume(void)
{
	hyb_process_switch(true);
}

HYB_EXPORT int hybmon_is_recording(void)
{
	return hyb_process_is_recording() && !hyb_is_off(HYB_RECORDING_ON);
}

HYB_EXPORT const char *hybmon_version(void)
{
	return PACKAGE_VERSION;
}
