/* SPDX-License-Identifier: BSD-3-Clause */
/* Where hybmon-print cannot go on. */
#ifndef HYB_EXPORT_TEXT_END_H
#define HYB_EXPORT_TEXT_END_H

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Ends the program with what strerror says; for what leaves no way to go on. */
void print_die(int err) __attribute__((noreturn));
/* p, or the end of the program where that is NULL for want of memory. */
void *print_must(void *p);
/* Ends the program when nobody reads the output any more, or it cannot be written. */
void print_check_output(void);

#endif
