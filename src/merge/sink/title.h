/* SPDX-License-Identifier: BSD-3-Clause */
/* For sinks that write names (see also field.h): what to call who and what the model numbers. */
#ifndef HYB_MERGE_SINK_TITLE_H
#define HYB_MERGE_SINK_TITLE_H

#include "merge/sink/field.h"
#include "merge/model/model.h"

#define HYB_TITLE_SIZE 64

/*
 * "MPI Rank 3 (solver)", and on which node if there are several; not by a path, of which viewers show the end. To be
 * freed; NULL if memory is short.
 */
char *hyb_title_process(const struct hyb_model *m, const struct hyb_model_process *p);
/* "Master thread", "OMP thread 3" or "Thread 3". */
void hyb_title_thread(const struct hyb_model *m, uint64_t location, char text[HYB_TITLE_SIZE]);
/*
 * For viewers that know processes and threads by their numbers alone: Linux's as far as no two are the same, otherwise
 * from 4194304 on, which Linux does not give out. Of all processes, then of all threads by the index of their track; of
 * a process's first thread it is the process's. To be freed; NULL if memory is short.
 */
int32_t *hyb_title_pids(const struct hyb_model *m);
/* The name that the program gave it, or MPI's; NULL if it has none. */
const char *hyb_title_comm(const struct hyb_gcomm *g);
/*
 * Tells once what every number stands for that events have and that has a name: regions, and what fields of the types
 * from HYB_FIELD_NAMED on say.
 */
void hyb_title_all(const struct hyb_model *m,
		   void (*tell)(void *to, enum hyb_field_type type, uint32_t id, const char *name), void *to);

#endif
