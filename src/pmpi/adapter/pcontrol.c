/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Pcontrol: its Enter and Leave, both before it runs; see pcontrol-entry.S. Level 0 switches recording off
 * and 1 on. Others are for tools that know more of them, and change nothing here. The call itself is recorded
 * where recording is on before it or after it.
 */
#include <mpi.h>

#include "pmpi/entry/dispatch.h"
#include "pmpi/table/functions.h"
#include "core/process/process.h"
#include "core/record/standing.h"

void *hyb_pcontrol_record(int level, const void *site);
void hyb_wrap_MPI_Pcontrol_f77(const void *f_level, void *ierror);
void hyb_wrap_MPI_Pcontrol_f08(const void *f_level, void *ierror);

static void record(int level, const void *site)
{
	struct hyb_frame frame;
	uint64_t *p;

	if (level == 1)
		hyb_process_control(true);
	p = hyb_is_off(1u << HYB_GROUP_ENV) ? NULL : hyb_enter_from(&frame, HYB_F_MPI_Pcontrol, site);
	if (p) {
		hyb_stand_untold(p);
		hyb_publish(p);
		hyb_end(&frame, hyb_leave(&frame, HYB_F_MPI_Pcontrol));
	}
	if (level == 0)
		hyb_process_control(false);
}

/* Returns where the call goes on. site: where the program called. */
void *hyb_pcontrol_record(int level, const void *site)
{
	record(level, site);
	return HYB_NEXT(HYB_F_MPI_Pcontrol);
}

/*
 * Fortran's has the level alone; that of MPICH's mpi_f08 has an ierror as well. So what stands in its place is passed
 * on, whatever it is. Some call C's, which is not recorded once more: it is inside of a call.
 */
static void from_fortran(int entry, const void *f_level, void *ierror, const void *site)
{
	struct hyb_frame frame;
	struct hyb_thread *t = &hyb_self;
	bool outermost;

	record(*(const MPI_Fint *)f_level, site);
	outermost = !t->frame;
	if (outermost) {
		t->region = HYB_F_MPI_Pcontrol;
		t->frame = &frame;
	}
	((void (*)(const void *, void *))HYB_NEXT(entry))(f_level, ierror);
	if (outermost)
		t->frame = NULL;
}

void hyb_wrap_MPI_Pcontrol_f77(const void *f_level, void *ierror)
{
	from_fortran(HYB_E_MPI_Pcontrol_f77, f_level, ierror, __builtin_return_address(0));
}

void hyb_wrap_MPI_Pcontrol_f08(const void *f_level, void *ierror)
{
	from_fortran(HYB_E_MPI_Pcontrol_f08, f_level, ierror, __builtin_return_address(0));
}
