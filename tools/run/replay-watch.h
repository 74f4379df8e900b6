/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks whether a replay goes on, and where it does not, says who waits for whom. */
#ifndef HYB_TOOLS_RUN_REPLAY_WATCH_H
#define HYB_TOOLS_RUN_REPLAY_WATCH_H

/*
 * From another process, until this one ends. recording: where the replay is recorded, which shows what goes on. Nothing
 * is watched where that would not show it: without MPI's calls, or as a profile; or beside a debugger.
 */
void hyb_replay_watch(const char *recording);
/* The command has ended. */
void hyb_replay_watch_end(void);

#endif
