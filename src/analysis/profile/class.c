/* SPDX-License-Identifier: BSD-3-Clause */
/* See class.h. */
#include "analysis/profile/class.h"

enum hyb_flat_part hyb_flat_part_of(const struct hyb_gregion *region)
{
	if (region->kernel != HYB_REGION_EVENT)
		return HYB_PART_OWN;
	switch (region->kind) {
	case HYB_REGION_SYSCALL:
		return HYB_PART_SYSCALL;
	case HYB_REGION_FAULT:
		return HYB_PART_FAULT;
	case HYB_REGION_IRQ:
	case HYB_REGION_SOFTIRQ:
		return HYB_PART_INTERRUPT;
	case HYB_REGION_OFF_VOLUNTARY:
		return HYB_PART_VOLUNTARY;
	case HYB_REGION_OFF_INVOLUNTARY:
		return HYB_PART_INVOLUNTARY;
	default:
		return HYB_PART_UNKNOWN;
	}
}

enum hyb_time_class hyb_kernel_class(const struct hyb_gregion *region)
{
	if (region->kind == HYB_REGION_OFF_INVOLUNTARY)
		return HYB_TIME_INVOLUNTARY;
	return region->kind == HYB_REGION_OFF_VOLUNTARY ? HYB_TIME_VOLUNTARY : HYB_TIME_KERNEL;
}

static enum hyb_time_class openmp_class(const struct hyb_gregion *region)
{
	switch (region->role) {
	case HYB_ROLE_BARRIER:
	case HYB_ROLE_IMPLICIT_BARRIER:
	case HYB_ROLE_TASK_WAIT:
	case HYB_ROLE_LOCK:
		return HYB_TIME_OMP_WAIT;
	default:
		return HYB_TIME_COMPUTE;
	}
}

enum hyb_time_class hyb_time_class_of(enum hyb_time_class around, const struct hyb_gregion *region)
{
	const bool kernel = region->kernel == HYB_REGION_EVENT;

	/* Whatever is done in there is a part of it, but for tasks that a thread executes while it waits. */
	if (around == HYB_TIME_MPI || (around == HYB_TIME_OMP_WAIT && (kernel || region->role != HYB_ROLE_TASK)))
		return around;
	if (kernel)
		return hyb_kernel_class(region);
	if (region->paradigm == HYB_PARADIGM_MPI)
		return HYB_TIME_MPI;
	return region->paradigm == HYB_PARADIGM_OPENMP ? openmp_class(region) : HYB_TIME_COMPUTE;
}
