/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One identity for each file of the job and for each handle to it. All members of a communicator open
 * a file together, so that the n-th opening of a name on a communicator is the same handle in all.
 */
#ifndef HYB_MERGE_MODEL_FILE_H
#define HYB_MERGE_MODEL_FILE_H

#include "merge/model/comm.h"
#include "merge/model/name.h"
#include "reader/containers/table.h"
#include "reader/streams/defs.h"

#define HYB_HANDLE_NONE UINT32_MAX

struct hyb_gfile {
	uint32_t name; /* string of the model */
};

struct hyb_ghandle {
	uint32_t file;
	uint32_t comm; /* index in struct hyb_comms, HYB_COMM_NONE: not known */
	uint32_t nth;
};

struct hyb_files {
	struct hyb_table files;	  /* struct hyb_gfile; the index is the its number */
	struct hyb_table handles; /* struct hyb_ghandle; the same */
	struct hyb_table seen;	  /* while a process is added: how often it opened what */
};

/* What the files of one process are, by place in its definitions. */
struct hyb_file_map {
	struct hyb_file_id {
		uint32_t file;
		uint32_t handle; /* HYB_HANDLE_NONE: it was only named */
	} *ids;
	size_t count;
};

void hyb_files_init(struct hyb_files *f);
void hyb_files_free(struct hyb_files *f);
/* Adds what a process says of its files. comms may lack some of them. 0 or -ENOMEM. */
int hyb_files_add(struct hyb_files *f, const struct hyb_defs *defs, const struct hyb_comms *comms,
		  struct hyb_names *names, struct hyb_file_map *map);

static inline struct hyb_gfile *hyb_files_at(const struct hyb_files *f, uint32_t i)
{
	return hyb_table_at(&f->files, i);
}

static inline struct hyb_ghandle *hyb_files_handle(const struct hyb_files *f, uint32_t i)
{
	return hyb_table_at(&f->handles, i);
}

#endif
