/* SPDX-License-Identifier: BSD-3-Clause */
/* Words for what records have numbers for; see word.h. */
#include "reader/streams/word.h"

#include <stddef.h>

const char *hyb_coll_word(enum hyb_coll op)
{
	static const char *const words[] = {
		[HYB_COLL_BARRIER] = "barrier",
		[HYB_COLL_BCAST] = "bcast",
		[HYB_COLL_GATHER] = "gather",
		[HYB_COLL_GATHERV] = "gatherv",
		[HYB_COLL_SCATTER] = "scatter",
		[HYB_COLL_SCATTERV] = "scatterv",
		[HYB_COLL_ALLGATHER] = "allgather",
		[HYB_COLL_ALLGATHERV] = "allgatherv",
		[HYB_COLL_ALLTOALL] = "alltoall",
		[HYB_COLL_ALLTOALLV] = "alltoallv",
		[HYB_COLL_ALLTOALLW] = "alltoallw",
		[HYB_COLL_ALLREDUCE] = "allreduce",
		[HYB_COLL_REDUCE] = "reduce",
		[HYB_COLL_REDUCE_SCATTER] = "reduce_scatter",
		[HYB_COLL_REDUCE_SCATTER_BLOCK] = "reduce_scatter_block",
		[HYB_COLL_SCAN] = "scan",
		[HYB_COLL_EXSCAN] = "exscan",
		[HYB_COLL_NEIGHBOR_ALLGATHER] = "neighbor_allgather",
		[HYB_COLL_NEIGHBOR_ALLGATHERV] = "neighbor_allgatherv",
		[HYB_COLL_NEIGHBOR_ALLTOALL] = "neighbor_alltoall",
		[HYB_COLL_NEIGHBOR_ALLTOALLV] = "neighbor_alltoallv",
		[HYB_COLL_NEIGHBOR_ALLTOALLW] = "neighbor_alltoallw",
		[HYB_COLL_CREATE_HANDLE] = "create_handle",
		[HYB_COLL_DESTROY_HANDLE] = "destroy_handle",
		[HYB_COLL_FINALIZE] = "finalize",
	};

	return (size_t)op < sizeof(words) / sizeof(words[0]) ? words[op] : NULL;
}

const char *hyb_metric_type_word(enum hyb_metric_type type)
{
	static const char *const words[] = {
		[HYB_METRIC_UINT64] = "uint64",
		[HYB_METRIC_INT64] = "int64",
		[HYB_METRIC_DOUBLE] = "double",
	};

	return (size_t)type < sizeof(words) / sizeof(words[0]) ? words[type] : "unknown";
}

const char *hyb_metric_mode_word(enum hyb_metric_mode mode)
{
	static const char *const words[] = {
		[HYB_METRIC_ACCUMULATED] = "accumulated",
		[HYB_METRIC_ABSOLUTE] = "absolute",
		[HYB_METRIC_POINT] = "point",
	};

	return (size_t)mode < sizeof(words) / sizeof(words[0]) ? words[mode] : "unknown";
}
