/* SPDX-License-Identifier: BSD-3-Clause */
/* The socket that the job's processes come to; who connects to it may also be somebody else. */
#ifndef HYB_COLLECTOR_JOB_LISTENER_H
#define HYB_COLLECTOR_JOB_LISTENER_H

#include <stdbool.h>

void hyb_listener_start(int fd);
/* The descriptor; -1: nobody can connect any more. */
int hyb_listener_fd(void);
/*
 * Calls serve for each connection that there is by now, `most` at most. True: it keeps the connection; others are closed
 * here. Connections of other users do not get there, and are counted.
 */
void hyb_listener_accept(unsigned int most, bool (*serve)(int connection));
unsigned int hyb_listener_refused(void);
/* From here on nobody can connect; those who did can still be accepted. Also for signal handlers. */
void hyb_listener_withdraw(void);
void hyb_listener_close(void);

#endif
