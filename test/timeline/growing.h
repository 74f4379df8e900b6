/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recording that grows: a copy of one that is complete, of which so much is there as a job that runs might have
 * published by then.
 */
#ifndef HYB_TEST_GROWING_H
#define HYB_TEST_GROWING_H

#include "reader/streams/reader.h"

struct growing;

/*
 * Makes the directory `to`, without any words so far. Its processes, or those of the first node, are this one, unless they
 * run elsewhere: then nobody can see here whether they do. Ends the program where that fails, as does the next one.
 */
struct growing *growing_new(const char *from, const char *to, bool elsewhere);
/* Publishes some more of each stream, all of it in the end: then the job has ended, too. False: all had been there. */
bool growing_step(struct growing *g, bool last);
void growing_free(struct growing *g);

#endif
