/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The job, or several that belong together: nodes, processes, threads, CPUs, and what they name: communicators, windows,
 * files, teams, regions, counters, texts. Made of manifests and definitions (survey.c), before any stream is read; what a reader
 * of the streams finds out is filled in then. Ids are the model's own, from 0, and the same whatever is made of it.
 */
#ifndef HYB_MERGE_MODEL_MODEL_H
#define HYB_MERGE_MODEL_MODEL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "merge/model/comm.h"
#include "merge/model/file.h"
#include "merge/model/link.h"
#include "merge/model/metric.h"
#include "merge/model/name.h"
#include "merge/model/parameter.h"
#include "merge/model/region.h"
#include "merge/model/team.h"
#include "merge/model/win.h"
#include "reader/symbols/source.h"
#include "reader/streams/family.h"
#include "reader/streams/kernel.h"

struct hyb_model_options {
	const char *const *dirs; /* the experiments */
	size_t dir_count;
	bool collectors; /* with what the kernel did */
	bool cpus;	 /* and its CPUs as tracks */
	bool ranked;	 /* of a job with ranks, only processes that have one */
	const struct hyb_diag *diag;
	const volatile sig_atomic_t *stop; /* gives up when it is not 0 */
};

enum hyb_end_kind {
	HYB_END_NORMAL = 0,
	HYB_END_FAILED, /* exit status, signal, MPI_Abort */
	HYB_END_LOST,	/* no exit was seen */
	HYB_END_RUNNING,
};

/*
 * What a thread has had of the machine, as was read when it began and ended; of one that began or ended MPI, after
 * MPI_Init and before MPI_Finalize.
 */
struct hyb_model_usage {
	bool known; /* both were read */
	int64_t from; /* ns */
	int64_t until;
	struct hyb_def_usage first;
	struct hyb_def_usage last;
};

struct hyb_model_thread {
	uint32_t number;
	const char *path;
	uint64_t location; /* number << 32 | group of its process */
	uint64_t size;	   /* of the file */
	struct hyb_model_usage usage;
	/* Known when its stream was read. */
	uint64_t tid;  /* 0: not known */
	int64_t begun; /* ns: when its stream was made */
	bool timed;    /* it has events: first and last hold */
	int64_t first; /* ns */
	int64_t last;
	const struct hyb_gregion *in; /* the innermost region it stood in at the end, or NULL */
	int64_t since;		      /* when it entered it, or left the last one */
};

struct hyb_model_process {
	const struct hyb_process *source;
	uint32_t job;	/* index into jobs */
	bool ranked;	/* group is its rank in MPI_COMM_WORLD, after the ranks of the jobs before */
	uint32_t group; /* its number among processes, absent ranks and CPUs */
	int clock;
	uint32_t host; /* index into hosts */
	bool graphs;   /* it has communicators that are graphs */
	bool teamed;   /* it has teams of OpenMP's threads */
	bool timed;
	int64_t first; /* ns: its earliest and latest time known */
	int64_t last;
	int64_t seen; /* its last clock tuple: it was alive then */
	bool has_seen;
	int64_t until; /* it was seen to have ended then, INT64_MIN: nobody noted when */
	enum hyb_end_kind end;
	bool elsewhere;	 /* it may be running, on another machine: that cannot be seen from here */
	char ended[160]; /* how, for people; empty if normally */
	int64_t status; /* exit status, if it has one */
	bool has_status;
	uint32_t program; /* its name and arguments, as texts */
	uint32_t *args;
	uint32_t arg_count;
	struct hyb_def_usage *usages; /* of its threads, as they came */
	size_t usage_count;
	struct hyb_file_map files;
	struct hyb_process_teams teams;
	struct hyb_model_thread *threads;
	size_t thread_count;
	size_t first_track; /* of its threads */
};

struct hyb_model_cpu {
	uint32_t number;
	uint32_t group; /* as of processes */
	uint32_t tree;	/* place among the CPUs of all hosts */
	const char *path;
	uint64_t size;
	/* Known when its stream was read. */
	bool timed;    /* it has events: first and last hold */
	int64_t first; /* ns */
	int64_t last;
};

/* What one collector wrote: a directory of streams of CPUs, or of tasks. */
struct hyb_model_node {
	const struct hyb_process *source;
	uint32_t job;
	uint32_t host;
	int clock;
	struct hyb_model_cpu *cpus; /* or tasks, which have no tracks */
	size_t cpu_count;
	size_t first_track; /* of its CPUs */
	const char **samples; /* paths of their streams */
	size_t sample_count;
	bool tasks;
	bool killed; /* its collector did not end in good order, or has not ended */
	bool writes; /* the latter */
	bool has_from;
	bool has_until;
	int64_t from; /* ns: the first process that came is recorded since then */
	int64_t until; /* ns: up to there its streams have everything */
};

/* A round trip from a process to another one of its job that was measured (HYBMON_SYNC). */
struct hyb_model_sync {
	uint32_t from;		 /* places among the ranks of all jobs */
	uint32_t to;
	struct hyb_def_sync def; /* raw counters of both processes */
};

struct hyb_model {
	struct hyb_model_options options;
	struct hyb_family family;
	struct hyb_link_job *jobs; /* one for each experiment */
	struct hyb_links links;
	struct hyb_clocks *clocks;
	struct hyb_model_sync *syncs;
	size_t sync_count;
	size_t sync_room;
	struct hyb_comms comms;
	struct hyb_wins wins;
	struct hyb_teams teams;
	struct hyb_regions regions;
	struct hyb_gmetrics metrics;
	struct hyb_sources *sources;
	struct hyb_names names;
	struct hyb_parameters parameters; /* once all streams were read */
	struct hyb_files files;
	struct hyb_names hosts;
	struct hyb_model_process *processes; /* job by job, ranked ones first, by rank */
	size_t process_count;
	struct hyb_model_node *nodes;
	size_t node_count;
	size_t node_room;
	uint32_t cpu_trees; /* CPUs of all hosts */
	size_t track_count; /* threads of all processes, then CPUs of all nodes */
	uint32_t *process_of; /* by track: index into processes; of CPUs: UINT32_MAX */
	uint32_t *rank_process; /* by rank: index into processes, UINT32_MAX: no trace of it */
	uint32_t ranks;	 /* of all jobs */
	uint32_t absent; /* ranks without a process */
	uint32_t left_out; /* processes without a rank that were left out */
	bool share_absent; /* absent ranks and unknown members are one: see hyb_model_place */
	uint64_t unreadable; /* definitions that could not be read */
	bool running;	     /* some process still runs */
	bool elsewhere;	     /* or may do so on another machine */
	uint64_t size;	     /* bytes of the threads' streams */
	uint64_t kernel_size; /* and of the CPUs' */
	/* Known when all streams were read. */
	bool timed; /* some process has events */
	int64_t first; /* ns: of the whole trace */
	int64_t last;
};

/* 0 or -ENOMEM; after either, hyb_model_free. */
int hyb_model_init(struct hyb_model *m, const struct hyb_model_options *options);
/* Reads manifests and definitions. 0 or -errno, with everything said. */
int hyb_model_survey(struct hyb_model *m);
void hyb_model_free(struct hyb_model *m);

/* The number, as of processes, of a rank or of an unknown member, whose places follow the ranks. */
static inline uint32_t hyb_model_place(const struct hyb_model *m, uint32_t place)
{
	bool absent = place >= m->ranks || m->rank_process[place] == UINT32_MAX;

	return absent && m->share_absent ? m->ranks + m->comms.holes : place;
}

/*
 * Calls visit for each number that stands for ranks without a trace or for unknown members; each of them where they
 * have one each, otherwise for the one of all. Ends when visit returns something else than 0, with that.
 */
int hyb_model_each_absent(const struct hyb_model *m, int (*visit)(void *arg, uint32_t place), void *arg);
/* What to call a process: its rank, or its program and pid. */
const char *hyb_model_who(const struct hyb_model *m, const struct hyb_model_process *p, char *buf, size_t size);
/* What to call a job: the last part of its experiment's path. */
const char *hyb_model_job_name(const struct hyb_model *m, uint32_t job);

/*
 * nodes.c: the source of a node's events, "bpf", "perf" or "self"; NULL: it has none, but perhaps samples. Whether some
 * node has one: without it nothing is known of what the kernel did.
 */
const char *hyb_model_kernel_source(const struct hyb_model_node *node);
bool hyb_model_has_kernel(const struct hyb_model *m);

/* end.c: how and whether a process ended, from its manifest. */
/* When it was seen to have ended, once the clocks are known. */
void hyb_model_time_end(const struct hyb_model *m, struct hyb_model_process *p);
void hyb_model_judge_end(struct hyb_model_process *p);
/* Whether the process of a manifest lives, as far as that can be seen from here. */
bool hyb_model_is_alive(const struct hyb_manifest *manifest);
/* Whether a collector does, here and now: its process is alive and is a collector of this user from this experiment. */
bool hyb_model_collects(const struct hyb_process *process);
/* collectors.c: waits for those of jobs that have ended; the family is as it is then. 0 or -errno. */
int hyb_model_wait(struct hyb_model *m);
/* nodes.c: takes the directory of a collector. 0 or -ENOMEM. */
int hyb_model_add_node(struct hyb_model *m, uint32_t job, const struct hyb_process *source);
/* nodes.c: gives their CPUs numbers from *group on. 0 or -ENOMEM. */
void hyb_model_place_nodes(struct hyb_model *m, uint32_t *group);

#endif
