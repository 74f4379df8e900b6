/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The definitions of one process as tables: what the numbers in its event records mean. They can be
 * read again while the process runs; entries keep their place in the tables, but the tables may
 * move.
 */
#ifndef HYB_READER_STREAMS_DEFS_H
#define HYB_READER_STREAMS_DEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "reader/streams/diag.h"
#include "reader/streams/file.h"
#include "reader/streams/frame.h"
#include "reader/streams/metric.h"
#include "reader/streams/stream.h"
#include "reader/streams/told.h"
#include "reader/streams/topology.h"

struct hyb_region {
	uint64_t id;
	enum hyb_role role; /* values this version does not know are passed on as they are */
	enum hyb_paradigm paradigm;
	enum hyb_coll coll;
	const char *name; /* never NULL; unprintable bytes as they were */
	uint64_t address; /* in the program, behind the call it stands for; 0: not known */
	uint64_t object;  /* what that address lies in; 0: not known */
	const char *file; /* of its source, as the program says, NULL: it does not; may be empty */
	uint32_t line;	  /* 0: not said */
};

struct hyb_object { /* the program or a library */
	uint64_t id;
	uint64_t base;	  /* an address in memory less this is one in its file's symbols */
	uint64_t begin;	  /* of its memory; of older formats base, and as if all behind that were its own */
	uint64_t end;
	uint64_t since;	  /* raw counter: before it, something else was there; 0: nothing */
	const char *path; /* never NULL */
	unsigned char *build; /* its build id */
	uint32_t build_length;
};

struct hyb_team_member { /* of OpenMP's teams: see struct hyb_def_team */
	uint64_t team;
	struct hyb_def_team def;
};

struct hyb_comm {
	uint64_t id;
	bool defined;		 /* false: only its name or members were seen so far */
	struct hyb_def_comm def; /* zeroes until defined */
	const char *name;	 /* as set last: NULL if none was */
	uint32_t number; /* 0, 1, ... among this process's communicators, in order of definition */
	bool met;	       /* it leads to another job, and `meeting` is set */
	struct hyb_def_meeting meeting;
	uint32_t *members;     /* world ranks of members 0..member_count-1, NULL if none */
	uint32_t member_count; /* less than def.size: the definition was cut short */
	struct hyb_topology topology; /* its own; see struct hyb_def_topology */
	uint32_t *remote;      /* the same of the remote group of an intercommunicator */
	uint32_t remote_count;
};

struct hyb_win {
	uint64_t id;
	bool defined;		/* false: only its name was seen so far */
	struct hyb_def_win def; /* zeroes until defined */
	const char *name;	/* as set last: NULL if none was */
	uint32_t number;	/* 0, 1, ... among this process's windows, in order of definition */
};

struct hyb_ranks { /* a group of processes that synchronises */
	uint64_t id;
	uint32_t *members; /* world ranks */
	uint32_t count;
};

struct hyb_file {
	uint64_t id;
	uint32_t comm; /* id, or HYB_IO_NO_COMM */
	uint32_t mode; /* enum hyb_io_mode */
	const char *name; /* never NULL; unprintable bytes as they were */
};

struct hyb_late_mark { /* of threads' streams, to be told between their events; see struct hyb_def_mark */
	struct hyb_def_mark def;
	uint64_t word;		/* the record that it stands for */
};

struct hyb_id_map; /* internal: id -> place */

struct hyb_defs {
	struct hyb_region *regions; /* in order of definition */
	size_t region_count;
	struct hyb_comm *comms;
	size_t comm_count;
	struct hyb_win *wins;
	size_t win_count;
	struct hyb_ranks *groups;
	size_t group_count;
	struct hyb_file *files; /* in order of definition */
	size_t file_count;
	struct hyb_object *objects;
	size_t object_count;
	struct hyb_team_member *members; /* of teams, by team, use and index */
	size_t member_count;
	struct hyb_late_mark *marks; /* by stream, then counter */
	size_t mark_count;
	struct hyb_texts texts;
	struct hyb_callers callers; /* frames of stacks */
	struct hyb_metric_defs metrics; /* counters */
	struct hyb_def_clock *clocks; /* in order of counter */
	size_t clock_count;
	struct hyb_def_sync *syncs; /* as they came */
	size_t sync_count;
	struct hyb_def_usage *usages; /* as they came */
	size_t usage_count;
	struct hyb_def_mpi mpi; /* as defined last */
	bool has_mpi;
	uint32_t counter; /* enum hyb_counter_kind of the stream's header */
	uint64_t unknown; /* definitions of kinds this version does not know */
	uint64_t corrupt; /* definitions that made no sense and were left out */
	uint64_t lost;	  /* gaps in the stream: chunks or definitions missing */
	uint64_t pid;
	uint64_t start_time; /* raw counter */

	struct hyb_reader *reader; /* what follows is the library's */
	struct hyb_id_map *region_map;
	struct hyb_id_map *comm_map;
	struct hyb_id_map *win_map;
	struct hyb_id_map *group_map;
	struct hyb_id_map *file_map;
	uint32_t wins_defined;
	size_t win_room;
	size_t group_room;
	uint32_t comms_defined;
	size_t region_room;
	size_t comm_room;
	size_t clock_room;
	size_t sync_room;
	size_t usage_room;
	size_t mark_room;
	size_t file_room;
	size_t object_room;
	size_t member_room;
};

/*
 * Opens the definitions stream at path and reads all that is published. Errors as hyb_reader_open,
 * and -EINVAL for a stream that is not a DEFS stream. Keeps a descriptor until hyb_defs_release.
 */
int hyb_defs_open(const char *path, uid_t owner, const struct hyb_diag *diag, struct hyb_defs **defs);
/* Reads what was published since. The number of new definitions, or -errno. */
int64_t hyb_defs_update(struct hyb_defs *defs);
/* Gives the descriptor and the buffer back; the tables stay, hyb_defs_update then does nothing. */
void hyb_defs_release(struct hyb_defs *defs);
/* NULL is fine. */
void hyb_defs_close(struct hyb_defs *defs);

/* The entry with that id, or NULL. The pointer is valid until the next hyb_defs_update. */
const struct hyb_region *hyb_defs_region(const struct hyb_defs *defs, uint64_t id);
const struct hyb_comm *hyb_defs_comm(const struct hyb_defs *defs, uint64_t id);
const struct hyb_win *hyb_defs_win(const struct hyb_defs *defs, uint64_t id);
const struct hyb_ranks *hyb_defs_group(const struct hyb_defs *defs, uint64_t id);
const struct hyb_file *hyb_defs_file(const struct hyb_defs *defs, uint64_t id);

/*
 * The next mark of a stream that comes at or before `time`; *at counts those told, 0 at first. false if there is none.
 * The event is valid as long as the tables are.
 */
bool hyb_defs_mark(const struct hyb_defs *defs, uint32_t stream, size_t *at, uint64_t time, struct hyb_event *event);

/* Of the library: takes one in; puts them in order. */
int hyb_marks_add(struct hyb_defs *defs, const struct hyb_event *event);
void hyb_marks_sort(struct hyb_defs *defs);

const struct hyb_object *hyb_defs_object(const struct hyb_defs *defs, uint64_t id);
/* The object that an address lay in at that time (raw counter), as far as objects are defined. */
const struct hyb_object *hyb_defs_object_of(const struct hyb_defs *defs, uint64_t address, uint64_t time);
/*
 * The same as its number, or that of the first object that was the same library in the same place; 0: it is the first that
 * lay there, or none is known.
 */
uint64_t hyb_defs_library_of(const struct hyb_defs *defs, uint64_t address, uint64_t time);
/* The communicator that has this handle in the process's MPI, as far as is known: the last one that had it. */
const struct hyb_comm *hyb_defs_comm_of(const struct hyb_defs *defs, uint64_t handle);

/*
 * What to call a communicator: its name, or MPI_COMM_WORLD or MPI_COMM_SELF by its kind, or
 * comm#<n> with n its place among the process's communicators, or comm?<id> where it is not defined
 * (comm may be NULL). Written to buf unless a name lies elsewhere already; what is returned is
 * valid as long as both.
 */
const char *hyb_comm_name(const struct hyb_comm *comm, uint64_t id, char *buf, size_t size);
/* The same of a window: its name, win#<n> or win?<id>. */
const char *hyb_win_name(const struct hyb_win *win, uint64_t id, char *buf, size_t size);

#endif
