/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An MPI that was used without a single call coming here: a plugin that was loaded with RTLD_DEEPBIND finds the MPI
 * among its own libraries first, and others call PMPI themselves. Nothing is recorded then, so it is said when the
 * program exits: the MPI is asked whether it was initialized.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/config.h"
#include "base/log.h"
#include "base/sys.h"
#include "job/job.h"
#include "pmpi/entry/dispatch.h"
#include "pmpi/entry/symbols.h"
#include "pmpi/table/functions.h"

struct asked {
	int (*initialized)(int *flag);
	const char *path;
};

static int visit_mpi(struct dl_phdr_info *object, size_t size, void *data)
{
	struct asked *asked = data;
	void *symbol;

	(void)size;
	if (!object->dlpi_name || !strstr(object->dlpi_name, "mpi"))
		return 0;
	symbol = hyb_symbols_in(object, "PMPI_Initialized");
	if (!symbol)
		return 0;
	asked->initialized = (int (*)(int *))symbol;
	asked->path = object->dlpi_name;
	return 1;
}

struct entries {
	uintptr_t first;	/* what a call of MPI_Init means */
	bool called;
};

/*
 * In our own object: each entry leads into our own code until its function is called for the first time. Where calls go
 * to another library that comes before this one, that was said at the start or is a tool's affair.
 */
static int visit_ours(struct dl_phdr_info *object, size_t size, void *data)
{
	struct entries *entries = data;

	(void)size;
	if (!hyb_symbols_object_has(object, (uintptr_t)&visit_ours))
		return 0;
	entries->called = !hyb_symbols_object_has(object, entries->first);
	for (unsigned int i = 0; i < HYB_MPI_ENTRIES && !entries->called; i++) {
		uintptr_t entry = (uintptr_t)__atomic_load_n(&hyb_mpi_entry[i], __ATOMIC_RELAXED);

		entries->called = entry && !hyb_symbols_object_has(object, entry);
	}
	return 1;
}

static bool was_called(void)
{
	struct entries entries = { .first = (uintptr_t)dlsym(RTLD_DEFAULT, "MPI_Init") };

	return !dl_iterate_phdr(visit_ours, &entries) || entries.called;
}

__attribute__((destructor)) static void look_back(void)
{
	struct asked asked = { .path = NULL };
	int saved = errno;
	int flag = 0;

	if (dl_iterate_phdr(visit_mpi, &asked) && !was_called()) {
		hyb_config_load();
		if (hyb_config.enable && hyb_config.mpi && !asked.initialized(&flag) && flag && hyb_job_rank() <= 0)
			hyb_log(HYB_LOG_WARNING, "MPI was used, but no call came to hybmon, so none is recorded: what "
				"was loaded with RTLD_DEEPBIND, or calls PMPI itself, goes straight to %s", asked.path);
	}
	errno = saved;
}
