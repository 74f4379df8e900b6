/* SPDX-License-Identifier: BSD-3-Clause */
/* What has to be prepared for the programs of a command line to be recorded, and what cannot be had of them. */
#ifndef HYB_TOOLS_RUN_PREPARE_H
#define HYB_TOOLS_RUN_PREPARE_H

#include "tools/run/launch.h"

struct hyb_plan {
	char *const *argv;
	struct hyb_launch launch;
	const char *library;	/* path of libhybmon.so */
	bool preload;		/* false: nothing can be preloaded, and that was said */
	bool warned;		/* of something else for which nothing may be recorded */
	bool mpi;		/* some program is linked with MPI */
	bool openmp;		/* or with an OpenMP runtime */
	bool asan;		/* or with AddressSanitizer's library, or it may start one that is */
	bool unknown;		/* what else it starts or loads cannot be known */
};

/* Fills in the rest from argv and library, and says what cannot be recorded and what to do. */
void hyb_prepare(struct hyb_plan *plan);

/* Path of libhybmon.so.1 of this installation or build, or NULL. To be freed. */
char *hyb_prepare_library(void);
/* Path of the adapter for an MPI ("openmpi", "mpich") that belongs to this library. To be freed. */
char *hyb_prepare_adapter(const char *library, const char *abi);
/* Path of the collector of kernel events that belongs to it. To be freed. */
char *hyb_prepare_collector(const char *library);

#endif
