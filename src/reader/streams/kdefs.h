/* SPDX-License-Identifier: BSD-3-Clause */
/* What the numbers in kernel streams mean: the definitions that a collector wrote, as sorted tables. */
#ifndef HYB_READER_STREAMS_KDEFS_H
#define HYB_READER_STREAMS_KDEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "format/format.h"
#include "reader/streams/diag.h"
#include "reader/streams/file.h"

struct hyb_ktask {
	uint32_t number; /* in records */
	uint64_t start;	 /* from when on it means this one, ns */
	uint32_t tid;	 /* in the writer's pid namespace, 0: not there */
	uint32_t tgid;	 /* 0: not known */
	uint32_t kind;	 /* enum hyb_task_kind */
	char name[sizeof(((struct hyb_def_task *)0)->name) + 1];
};

struct hyb_kname {
	uint64_t id; /* kind << 32 | number */
	char *name;
};

struct hyb_kstack {
	uint64_t id;
	size_t first; /* in addresses */
	struct hyb_def_stack def;
};

struct hyb_ksymbol {
	uint64_t address;
	uint32_t size;
	char *name;
};

struct hyb_kmapping {
	uint32_t tgid;
	struct hyb_def_mapping def;
	char *path;
};

struct hyb_kmetric {
	uint64_t id;
	struct hyb_def_metric def;
	char *name;
	char *unit;
};

struct hyb_kdefs {
	struct hyb_ktask *tasks; /* by number, start */
	size_t task_count;
	struct hyb_kname *names; /* by id */
	size_t name_count;
	struct hyb_kstack *stacks; /* by id */
	size_t stack_count;
	uint64_t *addresses;
	size_t address_count;
	struct hyb_ksymbol *symbols; /* by address */
	size_t symbol_count;
	struct hyb_kmapping *mappings; /* by tgid, start */
	size_t mapping_count;
	struct hyb_kmetric *metrics; /* of samples */
	size_t metric_count;
	uint64_t corrupt; /* definitions that made no sense and were left out */

	size_t task_room; /* what follows is the library's */
	size_t name_room;
	size_t stack_room;
	size_t address_room;
	size_t symbol_room;
	size_t mapping_room;
	size_t metric_room;
};

/* Reads them all. 0 or -errno as hyb_reader_open; free them with hyb_kdefs_free in either case. */
int hyb_kdefs_read(const char *path, uid_t owner, const struct hyb_diag *diag, struct hyb_kdefs *defs);
/* Harmless on zeroed ones. */
void hyb_kdefs_free(struct hyb_kdefs *defs);

/* The definitions of a task's number: the first of *count ones by start; NULL: none. */
const struct hyb_ktask *hyb_kdefs_tasks(const struct hyb_kdefs *defs, uint32_t number, size_t *count);
/* What a task's number means at a time, the first definition also before its own; NULL: nothing. */
const struct hyb_ktask *hyb_kdefs_task(const struct hyb_kdefs *defs, uint32_t number, uint64_t time);
/* The name of a system call, interrupt, ..., or NULL. */
const char *hyb_kdefs_name(const struct hyb_kdefs *defs, enum hyb_kernel_names kind, uint32_t number);
/* An address in a program's call chain. */
struct hyb_kplace {
	uint64_t address;
	const struct hyb_kmapping *mapping; /* that it lies in */
	bool behind; /* a call, or a system call: that is meant; else it is the instruction itself */
	bool generated; /* it is in no file */
};

/* One of a call chain, the innermost first. */
struct hyb_kstack_frame {
	bool kernel;
	const char *symbol; /* of the kernel's, NULL: not known */
	struct hyb_kplace place; /* of the program's; of the kernel's the address alone */
	bool cut; /* the chain ends here, where it cannot be followed: there is nothing else of the frame */
};

/* The program's part of a chain as it was unwound, instead of what the kernel found; the innermost first. */
struct hyb_kunwound {
	const uint64_t *addresses;
	const bool *exact; /* the instruction itself, not what follows a call */
	uint32_t count;
	bool cut; /* it goes on */
};

typedef void (*hyb_kstack_visit)(void *arg, const struct hyb_kstack_frame *frame);

/*
 * Visits those of a chain, with the program as it was mapped at `time`. What is not in any mapping is the last one:
 * who called that was found by chance. 0, or -ENOENT: it is not defined.
 */
int hyb_kdefs_walk(const struct hyb_kdefs *defs, uint64_t id, uint64_t time, hyb_kstack_visit visit, void *arg);
/* The same with the program's part as it was unwound; NULL: there is none of that. */
int hyb_kdefs_walk_unwound(const struct hyb_kdefs *defs, uint64_t id, uint64_t time, const struct hyb_kunwound *unwound,
			   hyb_kstack_visit visit, void *arg);
/* Whose program a chain is of, 0: not known. */
uint32_t hyb_kdefs_stack_tgid(const struct hyb_kdefs *defs, uint64_t id);

/* Says what a place is called. False: it is not known, and nothing was written. */
typedef bool (*hyb_kplace_name)(void *arg, const struct hyb_kplace *place, FILE *to);

/*
 * A call chain for people, the innermost first: "tcp_sendmsg < sock_write_iter < ... | libc.so.6+0x1234 < ...": what is
 * behind the bar is the program's, as it was mapped at `time`: by `name`, where that is given and knows it, else the
 * file and the place in it; [generated code], which is in no file; [unknown], where nothing was mapped as far as that
 * is known: there it ends, since who called that was found by chance. 0, or -ENOENT: it is not defined.
 */
int hyb_kdefs_stack(const struct hyb_kdefs *defs, uint64_t id, uint64_t time, hyb_kplace_name name, void *arg, FILE *to);

#endif
