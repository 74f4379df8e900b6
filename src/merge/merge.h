/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The merge of an experiment, or of several that belong together, into resolved events for sinks (sink.h). The model is
 * made first, of manifests and definitions. Then all streams are read once to count messages; again, per tag, where
 * pairs do not agree; again where sinks want to know which halves belong together, or clocks of several nodes are set
 * by that; and once more to tell the sinks what happened (convert.c). No stream is ever held in memory.
 */
#ifndef HYB_MERGE_MERGE_H
#define HYB_MERGE_MERGE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "merge/openmp/task-teams.h"
#include "merge/kernel/kernel.h"
#include "merge/openmp/locks.h"
#include "merge/mpi/match.h"
#include "merge/metric.h"
#include "merge/node-times.h"
#include "merge/sink/outlet.h"
#include "merge/sink/output.h"
#include "merge/mpi/pairs.h"
#include "reader/containers/numbers.h"
#include "merge/mpi/rma.h"
#include "merge/sink/selection.h"
#include "merge/sites.h"
#include "merge/tail.h"
#include "merge/openmp/task-ends.h"
#include "merge/model/model.h"
#include "reader/streams/reader.h"

/* What is shown of the kernel. */
enum hyb_merge_kernel {
	HYB_MERGE_KERNEL_THREAD = 1,
	HYB_MERGE_KERNEL_CPU = 2,
	HYB_MERGE_KERNEL_NONE = 4,
};

struct hyb_merge_options {
	const char *const *dirs; /* the experiments */
	size_t dir_count;
	const char *out; /* where the output goes, NULL: into the first experiment */
	bool to_stdout;	 /* what its only sink puts in its only file goes there; `out` is for what waits on disk */
	bool force;
	unsigned int jobs; /* threads, at least 1 */
	uint32_t kernel;   /* enum hyb_merge_kernel, or-ed; 0: all */
	bool clocks_as_are; /* of several nodes, not set against each other */
	bool no_call_sites; /* events do not say where the program made the call */
	uint64_t samples; /* bytes of all streams to be read, of which samples are taken; 0: all. See hyb_merge_thin */
	struct hyb_tail *tail; /* where the reading ends, and where it begins if it goes on; NULL: at the beginning */
	bool or_profiles;   /* -ENOMSG, said nowhere, of what has profiles only; then the model is known */
	bool scalasca;	   /* without what Scalasca's trace analysis does not take */
	const struct hyb_selection *selection; /* what is told of it all; NULL: all */
	const struct hyb_sink_ops *const *sinks; /* where it goes */
	size_t sink_count;
	const struct hyb_diag *diag;
	const volatile sig_atomic_t *stop; /* gives up when it is not 0 */
	void (*progress)(void *arg, uint64_t done,
			 uint64_t total); /* from any thread; may be NULL */
	void *progress_arg;
};

struct hyb_merge_counts {
	uint64_t records;	  /* read */
	uint64_t events;	  /* told to sinks */
	uint64_t lost_records;	  /* not recorded for want of space */
	uint64_t lost_chunks;	  /* overwritten, damaged or missing */
	uint64_t corrupt_chunks;  /* the damaged ones of them */
	uint64_t unknown_records; /* of types that this version does not know */
	uint64_t stray_leaves;	  /* without their Enter: left out */
	uint64_t closed;	  /* regions that had no Leave: closed by the merge */
	uint64_t unplaced;	  /* messages and operations on communicators that are not known */
	uint64_t collectives;	  /* calls, those on MPI_COMM_SELF included */
	uint64_t unfinished;	  /* of them, that have no end */
	uint64_t errors;	  /* calls that returned an error */
	uint64_t polls;		  /* calls in rows of failing ones */
	uint64_t effectless;	  /* and in rows of such as had nothing to find or to do */
	uint64_t cancelled;	  /* sends and receives */
	uint64_t unreported;	  /* receives of which neither MPI nor a send tells the size */
	uint64_t rma;		  /* one-sided operations */
	uint64_t io_operations;	  /* on files */
	uint64_t io_read;	  /* bytes */
	uint64_t io_written;
	uint64_t tasks;		  /* created */
	uint64_t unplaced_tasks;  /* events of tasks that no thread of the team created: left out */
	uint64_t unknown_metrics; /* values of counters that are damaged, or of counters that are not known */
	uint64_t kernel;	  /* intervals of the kernel's */
	uint64_t kernel_moved;	  /* of them, to where a thread's own event is: clocks differ */
};

/* Of a thread of the model: what the readings find out. */
struct hyb_merge_thread {
	struct hyb_kernel_row *kernel; /* what the kernel did to it, NULL: not known */
	struct hyb_merge_counts counts;
	/*
	 * It may be written yet: later passes end where the first did, otherwise they would know of more than was
	 * counted.
	 */
	bool grows;
	uint64_t seen;	    /* events that the first pass had */
	uint64_t seen_last; /* raw counter: the last one's time */
	struct hyb_begun receives; /* when they began, where that matters */
	struct hyb_metric_uses metrics; /* its counters */
	/* in struct hyb_teams: of the thread alone; HYB_COMM_NONE: nobody else has to do with what it created alone */
	uint32_t alone;
};

/* Of a process of the model. */
struct hyb_merge_process {
	struct hyb_merge_thread *threads; /* as the model has them */
	uint32_t gaps; /* in all its streams, as far as they are read */
	uint32_t pauses;
	struct hyb_numbers cancelled; /* its sends that were none */
	struct hyb_numbers left_out;  /* its sends and operations that have no other half */
	bool unreported; /* it has receives of which MPI told nothing */
	struct hyb_numbers unpaired;  /* those that begin or end only, as far as they are read */
	struct hyb_numbers opened; /* its files whose opening is recorded */
	struct hyb_numbers made_up; /* and those whose opening this reading has made up */
	struct hyb_numbers begun;  /* its operations on files that end with a later call */
	struct hyb_numbers handed; /* its one-sided operations that another thread completed for their origin */
	struct hyb_numbers handed_there; /* and at their targets */
	struct hyb_numbers told; /* and whose request had nothing more to say after that */
	struct hyb_rma_handed *handed_list; /* by thread and time: those completed without a request */
	size_t handed_count;
	uint32_t rma_threads; /* threads that have one-sided communication */
	uint64_t streamless; /* records lost by threads that have no stream */
	struct hyb_task_ends task_ends;
	struct hyb_task_teams created; /* its tasks */
	struct hyb_locks locks;
	struct hyb_kernel_process kernel;
	struct hyb_excerpt_process excerpt;
};

struct hyb_merge {
	struct hyb_merge_options options;
	struct hyb_model model;
	int64_t start; /* ns: when the first process began, or the first CPU has events: time 0 of some outputs */
	struct hyb_merge_process *processes; /* as the model has them */
	struct hyb_gregion *loss; /* the region that spans what was lost */
	struct hyb_gregion *skipped; /* and what was not read */
	uint32_t samples; /* so many of each stream are read; 0: all is */
	uint32_t sample_words; /* of each */
	struct hyb_gregion *chunk; /* the one that stands where a chunk of a loop begins */
	struct hyb_gregion *depend[HYB_DEPEND_KINDS]; /* and where it is said what a task depends on */
	struct hyb_gregion *fulfil; /* or that its event is fulfilled */
	struct hyb_match match;
	struct hyb_kernel kernel;
	struct hyb_output output;
	struct hyb_pairs pairs;
	bool pairs_of_all; /* not of what is selected only */
	struct hyb_nodes nodes;
	struct hyb_selection selection; /* in the times of the trace */
	struct hyb_merge_sites sites;
	struct hyb_sinks sinks;
	const char **parts; /* of all of them */
	uint64_t read_done; /* bytes */
	uint64_t read_total;
	uint64_t unreadable;		/* streams and definitions that could not be read */
	bool retried;			/* streams were read a second time, per tag */
	bool complete;			/* every message is there with both halves */
	struct hyb_merge_counts counts; /* of all threads */
	struct hyb_match_sums sums;
	double seconds;
	const char *out; /* the output's directory */
};

/* What the readings know of a process. */
static inline struct hyb_merge_process *hyb_merge_of(const struct hyb_merge *m, const struct hyb_model_process *p)
{
	return &m->processes[p - m->model.processes];
}

/*
 * Merges; 0 or -errno, with everything said through options->diag. After either, hyb_merge_free.
 * What cannot be read at all is said, counted in `unreadable` and left out.
 */
int hyb_merge_run(struct hyb_merge *m, const struct hyb_merge_options *options);
void hyb_merge_free(struct hyb_merge *m);
/*
 * For another thread while hyb_merge_run runs and does not end: removes what it has written so far. True: the output
 * is in its place already. End the process.
 */
bool hyb_merge_abandon(struct hyb_merge *m);
/*
 * After that: which part of the run the kernel's data covers, 0 to 1, on the node of which it is the least; 1 where there
 * is none.
 */
double hyb_merge_kernel_covered(const struct hyb_merge *m);
/*
 * Whether only samples were read, since there was more than options->samples: regions are told as they are there, with
 * regions `skipped` in between; nothing of the kernel, of clocks of several nodes, nor of messages and the like.
 */
static inline bool hyb_merge_thin(const struct hyb_merge *m)
{
	return m->samples;
}
/* Whether it is of what came since the reading before: tail.h. */
static inline bool hyb_merge_goes_on(const struct hyb_merge *m)
{
	return m->options.tail && m->options.tail->goes_on;
}
/* In both cases. */
static inline bool hyb_merge_regions_only(const struct hyb_merge *m)
{
	return hyb_merge_thin(m) || hyb_merge_goes_on(m);
}
/* Prints what was done, after hyb_merge_run was successful. */
void hyb_merge_summary(const struct hyb_merge *m, FILE *to);

/* summary-metric.c: of it, what counters have counted. */
void hyb_merge_summary_metrics(const struct hyb_merge *m, FILE *to);

/* The parts of hyb_merge_run. */

/* reading.c: memory for what is found out of processes and threads. 0 or -ENOMEM; after either, hyb_merge_free_processes. */
int hyb_merge_add_processes(struct hyb_merge *m);
void hyb_merge_free_processes(struct hyb_merge *m);

/* Of what is told, ns. */
static inline int64_t hyb_merge_first(const struct hyb_merge *m)
{
	return m->selection.from > m->model.first ? m->selection.from : m->model.first;
}

static inline int64_t hyb_merge_last(const struct hyb_merge *m)
{
	return m->selection.to < m->model.last ? m->selection.to : m->model.last;
}

enum hyb_pass {
	HYB_PASS_COUNT, /* messages per pair; times; regions in use */
	HYB_PASS_TAGS,	/* messages of uneven pairs per tag */
	/* what is left out: a thread that is read first may complete what another began */
	HYB_PASS_CHOOSE,
	HYB_PASS_PAIR, /* halves of what is told, where a sink wants to know of the others, or for clocks of nodes */
	HYB_PASS_LOOK, /* what is to be known before a part is told; as it is told, but to nobody */
	HYB_PASS_NEEDS, /* nodes: what of theirs is to be numbered */
	HYB_PASS_KERNEL, /* nodes, not processes: CPUs are told, what threads need waits on disk */
	HYB_PASS_WRITE, /* tells all */
};

/* Reads all streams of one process; match takes the counts. 0 or -errno. */
int hyb_merge_convert(struct hyb_merge *m, struct hyb_model_process *p, enum hyb_pass pass,
		      struct hyb_match *match);
/*
 * thread.c, once all is counted: gives threads that created tasks outside of any team, to which others came, a team of
 * their own, by which those can name it. 0 or -ENOMEM.
 */
int hyb_convert_alone(struct hyb_merge *m);
/* program.c, once all is counted: the regions of the programs that are shown. 0 or -ENOMEM. */
int hyb_programs_add_regions(struct hyb_merge *m);

/* The type of an attribute of this merge's events, parameters included. */
static inline enum hyb_value_type hyb_merge_attribute_type(const struct hyb_merge *m, enum hyb_attribute_id id)
{
	return hyb_attribute_is_parameter(id) ?
		hyb_parameter_type(m->model.parameters.list[id - HYB_ATTRIBUTES].type) : hyb_attribute_info(id)->type;
}

#endif
