/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The class of a region's time. Every analysis that adds up times takes the class from here, so that text, JSON and pages
 * agree. A new class is added here and nowhere else.
 */
#ifndef HYB_ANALYSIS_PROFILE_CLASS_H
#define HYB_ANALYSIS_PROFILE_CLASS_H

#include "merge/model/region.h"

enum hyb_time_class { /* of a thread's time in sums; the innermost region that has one decides */
	HYB_TIME_COMPUTE = 0,
	HYB_TIME_MPI,
	HYB_TIME_OMP_WAIT,    /* in a barrier, or for a lock */
	HYB_TIME_OMP_IDLE,    /* of a thread that no region needs; known when all threads are */
	HYB_TIME_KERNEL,      /* system calls, faults and interrupts, outside of MPI; as are both below */
	HYB_TIME_VOLUNTARY,   /* off the CPU, since it waits for something */
	HYB_TIME_INVOLUNTARY, /* since another has it */
	HYB_TIME_PAUSED,
	HYB_TIMES,
};

enum hyb_flat_part { /* of the time that a thread is in no region but one */
	HYB_PART_OWN = 0,
	HYB_PART_SYSCALL,
	HYB_PART_FAULT,
	HYB_PART_INTERRUPT,
	HYB_PART_VOLUNTARY, /* off the CPU, in a system call or not */
	HYB_PART_INVOLUNTARY,
	HYB_PART_UNKNOWN, /* events of the kernel were lost */
	HYB_PARTS,
};

/* OWN: the region is none of the kernel's. */
enum hyb_flat_part hyb_flat_part_of(const struct hyb_gregion *region);
/* HYB_TIME_KERNEL, VOLUNTARY or INVOLUNTARY, wherever it is. */
enum hyb_time_class hyb_kernel_class(const struct hyb_gregion *region);
/* The class of a region in one that has the class `around`. */
enum hyb_time_class hyb_time_class_of(enum hyb_time_class around, const struct hyb_gregion *region);

#endif
