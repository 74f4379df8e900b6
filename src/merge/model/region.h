/* SPDX-License-Identifier: BSD-3-Clause */
/* The regions of all processes: one for each (name, paradigm, role, operation). */
#ifndef HYB_MERGE_MODEL_REGION_H
#define HYB_MERGE_MODEL_REGION_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "reader/containers/table.h"
#include "reader/symbols/source.h"
#include "reader/streams/defs.h"
#include "reader/streams/label.h"

#define HYB_REGION_UNUSED UINT32_MAX

/* What of the kernel's a region is. */
enum hyb_region_kernel {
	HYB_REGION_NO_KERNEL = 0,
	HYB_REGION_EVENT, /* what it does */
	HYB_REGION_TASK,  /* what runs on a CPU */
};

/* What code has to tell of a region beyond its role, so that nobody compares names; most are HYB_REGION_ANY. */
enum hyb_region_kind {
	HYB_REGION_ANY = 0,
	/* HYB_REGION_EVENT */
	HYB_REGION_OFF_VOLUNTARY, /* the thread has no CPU: it waits */
	HYB_REGION_OFF_INVOLUNTARY, /* it could go on */
	HYB_REGION_SYSCALL,
	HYB_REGION_FAULT,
	HYB_REGION_IRQ,
	HYB_REGION_SOFTIRQ,
	/* HYB_REGION_TASK */
	HYB_REGION_IDLE, /* the CPU has nothing to do */
	HYB_REGION_TASK_HYBMON, /* hybmon's own */
	HYB_REGION_TASK_UNKNOWN,
	/* MPI */
	HYB_REGION_COMPLETION, /* MPI_Wait*, MPI_Test* */
	HYB_REGION_PROBE,
	HYB_REGION_RECEIVE, /* MPI_Recv, MPI_Irecv, MPI_Sendrecv and their variants, but no persistent ones */
	HYB_REGION_INIT, /* MPI_Init, MPI_Init_thread */
	HYB_REGION_FINALIZE,
	HYB_REGION_OF_COMMS, /* MPI_Comm_*, MPI_Intercomm_* */
	HYB_REGION_OF_WINDOWS, /* MPI_Win_* */
	/* OpenMP */
	HYB_REGION_TASKGROUP,
	HYB_REGION_TARGET, /* and what is done on a device */
	HYB_REGION_WAIT,   /* the wait within a barrier, taskwait and so on */
};

struct hyb_gregion {
	char *name;
	char *plain; /* what it is, without where; the same as name where that says no more */
	char *file;  /* NULL: not known */
	uint32_t line;
	char *symbol; /* of a function that the compiler told of: as the linker has it, "" if that is not known; else NULL */
	enum hyb_role role;
	enum hyb_paradigm paradigm;
	enum hyb_coll coll;
	enum hyb_region_kernel kernel;
	enum hyb_region_kind kind;
	bool hidden;   /* not to be shown */
	bool used;     /* some thread entered it; set without a lock, by whoever sees it first */
	uint32_t id; /* its number, HYB_REGION_UNUSED: not written so far */
};

struct hyb_regions {
	struct hyb_table table; /* of pointers, which stay */
	pthread_mutex_t lock;
	uint32_t next; /* its number */
};

void hyb_regions_init(struct hyb_regions *r);
void hyb_regions_free(struct hyb_regions *r);
/* The region with these properties, made if need be; NULL without memory. Thread-safe. */
struct hyb_gregion *hyb_regions_get(struct hyb_regions *r, const char *name, enum hyb_role role,
				    enum hyb_paradigm paradigm, enum hyb_coll coll);
/* The same for one of many called `plain`; name says where it is, too. */
struct hyb_gregion *hyb_regions_get_at(struct hyb_regions *r, const char *name, const char *plain,
				       const struct hyb_place *place, enum hyb_role role,
				       enum hyb_paradigm paradigm);
/* The same for one of the kernel's. */
struct hyb_gregion *hyb_regions_get_kernel(struct hyb_regions *r, const char *name, enum hyb_region_kernel kernel,
					   enum hyb_region_kind kind, enum hyb_paradigm paradigm);
/* The region of an event that begins with such a record (hyb_label_event); name: of its number, or NULL. */
struct hyb_gregion *hyb_regions_get_event(struct hyb_regions *r, enum hyb_kernel_what what, uint32_t number, const char *name);
/*
 * That of one that a process defined, named after where it is, if that is known. NULL without memory. Thread-safe.
 */
struct hyb_gregion *hyb_regions_define(struct hyb_regions *r, struct hyb_sources *sources, const struct hyb_defs *defs,
				       const struct hyb_region *def);
/* OpenMP's waits within barriers, taskwaits and so on, which are regions, too. */
void hyb_regions_hide_waits(struct hyb_regions *r);
/* Gives all used regions that have none their ids, in the order in which they were defined. */
void hyb_regions_number(struct hyb_regions *r);
/*
 * And those that are in use by now, by name: several threads found them, in any order. 0 or -ENOMEM.
 */
int hyb_regions_number_more(struct hyb_regions *r);
/* The id of a region that is used for the first time after that. Thread-safe. */
uint32_t hyb_regions_late(struct hyb_regions *r, struct hyb_gregion *region);

/* Its id, once they have any: sinks find it in the region, since the merge asks for it before it tells an event. */
static inline uint32_t hyb_regions_id(struct hyb_regions *r, struct hyb_gregion *region)
{
	uint32_t id = __atomic_load_n(&region->id, __ATOMIC_RELAXED);

	return __builtin_expect(id != HYB_REGION_UNUSED, 1) ? id : hyb_regions_late(r, region);
}

static inline struct hyb_gregion *hyb_regions_at(const struct hyb_regions *r, uint32_t i)
{
	return *(struct hyb_gregion **)hyb_table_at(&r->table, i);
}

#endif
