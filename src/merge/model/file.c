/* SPDX-License-Identifier: BSD-3-Clause */
/* Files and handles of the whole job; see file.h. */
#include "merge/model/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct opening {
	struct hyb_ghandle what; /* nth: 0 */
	uint32_t count;
};

static bool same_file(const void *entry, const void *key)
{
	return !memcmp(entry, key, sizeof(struct hyb_gfile));
}

/* An opening begins with its handle. */
static bool same_handle(const void *entry, const void *key)
{
	return !memcmp(entry, key, sizeof(struct hyb_ghandle));
}

void hyb_files_init(struct hyb_files *f)
{
	hyb_table_init(&f->files, sizeof(struct hyb_gfile), same_file);
	hyb_table_init(&f->handles, sizeof(struct hyb_ghandle), same_handle);
	hyb_table_init(&f->seen, sizeof(struct opening), same_handle);
}

void hyb_files_free(struct hyb_files *f)
{
	hyb_table_free(&f->files);
	hyb_table_free(&f->handles);
	hyb_table_free(&f->seen);
}

/* The entry that begins with those bytes, made if there is none; NULL without memory. */
static void *get(struct hyb_table *t, const void *key, size_t size)
{
	uint64_t hash = hyb_hash_bytes(key, size);
	void *entry = hyb_table_find(t, hash, key);

	if (entry)
		return entry;
	entry = hyb_table_add(t, hash);
	if (entry)
		memcpy(entry, key, size);
	return entry;
}

static uint32_t index_in(const struct hyb_table *t, const void *entry)
{
	return (uint32_t)((size_t)((const char *)entry - t->entries) / t->entry_size);
}

static uint32_t comm_of(const struct hyb_file *file, const struct hyb_defs *defs,
			const struct hyb_comms *comms)
{
	const struct hyb_comm *comm = hyb_defs_comm(defs, file->comm);

	if (file->comm == HYB_IO_NO_COMM || !comm || !comm->defined)
		return HYB_COMM_NONE;
	return hyb_comms_find(comms, &comm->def);
}

static int add_handle(struct hyb_files *f, struct hyb_ghandle key, uint32_t *handle)
{
	struct opening *seen = get(&f->seen, &key, sizeof(key));
	const struct hyb_ghandle *h;

	if (!seen)
		return -ENOMEM;
	key.nth = seen->count++;
	h = get(&f->handles, &key, sizeof(key));
	if (!h)
		return -ENOMEM;
	*handle = index_in(&f->handles, h);
	return 0;
}

int hyb_files_add(struct hyb_files *f, const struct hyb_defs *defs, const struct hyb_comms *comms,
		  struct hyb_names *names, struct hyb_file_map *map)
{
	const struct hyb_file *file;
	const struct hyb_gfile *g;
	struct hyb_ghandle handle;
	struct hyb_gfile key;
	size_t i;

	if (!defs->file_count)
		return 0;
	map->ids = calloc(defs->file_count, sizeof(*map->ids));
	if (!map->ids)
		return -ENOMEM;
	hyb_table_clear(&f->seen);
	for (i = 0; i < defs->file_count; i++) {
		file = &defs->files[i];
		key.name = hyb_names_add(names, file->name[0] ? file->name : "unknown file");
		g = key.name == HYB_NAME_NONE ? NULL : get(&f->files, &key, sizeof(key));
		if (!g)
			return -ENOMEM;
		map->ids[i].file = index_in(&f->files, g);
		map->ids[i].handle = HYB_HANDLE_NONE;
		handle = (struct hyb_ghandle){ .file = map->ids[i].file,
					       .comm = comm_of(file, defs, comms) };
		if (file->mode && add_handle(f, handle, &map->ids[i].handle))
			return -ENOMEM;
		map->count = i + 1;
	}
	return 0;
}
