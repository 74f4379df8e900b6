/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a process tells the node's collector (src/collector) of itself, starts it where there is none yet, and waits for it,
 * but no longer than HYBMON_KERNEL_WAIT says. The socket that it will listen on is made here.
 */
#ifndef HYB_CORE_COLLECTOR_COLLECTOR_H
#define HYB_CORE_COLLECTOR_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

/* Who listens at the other end of a connected socket: this user, or root. Nobody else is told anything. */
bool hyb_collect_is_trusted(long fd);

/* Whether there is anything for a collector to do. Says once what is wrong with HYBMON_SAMPLE. */
bool hyb_collect_wanted(void);
/* HYBMON_SAMPLE, empty if it is not to be understood. */
const char *hyb_collect_sample(void);
/* Says once what this machine or user cannot have of it. */
void hyb_collect_sample_limits(void);

/*
 * Sends the request to record this job by a socket, to the service or to a collector that is to be started: `listener` and
 * the experiment's directory go with it. start_dir: what a relative spool is in. 0 or -errno.
 */
long hyb_collect_send_request(long fd, long listener, const char *experiment, const char *job, const char *start_dir);
/* Asks the service, where there is one, to collect for the job. 0: it does. */
int hyb_service_ask(long listener, const char *experiment, const char *job, const char *start_dir);

/*
 * Makes this process one whose kernel events are recorded into `experiment`. start_dir: what a relative spool is
 * in. What goes wrong is said once; nothing else changes for the program. Blocks for the milliseconds
 * that an exec takes, in one process of a node, and in all until the collector is ready, or HYBMON_KERNEL_WAIT is over.
 */
void hyb_collect_start(const char *experiment, const char *job, const char *start_dir, bool speaks);
/*
 * Waits on the socket, over which hello was said, until the collector records this process, ends, or time is up. The
 * manifest tells. Closes it. speaks: this process says what there is to be said.
 */
void hyb_collect_wait(long fd, bool speaks);
/*
 * A thread of this process asks its collector for a slot: the socket that the answer (struct hyb_collect_slot) will come
 * by, which does not block. -EAGAIN: not yet; otherwise -errno.
 */
long hyb_collect_connect(uint32_t tid);

#endif
