/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An MPI that was used without a single call coming here, or without its end: a plugin that was loaded with
 * RTLD_DEEPBIND finds the MPI among its own libraries first, some programs look its functions up in its own library, and
 * others call PMPI themselves. What is not recorded then is said when the program exits: the MPI is asked how it stands.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/library.h"
#include "core/sys/log.h"
#include "core/sys/text.h"
#include "core/job/job.h"
#include "pmpi/entry/dispatch.h"
#include "pmpi/entry/mpi-process.h"
#include "pmpi/entry/symbols.h"

struct asked {
	int (*initialized)(int *flag);
	int (*finalized)(int *flag);
	char path[PATH_MAX];
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
	asked->finalized = (int (*)(int *))hyb_symbols_in(object, "PMPI_Finalized");
	hyb_text_format(asked->path, sizeof(asked->path), "%s", object->dlpi_name);
	return 1;
}

/* Where calls go to another library that comes before this one, that was said at the start or is a tool's affair. */
static bool was_called(void)
{
	const void *first = dlsym(RTLD_DEFAULT, "MPI_Init");

	return __atomic_load_n(&hyb_mpi_called, __ATOMIC_RELAXED) || (first && !hyb_library_has(first));
}

static bool answers_yes(int (*ask)(int *flag))
{
	int flag = 0;

	return ask && !ask(&flag) && flag;
}

static void look_at(const struct asked *asked)
{
	hyb_config_load();
	if (!hyb_config.enable || !hyb_config.mpi || hyb_job_rank() > 0)
		return;
	if (!was_called() && answers_yes(asked->initialized))
		hyb_log(HYB_LOG_WARNING, "MPI was used, but no call came to hybmon, so none is recorded: code that was loaded "
			"with RTLD_DEEPBIND, calls PMPI_* or looks functions up in the MPI's library calls %s directly",
			asked->path);
	else if (hyb_mpi_process_is_open() && answers_yes(asked->finalized))
		hyb_log(HYB_LOG_WARNING, "MPI_Finalize did not come to hybmon, and other calls may be missing, too: code that "
			"calls PMPI_* or looks functions up in the MPI's library calls %s directly, which is not recorded",
			asked->path);
}

__attribute__((destructor)) static void look_back(void)
{
	struct asked asked = { .initialized = NULL };
	int saved = errno;

	if (dl_iterate_phdr(visit_mpi, &asked))
		look_at(&asked);
	errno = saved;
}
