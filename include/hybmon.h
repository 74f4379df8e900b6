/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program can ask of hybmon. A program need not use any of this to be recorded.
 *
 * All functions may be called at any time, from any thread, from signal handlers, in C and C++, whether
 * or not the process is being recorded. Before anything is recorded they make nothing: what was asked for
 * last holds once it is. A program that is to run also where hybmon is not installed includes
 * this header with HYBMON_WEAK defined and does not link with -lhybmon; see HYBMON_CALL below.
 */
#ifndef HYBMON_H
#define HYBMON_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef HYBMON_WEAK
#define HYBMON_API __attribute__((weak))
#else
#define HYBMON_API
#endif

/*
 * Calls a function of this header if the library is there, that is, preloaded. For programs
 * compiled with HYBMON_WEAK:
 *
 *	HYBMON_CALL(hybmon_pause);
 */
#define HYBMON_CALL(function) do { \
		if (function) \
			function(); \
	} while (0)

/*
 * Stops the recording of this process's threads; the trace shows from when to when. Calls that are
 * under way are recorded to their end. Pausing twice is the same as pausing once.
 */
HYBMON_API void hybmon_pause(void);

/* Takes the recording up again, or begins it where HYBMON_RECORD=off. */
HYBMON_API void hybmon_resume(void);

/*
 * 1 if calls are being recorded now, 0 if not: paused, switched off, before the first MPI call and
 * the first use of OpenMP, after the end, or because no experiment could be made. Where space ran out
 * later it is 1: what is lost is counted, and recorded again once there is space.
 */
HYBMON_API int hybmon_is_recording(void);

/* The version of the library, such as "1.0.0". */
HYBMON_API const char *hybmon_version(void);

#ifdef __cplusplus
}
#endif

#endif
