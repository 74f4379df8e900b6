/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the reader library says what it met. It never prints and never ends the program: it calls
 * what the tool gave it, with one line of lower-case text without a newline, saying what is wrong
 * and what follows.
 */
#ifndef HYB_READER_STREAMS_DIAG_H
#define HYB_READER_STREAMS_DIAG_H

#include <stddef.h>

enum hyb_severity {
	HYB_SEV_NOTE,	 /* worth knowing; nothing is missing */
	HYB_SEV_WARNING, /* something is missing or doubtful; the rest was read */
	HYB_SEV_ERROR,	 /* the call that reported this returns -errno */
};

/*
 * A callback may be called from every thread that uses the library with it. The library's own threads, which open many
 * files side by side, call none: what they met comes from the thread that called the library, in the order of the files.
 * Every function that takes a `const struct hyb_diag *` also takes NULL: nothing is said then.
 */
struct hyb_diag {
	void (*report)(void *arg, enum hyb_severity severity, const char *text);
	void *arg;
};

/* Formats and reports one line; keeps errno. Long lines are cut. */
void hyb_diag_say(const struct hyb_diag *diag, enum hyb_severity severity, const char *format, ...)
	__attribute__((format(printf, 3, 4), cold));

/* What is said to `diag` waits until it is its turn. It must stay where it is. For one thread at a time. */
struct hyb_diag_held {
	struct hyb_diag diag;
	char *lines; /* of each its severity, as a byte, and its text */
	size_t size;
	size_t room;
};

void hyb_diag_hold(struct hyb_diag_held *held);
/* Reports to `diag` what was said, and frees it. */
void hyb_diag_tell(struct hyb_diag_held *held, const struct hyb_diag *diag);

#endif
