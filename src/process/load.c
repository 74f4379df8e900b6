/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's constructor; see init.h. It costs every process of the job three system calls. */
#include "process/load.h"

#include <limits.h>
#include <string.h>

#include "base/log.h"
#include "base/sys.h"
#include "ompt/gomp.h"
#include "process/exits.h"

const char hyb_version[] = PACKAGE_VERSION;

static char directory[PATH_MAX] = "/";

const char *hyb_init_directory(void)
{
	return directory;
}

void hyb_init_start(void)
{
	static int started;

	if (__atomic_exchange_n(&started, 1, __ATOMIC_RELAXED))
		return;
	hyb_log_start();
	/* A directory that was deleted reads as "(unreachable)..." and is no place to write to. */
	if (HYB_SYS(getcwd, directory, sizeof(directory), 0, 0, 0, 0) < 0 || directory[0] != '/')
		memcpy(directory, "/", 2);
	hyb_exits_start();
	hyb_gomp_start();
}

__attribute__((constructor)) static void load(void)
{
	hyb_init_start();
	if (hyb_init_mpi)
		hyb_init_mpi();
}
