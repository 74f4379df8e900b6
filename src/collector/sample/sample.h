/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples of where the job's threads are, beside whatever source records what the kernel does, or without any. They
 * need no right that a user does not have over his own processes; what more he has, they take.
 */
#ifndef HYB_COLLECTOR_SAMPLE_SAMPLE_H
#define HYB_COLLECTOR_SAMPLE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/sample-option.h"

struct hyb_samples_options {
	struct hyb_sample_wish wish;
	bool alone;	/* no source tells which tasks there are */
	bool mapped;	/* the source tells which files are mapped as code */
	unsigned int stack;	/* bytes of it in each sample, 0: none */
};

/* Begins. poll: as a source's open has it. 0, or -errno with nothing left open; what is missing is said. */
int hyb_samples_open(const struct hyb_samples_options *options, int poll);
/* A process of the job, which the tasks know already: all its threads are sampled, also those that it will have. */
void hyb_samples_add_process(uint32_t tgid);
void hyb_samples_drain(void);
void hyb_samples_close(void);
/* How many samples the kernel had no space for, as far as it is known by now. */
uint64_t hyb_samples_lost(void);
/* The name of stream `index`, from 0. False: there are not so many. */
bool hyb_samples_stream_name(unsigned int index, char *buf, unsigned int size);

#endif
