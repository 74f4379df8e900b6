/* SPDX-License-Identifier: BSD-3-Clause */
/* A process of a replay waits for a debugger, if its user asked for that: HYBMON_REPLAY_GDB. */
#ifndef HYB_CORE_PROCESS_DEBUGGER_H
#define HYB_CORE_PROCESS_DEBUGGER_H

#include "core/sys/compiler.h"

/*
 * MPI has started: if this rank is to be debugged, says in one line how, and waits until a debugger is attached. In a
 * replay only. Keeps errno.
 */
HYB_EXPORT void hyb_debugger_wait(int rank);

#endif
