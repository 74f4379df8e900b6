/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Definitions: what the numbers in event records mean. They go into the process's DEFS stream at once,
 * under a lock; callers make them on slow paths only. All keep errno and are thread-safe; where there is
 * no space a definition is dropped and counted, and reading tools show the bare number.
 */
#ifndef HYB_CORE_RECORD_DEFINITIONS_H
#define HYB_CORE_RECORD_DEFINITIONS_H

#include <stdint.h>

#include "core/record/record.h"

/* Below: regions of MPI, by their function's number. As few as serve, since a CALL has room for numbers below 4096. */
#define HYB_REGION_DYNAMIC 1024

/* From here to 65535: of OpenMP's constructs without a place. What is above has records with more words. */
#define HYB_REGION_PLACELESS (HYB_ID_MASK + 1 - 64)

/* A new region's id below `end`, which is at most HYB_REGION_PLACELESS; 0: there are none left. */
uint32_t hyb_def_region_id(uint32_t end);
/* One above 65535. */
uint32_t hyb_def_region_wide_id(void);
/* Region `id` (below HYB_REGION_DYNAMIC: an MPI function's number) is called name. */
HYB_EXPORT void hyb_def_region(uint32_t id, enum hyb_role role, enum hyb_paradigm paradigm,
			       enum hyb_coll coll, const char *name);
/* A new communicator's id; never the same twice. 0 is the first. */
HYB_EXPORT uint32_t hyb_def_comm_id(void);
/* def is copied. */
HYB_EXPORT void hyb_def_comm(uint32_t id, const struct hyb_def_comm *def);
HYB_EXPORT void hyb_def_members(uint32_t id, int remote, uint32_t first, uint32_t count,
				const uint32_t *world_ranks);
/* What this MPI calls some sources and tags. */
HYB_EXPORT void hyb_def_mpi(int any_source, int any_tag, int proc_null);
/* What a communicator with another job's processes can be recognised by. def is copied. */
HYB_EXPORT void hyb_def_meeting(uint32_t id, const struct hyb_def_meeting *def);
/* A message of the library's own there and back. def is copied. */
HYB_EXPORT void hyb_def_sync(const struct hyb_def_sync *def);
/* The shape of a communicator. def->count elements of list, which may be any number; def->first is 0. */
HYB_EXPORT void hyb_def_topology(uint32_t id, const struct hyb_def_topology *def, const uint32_t *list);
HYB_EXPORT void hyb_def_comm_name(uint32_t id, const char *name);
/* A new window's id, as a communicator's. */
HYB_EXPORT uint32_t hyb_def_win_id(void);
HYB_EXPORT void hyb_def_win(uint32_t id, const struct hyb_def_win *def);
HYB_EXPORT void hyb_def_win_name(uint32_t id, const char *name);
/* A new group's id, and members first..first+count-1 of it. */
HYB_EXPORT uint32_t hyb_def_group_id(void);
HYB_EXPORT void hyb_def_group(uint32_t id, uint32_t first, uint32_t count,
			      const uint32_t *world_ranks);
/* A new file's id; never the same twice. */
HYB_EXPORT uint32_t hyb_def_file_id(void);
/* comm, mode: see struct hyb_def_file. */
HYB_EXPORT void hyb_def_file(uint32_t id, uint32_t comm, uint32_t mode, const char *name);
/* Where in the program region `id` is: the address of what comes after its call, in object `object`. */
void hyb_def_place(uint32_t id, uint64_t address, uint32_t object);
/* Where its source is, as the program says. */
void hyb_def_source(uint32_t id, const char *file, uint32_t line);
/* A new text's id, never 0, and what it is. */
uint32_t hyb_def_text_id(void);
void hyb_def_text(uint32_t id, const char *text, size_t length);
/* An object of the process: program or library; build may be of no length. */
void hyb_def_object(uint32_t id, uint64_t base, const char *path, const void *build, uint32_t build_length,
		    const struct hyb_def_extent *extent);
void hyb_def_team(uint32_t id, const struct hyb_def_team *def);
/* New metrics and sets of them, never 0; def's lengths are filled in. */
uint32_t hyb_def_metric_id(void);
uint32_t hyb_def_metric_set_id(void);
void hyb_def_metric(uint32_t id, const struct hyb_def_metric *def, const char *name, const char *unit,
		    const char *description);
void hyb_def_metric_set(uint32_t id, uint32_t count, const uint32_t *metrics);
/* Any definition: a fixed part, and a tail that is padded; sizes in bytes, the tail's at most HYB_DEF_TAIL. */
#define HYB_DEF_TAIL 4096
void hyb_def_record(enum hyb_record_type type, uint64_t id, const void *fixed, size_t fixed_size, const void *tail,
		    size_t tail_size);
/* Takes a clock tuple now; called at start, at the end, and about once a second between. */
HYB_EXPORT void hyb_def_clock(void);
/* A mark of a thread at a time when its stream could not take it. */
void hyb_def_mark(uint32_t stream, enum hyb_mark which, uint64_t now);

/* The process begins: makes the DEFS stream. 0 or -errno. */
int hyb_defs_start(void);
/* The process ends. */
void hyb_defs_end(void);
/* Definitions dropped for want of space. */
uint64_t hyb_defs_lost(void);

#endif
