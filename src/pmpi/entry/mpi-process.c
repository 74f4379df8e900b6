/* SPDX-License-Identifier: BSD-3-Clause */
/* What MPI says of the process; see mpi-process.h. */
#include "pmpi/entry/mpi-process.h"

#include <errno.h>
#include <string.h>

#include "core/config/config.h"
#include "core/sys/text.h"
#include "core/process/process.h"
#include "core/record/definitions.h"
#include "core/record/manifest.h"

static int begun;	/* MPI_Init came to us, once at least */
static int finalized;	/* and so did MPI_Finalize */

static void note(const char *key, const char *text)
{
	hyb_process_note(key, text, strlen(text));
}

void hyb_mpi_process_adapter(const char *abi)
{
	note("adapter", abi);
	if (hyb_config.order != HYB_ORDER_WISH_NO && !*hyb_config.replay) {
		note("order", hyb_config.order == HYB_ORDER_WISH_ONLY ? "only" : "yes");
		note("order-openmp", "yes"); /* locks and chunks of OpenMP's, which older versions did not look at */
		note("order-calls", "2"); /* which calls are looked at: older versions took others */
	}
	if (hyb_config.order != HYB_ORDER_WISH_NO && hyb_config.order_time) {
		note("order-time", "yes");
		note("order-clocks", "yes"); /* and those that are not MPI's, which older versions did not look at */
	}
	if (*hyb_config.replay)
		note("replay", hyb_config.replay);
}

void hyb_mpi_process_beyond(const char *function)
{
	int saved = errno;

	if (hyb_config.order != HYB_ORDER_WISH_NO)
		note("order-beyond", function);
	errno = saved;
}

void hyb_mpi_process_ranked(int rank, int size, const char *thread_level, int version, int subversion,
			    const char *library)
{
	int saved = errno;
	char text[32];

	if (!hyb_process_is_recording())
		return;
	__atomic_store_n(&begun, 1, __ATOMIC_RELAXED);
	hyb_process_tell_later(HYB_TELL_ON_CALL);
	hyb_process_set_rank(rank);
	hyb_manifest_set("ranks", "%d", size);
	note("thread-level", thread_level);
	hyb_text_format(text, sizeof(text), "%d.%d", version, subversion);
	note("mpi-standard", text);
	/* MPICH goes on with all its configure options. */
	hyb_process_note("mpi", library, strcspn(library, "\n"));
	hyb_def_clock();
	errno = saved;
}

void hyb_mpi_process_resumed(void)
{
	if (!hyb_process_is_recording() || !__atomic_load_n(&finalized, __ATOMIC_RELAXED))
		return;
	hyb_manifest_set("finalized", "no");
	hyb_manifest_set("state", "running");
}

void hyb_mpi_process_finalized(void)
{
	int saved = errno;

	if (!hyb_process_is_recording())
		return;
	hyb_manifest_set("finalized", "yes");
	hyb_manifest_set("state", "finalized");
	hyb_def_clock();
	__atomic_store_n(&finalized, 1, __ATOMIC_RELAXED);
	hyb_process_tell();
	errno = saved;
}

bool hyb_mpi_process_is_open(void)
{
	return __atomic_load_n(&begun, __ATOMIC_RELAXED) && !__atomic_load_n(&finalized, __ATOMIC_RELAXED);
}

void hyb_mpi_process_aborting(int errorcode)
{
	hyb_process_note_end("MPI_Abort", errorcode);
}
