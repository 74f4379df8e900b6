/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GCC's OpenMP runtime, libgomp, knows no tools. Who uses it is to learn that his OpenMP is not recorded, but not who
 * only has it among his libraries: whether it was used is seen at the end, by the threads that wait in it for work. It
 * may also come with a library that the program loads late, of which "hybmon run" cannot know.
 */
#ifndef HYB_OMPT_LIBGOMP_H
#define HYB_OMPT_LIBGOMP_H

#include <stdbool.h>

/* Notes where libgomp is, if it is there; called when the library is loaded. */
void hyb_gomp_start(void);
/* Whether it is there, used or not. */
bool hyb_gomp_is_there(void);
/* Another runtime has started and is recorded: whatever libgomp does is not missed. */
void hyb_gomp_is_not_it(void);
/* Notes and says that OpenMP was not recorded if threads of libgomp are there; called at the process's own exit. */
void hyb_gomp_end(void);

#endif
