/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Pcontrol takes any arguments, which C cannot pass on: pcontrol.c records the call and says
 * where it goes, and it goes there with everything as it came. Part of the adapter.
 */
#include "core/sys/stub.h"

	.hidden	hyb_pcontrol_record
	.globl	hyb_wrap_MPI_Pcontrol
	.hidden	hyb_wrap_MPI_Pcontrol
	HYB_FUNCTION hyb_wrap_MPI_Pcontrol
	HYB_FIRST_ARGUMENT
	HYB_CALL_KEEPING_ARGUMENTS hyb_pcontrol_record
	HYB_JUMP_RESULT
	HYB_END	hyb_wrap_MPI_Pcontrol
	.section .note.GNU-stack, "", %progbits
