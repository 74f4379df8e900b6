/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which job this process belongs to, before MPI can tell: from the launcher's environment, so that all
 * ranks find the same experiment without a single message. A tool that talks to the other ranks through
 * MPI hangs as soon as one of them runs without it.
 */
#ifndef HYB_CORE_JOB_JOB_H
#define HYB_CORE_JOB_JOB_H

#include <stdbool.h>
#include <stddef.h>

#define HYB_JOB_KEY 512

struct hyb_job {
	char key[HYB_JOB_KEY];	/* the same in all ranks of one run, another in every other run */
	char id[64];		/* short, for file names */
	char label[64];		/* what the scheduler calls the job, where the id does not say it; empty: nothing */
	char parent[HYB_JOB_KEY]; /* key of the job that spawned this one; empty: none, or not known */
	int parent_rank;	/* who of it led the spawn, -1: not known */
	int rank;		/* what the launcher says, -1 where it says nothing */
	bool run;		/* it is all processes without a rank of what hybmon run began */
};

/* Before the next: what the dynamic linker has to be asked for. */
void hyb_job_look(void);
/* The process has an MPI, which not everybody in it may see. */
void hyb_job_has_mpi(void);
void hyb_job_identify(struct hyb_job *job);
/* The rank that the launcher gave this process, -1 where it says nothing. */
int hyb_job_rank(void);
/* Whether it is the first of its node; false where the launcher does not say. */
bool hyb_job_first_of_node(void);
/* Value of an environment variable of the launcher or scheduler, NULL if unset or set-uid. */
const char *hyb_job_env(const char *name);
/*
 * What the scheduler calls the job that this process is in, with the index in its array: 1234_7. Empty: there is none.
 * Its own name comes back: "Slurm", or NULL.
 */
const char *hyb_job_scheduler(char *buf, unsigned int size);
/* The node's name as it appears in file names. */
void hyb_job_host(char *buf, unsigned int size);

#endif
