/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report of what was recorded as profiles (HYBMON_MODE=profile): all but what needs single events and their times, so
 * who waited for whom, phases and the critical path are left out.
 */
#ifndef HYB_ANALYSIS_REPORT_PROFILES_H
#define HYB_ANALYSIS_REPORT_PROFILES_H

struct hyb_report;

/*
 * Reads the profiles of all threads into the report, whose model was surveyed and whose parts are empty. 0 or -errno,
 * with everything said.
 */
int hyb_report_read_profiles(struct hyb_report *r);

#endif
