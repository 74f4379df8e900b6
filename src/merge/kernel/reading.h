/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of one reading of a node's streams (kernel.c): what is known of tasks, threads and CPUs at the time of the
 * event at hand. One thread each.
 */
#ifndef HYB_MERGE_KERNEL_READING_H
#define HYB_MERGE_KERNEL_READING_H

#include "merge/sink/outlet.h"
#include "reader/symbols/jit.h"
#include "merge/kernel/kernel.h"
#include "merge/merge.h"
#include "reader/containers/idmap.h"
#include "reader/streams/kdefs.h"

#define HYB_KSTRING_NONE UINT64_MAX
#define HYB_KCPU_NONE UINT32_MAX

/* An interval of a thread that has begun. */
struct hyb_kframe {
	uint32_t what; /* the record that began it */
	uint32_t id;   /* number of the system call, interrupt, ... */
	int64_t begin;
	uint64_t place; /* in the row on disk */
	struct hyb_gregion *region;
};

/* A task that had the CPU while a thread waited for it. */
struct hyb_kholder {
	uint32_t task;
	int64_t ns;
};

/* A thread that is recorded. */
struct hyb_kthread {
	struct hyb_model_process *process;
	struct hyb_model_thread *thread;
	struct hyb_kernel_row *row;
	struct hyb_kframe *frames; /* innermost last; a SWITCH only as the last: it has no CPU */
	size_t depth;
	size_t room;
	uint64_t waker; /* string, of who made it ready since it left the CPU */
	uint64_t counts[HYB_KCOUNTS]; /* so far */
	uint32_t cpu;	/* index of the CPU it was last seen on; HYB_KCPU_NONE: none */
	uint32_t waits_for; /* index of the CPU that it was pre-empted on; HYB_KCPU_NONE: it was not */
	uint32_t next; /* the task that got it then */
	size_t also_waits; /* thread that waits for the same one; SIZE_MAX: none */
	struct hyb_kholder *holders; /* who had it since */
	size_t holder_count;
	size_t holder_room;
	int64_t held; /* up to when that is noted */
	bool exits; /* it is ending, on its last CPU */
	bool ended;
};

/* A thread that is recorded, to be found by its number. */
struct hyb_kcandidate {
	uint64_t tid;
	struct hyb_model_process *process;
	struct hyb_model_thread *thread;
	size_t index; /* in threads; SIZE_MAX: it was not seen so far */
};

/* What a task's number stands for at present. */
struct hyb_ktask_state {
	uint32_t number;
	const struct hyb_ktask *defs; /* NULL: none */
	size_t def_count;
	size_t def;	      /* the one that holds */
	struct hyb_gregion *region; /* on CPUs; NULL: not made yet */
	uint64_t label;	      /* string; HYB_KSTRING_NONE: not made yet */
	struct hyb_model_process *process; /* it is a thread of, NULL: none of the job's */
	size_t thread;	      /* index into threads, SIZE_MAX: not recorded */
};

struct hyb_kcpu_frame {
	uint32_t what; /* IRQ_ENTER or SOFTIRQ_ENTER */
	uint32_t id;
	struct hyb_gregion *region;
};

struct hyb_kcpu_state {
	struct hyb_model_cpu *cpu;
	bool told;	/* it has a track */
	struct hyb_outlet out;
	uint32_t task;	/* that runs; only if known */
	bool known;
	bool blind;	/* in a gap */
	bool begun;	/* has events */
	struct hyb_gregion *region; /* of the task, as it was entered */
	struct hyb_kcpu_frame *frames; /* interrupts */
	size_t depth;
	size_t room;
	int64_t now;
	int64_t switched; /* the last time that is known */
	size_t waiting; /* first of the threads that were pre-empted there; SIZE_MAX: none */
};

struct hyb_reading {
	struct hyb_merge *m;
	struct hyb_kernel_node *node;
	struct hyb_kdefs defs;
	struct hyb_kernel_reader *reader;
	int64_t offset; /* from the kernel's times to the node's */
	struct hyb_final final; /* and from these to final ones */
	int64_t now;	/* of the event at hand, final */
	struct hyb_ktask_state *tasks;
	size_t task_count;
	size_t task_room;
	struct hyb_id_map *task_map;
	struct hyb_kthread *threads;
	size_t thread_count;
	size_t thread_room;
	struct hyb_kcpu_state *cpus;
	uint32_t blind; /* CPUs in a gap */
	struct hyb_id_map *region_map; /* what << 32 | number -> regions */
	struct hyb_gregion **regions;
	size_t region_count;
	size_t region_room;
	struct hyb_id_map *stack_map; /* stack -> string */
	struct hyb_id_map *chain_map; /* stack -> chain, of samples */
	struct hyb_id_map *string_map; /* a region -> string of its name */
	struct hyb_jits jits;
	char *vdso; /* the file with what processes have mapped as [vdso]; NULL: it is not there */
	struct hyb_unwinder *unwinder; /* made for the first sample that has a copy of the stack */
	struct hyb_id_map *unwound_map; /* hash of a stack and what was unwound -> chain */
	struct hyb_table blocks; /* requests on their way: when they began */
	struct hyb_table sums;	 /* of processes, until the end */
	struct hyb_kcandidate *candidates; /* recorded threads of the node, by tid and begin */
	size_t candidate_count;
	struct hyb_kernel_needs *needs; /* all that this reading is for; NULL: it tells */
	struct hyb_id_map *needed; /* their regions */
	bool spans;	/* intervals are kept for the threads, */
	bool samples;	/* and samples */
	int err;   /* the first error */
	bool said; /* it is of a sink, which said so */
};

/* The final time of one of the kernel's; those of damaged records may be anything. */
static inline int64_t hyb_reading_time(struct hyb_reading *k, uint64_t time)
{
	return hyb_final_time(&k->final, hyb_ns_add((int64_t)time, k->offset));
}

/* names.c: a string of the model; HYB_KSTRING_NONE without memory, which is then noted. */
uint64_t hyb_reading_string(struct hyb_reading *k, const char *text);
/* That of a region's name. */
uint64_t hyb_reading_region_string(struct hyb_reading *k, const struct hyb_gregion *region);
/* Of a call chain; HYB_KSTRING_NONE: there is none. */
uint64_t hyb_reading_stack(struct hyb_reading *k, uint64_t id, uint64_t time);
/* What code that a program made itself is called, as it says on its machine; NULL: nobody knows. */
const char *hyb_reading_generated(struct hyb_reading *k, const struct hyb_kplace *place);
/* The file that is mapped there, for whoever looks into it, and from when on it may not be changed; 0: it is ours. */
const char *hyb_reading_file(const struct hyb_reading *k, const struct hyb_kplace *place, int64_t *since);
/* When what a place lies in was mapped, ns of system time. */
int64_t hyb_reading_mapped(const struct hyb_reading *k, const struct hyb_kplace *place);
/* The region of what a record begins, with that number; NULL without memory, which is then noted. */
struct hyb_gregion *hyb_reading_region(struct hyb_reading *k, uint32_t what, uint32_t number);
/* For an event that is about to be told, of a CPU: the region has a number, or is needed. */
void hyb_reading_number(struct hyb_reading *k, struct hyb_gregion *region);
/* A device's name as a string. */
uint64_t hyb_reading_device(struct hyb_reading *k, uint32_t device);

/* names.c: something took so long, of a process; counted as far as that lived. */
void hyb_reading_sum(struct hyb_reading *k, struct hyb_model_process *p, struct hyb_gregion *region,
		   int64_t begin, int64_t end);
void hyb_reading_sums_init(struct hyb_reading *k);
/* Adds them to what is known of the processes. */
void hyb_reading_sums_give(struct hyb_reading *k);

/* task.c: the recorded threads. 0 or -ENOMEM. */
int hyb_ktask_begin(struct hyb_reading *k);
/* What that number stands for at the present time; NULL without memory. Valid until the next one. */
struct hyb_ktask_state *hyb_ktask_get(struct hyb_reading *k, uint32_t number, uint64_t time);
/* Its thread, if it is recorded. */
struct hyb_kthread *hyb_ktask_thread(struct hyb_reading *k, const struct hyb_ktask_state *task);
uint64_t hyb_ktask_label(struct hyb_reading *k, struct hyb_ktask_state *task);
struct hyb_gregion *hyb_ktask_region(struct hyb_reading *k, struct hyb_ktask_state *task);

/* thread.c: what an event means for the threads. */
void hyb_kthread_event(struct hyb_reading *k, const struct hyb_kernel_event *e);
/* Events of a CPU are missing from now on: of which threads nothing is known then. */
void hyb_kthread_gap(struct hyb_reading *k, const struct hyb_kernel_event *e, int64_t until);
/* The streams end: so does what is open, at the latest then. */
void hyb_kthread_finish(struct hyb_reading *k, int64_t end);
/* A new one; SIZE_MAX without memory. */
size_t hyb_kthread_add(struct hyb_reading *k, struct hyb_model_process *process, struct hyb_model_thread *thread);

/* Keeps something for the thread. Its place in the row. */
uint64_t hyb_kthread_keep(struct hyb_reading *k, struct hyb_kthread *t, const struct hyb_span *span);

/* holders.c: a task leaves a CPU that threads may wait for. */
void hyb_kholders_switch(struct hyb_reading *k, uint32_t source, uint32_t task);
/* The thread is pre-empted there, by `next`. */
void hyb_kholders_begin(struct hyb_reading *k, struct hyb_kthread *t, uint32_t source, uint32_t next);
/* It is moved to the CPU of that number, where it may wait on. */
void hyb_kholders_move(struct hyb_reading *k, struct hyb_kthread *t, uint32_t number);
/* Its wait is over. True if another task than `next` had the CPU for longest. */
bool hyb_kholders_end(struct hyb_reading *k, struct hyb_kthread *t, uint32_t *task);

/* sample.c: what was sampled. 0 or -ENOMEM. */
int hyb_ksample_begin(struct hyb_reading *k);
void hyb_ksample_free(struct hyb_kernel_node *node);
/* A sample, or what is missing of them. */
void hyb_ksample_event(struct hyb_reading *k, const struct hyb_kernel_event *e);

/* cpu.c: and for the CPU's location. */
int hyb_kcpu_begin(struct hyb_reading *k);
void hyb_kcpu_event(struct hyb_reading *k, const struct hyb_kernel_event *e);
void hyb_kcpu_gap(struct hyb_reading *k, const struct hyb_kernel_event *e);
void hyb_kcpu_finish(struct hyb_reading *k, int64_t end);
int hyb_kcpu_end(struct hyb_reading *k);
/* Who is at work there, as a string: an interrupt or the task. */
uint64_t hyb_kcpu_who(struct hyb_reading *k, const struct hyb_kernel_event *e);

#endif
