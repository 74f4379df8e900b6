/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of the process's objects that are defined (objects.h), for who looks something up in it, and the search for
 * the one that lies at an address.
 */
#ifndef HYB_CORE_RECORD_OBJECT_LIST_H
#define HYB_CORE_RECORD_OBJECT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sys/compiler.h"
#include "core/unwind/unwind.h"

struct hyb_object {
	struct hyb_object *next;
	uint32_t turn;		/* up to which it is known to be there */
	uint64_t base;
	uint64_t begin;		/* of what is mapped of it */
	uint64_t end;
	uint32_t id;
	uint32_t kind;		/* id of the first that was the same one: it may be unloaded and loaded again */
	uint64_t build;		/* of the build id's bytes; 0: it has none */
	uint64_t since;		/* raw counter: the last time before that a library was unloaded */
	char *path;
	struct hyb_unwind_tables tables;
};

struct hyb_object_search {
	uint64_t address;
	struct hyb_object found;
	const char *path;	/* as the dynamic linker has it */
	unsigned char build[64];
	uint32_t build_length;
};

/* Those defined, the newest first; none is taken off. Added to under the lock of objects.c. */
extern struct hyb_object *hyb_objects;

/* Changes whenever a library was unloaded: what was known of objects before may be of another one now. */
extern HYB_EXPORT uint32_t hyb_objects_turn;

/* Finds the object at search->address, and its path. False: there is none. On a stack of ours: it takes room. */
bool hyb_object_search(struct hyb_object_search *search, char *path, size_t size);
/* The one in the list that an address lies in; NULL: there is none, or it may have been unloaded since. */
const struct hyb_object *hyb_object_known(uint64_t address);
/*
 * hyb_object_kind (objects.h) of an address at the time of a raw counter, but 0 if that is the first library that lay
 * there. Takes no lock.
 */
uint32_t hyb_object_at(uint64_t address, uint64_t time);

#endif
