/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon doctor: what is in the way of counters. */
#include <stdio.h>

#include "core/counters/list.h"
#include "core/counters/set.h"
#include "tools/doctor/doctor.h"

/* Whether one can be counted; otherwise why not, in *why. */
static bool counts(const char *name, const char **why)
{
	struct hyb_counter_set set = { .count = 0 };

	hyb_counter_set_make(&set, name);
	*why = set.notes ? set.notes->text : "";
	return set.count > 0;
}

void hyb_check_counters(void)
{
	char version[32];
	const char *why, *papi;

	if (counts("perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES", &why) && !*why)
		hyb_doctor_say(HYB_HEALTH_YES, NULL, "of the kernel (perf::PAGE-FAULTS and its like)");
	else
		hyb_doctor_say(HYB_HEALTH_PARTLY, "rusage::VOLUNTARY and its like need nothing", "of the kernel: %s", why);
	if (counts("PERF_COUNT_HW_INSTRUCTIONS", &why) || counts("PAPI_TOT_INS", &why))
		hyb_doctor_say(HYB_HEALTH_YES, NULL, "of the processor");
	else
		hyb_doctor_say(HYB_HEALTH_NO, NULL, "of the processor: %s", why);
	papi = hyb_counters_papi(version, sizeof(version));
	if (papi)
		hyb_doctor_say(HYB_HEALTH_PARTLY, "install libpapi 7 for the names and components of PAPI", "%s", papi);
	else
		hyb_doctor_say(HYB_HEALTH_YES, NULL, "PAPI %s; \"hybmon counters\" lists what can be counted", version);
}
