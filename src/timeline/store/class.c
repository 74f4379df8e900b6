/* SPDX-License-Identifier: BSD-3-Clause */
/* See class.h. */
#include "timeline/store/class.h"

#include "analysis/profile/flat.h"

static enum hyb_view_class class_of_kernel(const struct hyb_gregion *region)
{
	static const enum hyb_view_class classes[HYB_PARTS] = {
		[HYB_PART_OWN] = HYB_VIEW_KERNEL,
		[HYB_PART_SYSCALL] = HYB_VIEW_KERNEL,
		[HYB_PART_FAULT] = HYB_VIEW_FAULT,
		[HYB_PART_INTERRUPT] = HYB_VIEW_INTERRUPT,
		[HYB_PART_VOLUNTARY] = HYB_VIEW_WAITING,
		[HYB_PART_INVOLUNTARY] = HYB_VIEW_PREEMPTED,
		[HYB_PART_UNKNOWN] = HYB_VIEW_UNKNOWN,
	};

	return classes[hyb_flat_part_of(region)];
}

static enum hyb_view_class class_of_mpi(const struct hyb_gregion *region)
{
	switch (region->role) {
	case HYB_ROLE_P2P:
		return HYB_VIEW_P2P;
	case HYB_ROLE_BARRIER:
	case HYB_ROLE_ONE2ALL:
	case HYB_ROLE_ALL2ONE:
	case HYB_ROLE_ALL2ALL:
	case HYB_ROLE_COLL_OTHER:
		return HYB_VIEW_COLLECTIVE;
	case HYB_ROLE_RMA:
		return HYB_VIEW_RMA;
	case HYB_ROLE_FILE_IO:
	case HYB_ROLE_FILE_META:
		return HYB_VIEW_FILE;
	default:
		return HYB_VIEW_MPI;
	}
}

enum hyb_view_class hyb_view_class_of(const struct hyb_merge *m, const struct hyb_gregion *region)
{
	if (region == m->loss)
		return HYB_VIEW_UNKNOWN;
	if (region->kernel == HYB_REGION_TASK)
		return region->kind == HYB_REGION_IDLE ? HYB_VIEW_NONE : HYB_VIEW_TASK;
	if (region->kernel == HYB_REGION_EVENT)
		return class_of_kernel(region);
	if (region->paradigm == HYB_PARADIGM_MPI)
		return class_of_mpi(region);
	if (region->paradigm != HYB_PARADIGM_OPENMP)
		return HYB_VIEW_PROGRAM;
	switch (region->role) {
	case HYB_ROLE_BARRIER:
	case HYB_ROLE_IMPLICIT_BARRIER:
	case HYB_ROLE_TASK_WAIT:
	case HYB_ROLE_LOCK:
		return HYB_VIEW_OMP_WAIT;
	default:
		return HYB_VIEW_OMP;
	}
}
