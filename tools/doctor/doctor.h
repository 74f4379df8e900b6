/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checks of hybmon doctor. Each looks at one thing that the machine or the user may lack and says what there is, in
 * one line or several. A new one is a function here and a line of the table in doctor.c.
 */
#ifndef HYB_TOOLS_DOCTOR_DOCTOR_H
#define HYB_TOOLS_DOCTOR_DOCTOR_H

#include "tools/common/lacking.h"

enum hyb_health {
	HYB_HEALTH_YES,
	HYB_HEALTH_PARTLY,
	HYB_HEALTH_NO,
	HYB_HEALTH_ABSENT, /* no, and nothing here misses it */
};

/* A line of the check that runs: the state, what is so, and what would change it (NULL: nothing has to). */
void hyb_doctor_say(enum hyb_health health, const char *advice, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for what the build lacks. */
void hyb_doctor_lacks(enum hyb_health health, enum hyb_optional o);

/* doctor-library.c */
void hyb_check_library(void);
void hyb_check_mpi(void);
void hyb_check_openmp(void);
void hyb_check_libgomp(void);
void hyb_check_merge(void);
void hyb_check_build(void);
/* doctor-counters.c */
void hyb_check_counters(void);
/* doctor-kernel.c */
void hyb_check_capabilities(void);
void hyb_check_perf(void);
void hyb_check_tracefs(void);
void hyb_check_btf(void);
void hyb_check_bpf(void);
void hyb_check_collector(void);
void hyb_check_samples(void);
void hyb_check_service(void);

#endif
