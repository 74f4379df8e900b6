/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The merge of an experiment, or of several that belong together, into one OTF2 archive. It reads
 * manifests and definitions first (survey.c), then all streams once to count messages (again, per
 * tag, for the pairs that do not agree), and once more to write them (convert.c), and writes the
 * definitions last (define.c). No stream is ever held in memory.
 */
#ifndef HYB_OTF2_MERGE_H
#define HYB_OTF2_MERGE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "merge/outlet.h"
#include "merge/output.h"
#include "otf2/comm.h"
#include "otf2/created.h"
#include "otf2/file.h"
#include "otf2/kernel.h"
#include "otf2/link.h"
#include "otf2/locks.h"
#include "otf2/match.h"
#include "otf2/name.h"
#include "otf2/region.h"
#include "otf2/requests.h"
#include "otf2/rma.h"
#include "otf2/source.h"
#include "otf2/task.h"
#include "otf2/team.h"
#include "otf2/win.h"
#include "trace/family.h"
#include "trace/reader.h"

/* What is shown of the kernel. */
enum hyb_merge_kernel {
	HYB_MERGE_KERNEL_THREAD = 1,
	HYB_MERGE_KERNEL_CPU = 2,
	HYB_MERGE_KERNEL_NONE = 4,
};

struct hyb_merge_options {
	const char *const *dirs; /* the experiments */
	size_t dir_count;
	const char *out; /* the archive's directory, NULL: in the first experiment */
	bool force;
	unsigned int jobs; /* threads, at least 1 */
	uint32_t kernel;   /* enum hyb_merge_kernel, or-ed; 0: all */
	bool scalasca;	   /* without what Scalasca's trace analysis does not take */
	const struct hyb_sink_ops *const *sinks; /* where it goes */
	size_t sink_count;
	const struct hyb_diag *diag;
	const volatile sig_atomic_t *stop; /* gives up when it is not 0 */
	void (*progress)(void *arg, uint64_t done,
			 uint64_t total); /* from any thread; may be NULL */
	void *progress_arg;
};

enum hyb_end_kind {
	HYB_END_NORMAL = 0,
	HYB_END_FAILED, /* exit status, signal, MPI_Abort */
	HYB_END_LOST,	/* no exit was seen */
	HYB_END_RUNNING,
};

struct hyb_merge_counts {
	uint64_t records;	  /* read */
	uint64_t events;	  /* written to the archive */
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
	uint64_t untold;	  /* receives of which neither MPI nor a send tells the size */
	uint64_t rma;		  /* one-sided operations */
	uint64_t io_operations;	  /* on files */
	uint64_t io_read;	  /* bytes */
	uint64_t io_written;
	uint64_t tasks;		  /* created */
	uint64_t unplaced_tasks;  /* events of tasks that no thread of the team created: left out */
	uint64_t kernel;	  /* intervals of the kernel's */
	uint64_t kernel_moved;	  /* of them, to where a thread's own event is: clocks differ */
};

struct hyb_merge_thread {
	uint32_t number;
	const char *path;
	uint64_t location;
	uint64_t size; /* of the file */
	uint64_t tid;  /* 0: not known */
	int64_t begun; /* ns: when its stream was made */
	struct hyb_kernel_row *kernel; /* what the kernel did to it, NULL: not known */
	struct hyb_merge_counts counts;
	bool timed;    /* it has events: first and last hold */
	int64_t first; /* ns */
	int64_t last;
	/*
	 * It may be written yet: later passes end where the first did, else they would know of more than was counted.
	 */
	bool grows;
	uint64_t seen;	    /* events that the first pass had */
	uint64_t seen_last; /* raw counter: the last one's time */
	const struct hyb_gregion *in; /* the innermost region it stood in at the end, or NULL */
	int64_t since;		      /* when it entered it, or left the last one */
	struct hyb_begun receives; /* when they began, where that matters */
	/* in struct hyb_teams: of the thread alone; HYB_COMM_NONE: nobody else has to do with what it created alone */
	uint32_t alone;
};

struct hyb_merge_process {
	const struct hyb_process *source;
	uint32_t job;	/* index into jobs */
	bool ranked;	/* group is its rank in MPI_COMM_WORLD, behind the ranks of the jobs before */
	uint32_t group; /* id of its location group */
	int clock;
	uint32_t host; /* index into hosts */
	bool graphs;   /* it has communicators that are graphs */
	bool timed;
	int64_t first; /* ns: its earliest and latest time known */
	int64_t last;
	int64_t seen; /* its last clock tuple: it was alive then */
	bool has_seen;
	uint32_t gaps; /* in all its streams, as far as they are read */
	uint32_t pauses;
	enum hyb_end_kind end;
	char ended[160]; /* how, for people; empty if normally */
	int64_t status; /* exit status, if it has one */
	bool has_status;
	uint32_t program; /* its name and arguments, as strings of the archive */
	uint32_t *args;
	uint32_t arg_count;
	struct hyb_requests cancelled; /* its sends that were none */
	struct hyb_requests left_out;  /* its sends and operations that have no other half */
	bool untold; /* it has receives of which MPI told nothing */
	struct hyb_requests unpaired;  /* those that begin or end only, as far as they are read */
	struct hyb_file_map files;
	struct hyb_requests opened; /* its files whose opening is recorded or made up */
	struct hyb_requests begun;  /* its operations on files that end with a later call */
	struct hyb_requests handed; /* its one-sided operations that another thread completed for their origin */
	struct hyb_requests handed_there; /* and at their targets */
	struct hyb_requests told; /* and whose request had nothing more to say after that */
	struct hyb_rma_handed *handed_list; /* by thread and time: those completed without a request */
	size_t handed_count;
	uint32_t rma_threads; /* threads that have one-sided communication */
	uint64_t streamless; /* records lost by threads that have no stream */
	struct hyb_merge_thread *threads;
	size_t thread_count;
	size_t first_track; /* of its threads */
	struct hyb_process_teams teams;
	struct hyb_task_ends task_ends;
	struct hyb_created created; /* its tasks */
	struct hyb_locks locks;
	struct hyb_kernel_process kernel;
};

struct hyb_merge {
	struct hyb_merge_options options;
	struct hyb_family family;
	struct hyb_link_job *jobs; /* one for each experiment */
	struct hyb_links links;
	struct hyb_clocks *clocks;
	struct hyb_comms comms;
	struct hyb_wins wins;
	struct hyb_teams teams;
	struct hyb_regions regions;
	struct hyb_sources *sources;
	struct hyb_gregion *loss; /* the region that spans what was lost */
	struct hyb_gregion *chunk; /* the one that stands where a chunk of a loop begins */
	struct hyb_gregion *depend[HYB_DEPEND_KINDS]; /* and where it is said what a task depends on */
	struct hyb_gregion *fulfil; /* or that its event is fulfilled */
	struct hyb_names names;
	struct hyb_files files;
	struct hyb_match match;
	struct hyb_kernel kernel;
	struct hyb_output output;
	struct hyb_sinks sinks;
	const char **parts; /* of all of them */
	size_t track_count; /* threads of all processes, then CPUs of all nodes */
	struct hyb_merge_process *processes; /* job by job, ranked ones first, by rank */
	size_t process_count;
	uint32_t *rank_process; /* by rank: index into processes, UINT32_MAX: no trace of it */
	uint32_t ranks;	 /* of all jobs */
	uint32_t absent; /* ranks without a process */
	uint32_t left_out; /* processes without a rank, for Scalasca */
	bool share_absent; /* they and unknown members have one location for all of them: see hyb_merge_place */
	uint32_t nodes;	 /* hosts by name */
	struct hyb_names hosts;
	uint64_t read_size; /* bytes of all streams */
	uint64_t read_done;
	uint64_t read_total;
	bool running;			/* some process still runs */
	uint64_t unreadable;		/* streams and definitions that could not be read */
	bool retried;			/* streams were read a second time, per tag */
	bool complete;			/* every message is there with both halves */
	struct hyb_merge_counts counts; /* of all threads */
	struct hyb_match_sums sums;
	bool timed;    /* some process has events: what follows holds */
	int64_t first; /* ns: of the whole trace */
	int64_t last;
	uint64_t size; /* of the archive, bytes */
	double seconds;
	const char *out; /* the archive's directory */
};

/*
 * Merges; 0 or -errno, with everything said through options->diag. After either, hyb_merge_free.
 * What cannot be read at all is said, counted in `unreadable` and left out.
 */
int hyb_merge_run(struct hyb_merge *m, const struct hyb_merge_options *options);
void hyb_merge_free(struct hyb_merge *m);
/*
 * For another thread while hyb_merge_run runs and does not end: removes what it has written so far. True: the archive
 * is in its place already. End the process.
 */
bool hyb_merge_abandon(struct hyb_merge *m);
/* Prints what was done, after hyb_merge_run was successful. */
void hyb_merge_summary(const struct hyb_merge *m, FILE *to);

/* The parts of hyb_merge_run. */

/* Manifests and definitions: processes, clocks, communicators, regions. */
int hyb_merge_survey(struct hyb_merge *m);

enum hyb_pass {
	HYB_PASS_COUNT, /* messages per pair; times; regions in use */
	HYB_PASS_TAGS,	/* messages of uneven pairs per tag */
	/* what is left out: a thread that is read first may complete what another began */
	HYB_PASS_CHOOSE,
	HYB_PASS_KERNEL, /* nodes, not processes: into the archive and what waits on disk */
	HYB_PASS_WRITE,
};

/* Reads all streams of one process; match takes the counts. 0 or -errno. */
int hyb_merge_convert(struct hyb_merge *m, struct hyb_merge_process *p, enum hyb_pass pass,
		      struct hyb_match *match);
/*
 * thread.c, once all is counted: gives threads that created tasks outside of any team, to which others came, a team of
 * their own, by which those can name it. 0 or -ENOMEM.
 */
int hyb_convert_alone(struct hyb_merge *m);
/* program.c, once all is counted: the regions of the programs that are shown. 0 or -ENOMEM. */
int hyb_programs_add_regions(struct hyb_merge *m);
/* The location, and its group, of a rank or of an unknown member, whose places follow the ranks. */
static inline uint32_t hyb_merge_place(const struct hyb_merge *m, uint32_t place)
{
	bool absent = place >= m->ranks || m->rank_process[place] == UINT32_MAX;

	return absent && m->share_absent ? m->ranks + m->comms.holes : place;
}
/*
 * Calls visit for each location that stands for ranks without a trace or for unknown members; each of them where they
 * have one each, else for the one of all. Ends when visit returns something else than 0, with that.
 */
int hyb_merge_each_absent(const struct hyb_merge *m, int (*visit)(void *arg, uint32_t place), void *arg);
/* What to call a process: its rank, or its program and pid. */
const char *hyb_merge_who(const struct hyb_merge *m, const struct hyb_merge_process *p, char *buf, size_t size);
/* What to call a job: the last part of its experiment's path. */
const char *hyb_merge_job_name(const struct hyb_merge *m, uint32_t job);
/* How and whether a process ended, from its manifest. */
void hyb_merge_judge_end(struct hyb_merge_process *p);
/* Whether the process of a manifest lives, as far as that can be seen from here. */
bool hyb_merge_is_alive(const struct hyb_manifest *manifest);
/* Whether a collector does, here and now: its process is alive and is a collector of this user from this experiment. */
bool hyb_merge_collects(const struct hyb_process *process);
/* Waits for the collectors of jobs that have ended; the family is as it is then. 0 or -errno. */
int hyb_collectors_wait(struct hyb_merge *m);

#endif
