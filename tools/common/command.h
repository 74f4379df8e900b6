/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What commands with options of their own have in common: options and help from one table, messages in the command's
 * name, an end by signals, a directory in TMPDIR, a checked standard output. One command runs at a time: the last one read.
 */
#ifndef HYB_TOOLS_COMMON_COMMAND_H
#define HYB_TOOLS_COMMON_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "reader/streams/diag.h"
#include "tools/common/lacking.h"

struct hyb_option {
	const char *name;
	const char *argument; /* behind the name in the help text: "=BYTES", " DIR"; NULL: it takes none */
	const char *help;     /* lines */
	char letter;	      /* 0: it has none */
	enum { HYB_OPTION_FLAG, HYB_OPTION_TEXT, HYB_OPTION_TAKE } kind;
	size_t at;			     /* of a bool or a const char * in the command's own structure */
	int (*take)(const char *text, void *wish); /* -1 or the exit status, with the error reported */
	const struct hyb_library_need *need; /* NULL: none */
};

#define HYB_MEMBER(type, member, wanted) \
	(offsetof(type, member) + 0 * sizeof(char[__builtin_types_compatible_p(typeof(((type *)0)->member), wanted) ? 1 : -1]))
#define HYB_FLAG(type, member) .kind = HYB_OPTION_FLAG, .at = HYB_MEMBER(type, member, bool)
#define HYB_TEXT(type, member) .kind = HYB_OPTION_TEXT, .at = HYB_MEMBER(type, member, const char *)
#define HYB_TAKE(function)     .kind = HYB_OPTION_TAKE, .take = (function)
#define HYB_OPTION_DEBUGINFOD(type) \
	{ "debuginfod", NULL, "ask the servers in DEBUGINFOD_URLS for debug information", HYB_FLAG(type, debuginfod), \
	  .need = &hyb_debuginfod_need }

extern const struct hyb_library_need hyb_json_need, hyb_debuginfod_need;

struct hyb_command {
	const char *name;  /* as its messages begin: "hybmon check" */
	const char *usage; /* its help text up to the options */
	const char *notes; /* and behind them */
	int column;	   /* of the help on options; 0: `usage` has that */
	int failed;	   /* exit status where something cannot be had or done; that of wrong usage is 2 */
	const struct hyb_option *options; /* without --help and --version, which all have; ends with an empty one */
	void (*help_lacking)(void);	  /* what the build lacks besides what options need; may be NULL */
};

/* Takes the options. -1: the words begin at optind; or the exit status: answered, or wrong, which is reported. */
int hyb_command_read(const struct hyb_command *command, int argc, char **argv, void *wish);
/* -1: there are experiments, and at most so many (0: any number); or the exit status. */
int hyb_command_count(int argc, int most);

/* One line on the standard error, with arguments made printable. */
void hyb_command_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with "; try --help". Returns the exit status of wrong usage. */
int hyb_command_wrong(const char *format, const char *what) __attribute__((format(printf, 1, 0)));
/* Reports -ENOMEM; other errors have been reported where they were found. */
void hyb_command_fail(int err);
/* Reports as the command's own lines. */
extern const struct hyb_diag hyb_command_diag;

/* The signal that asked the command to end, or 0. */
extern volatile sig_atomic_t hyb_command_stop;
void hyb_command_on_signal(int number);
/* From here on signals ask it to end. Without debuginfod libdw asks no server: nobody waits for a network unasked. */
void hyb_command_begin(bool debuginfod);
/* Makes a directory for what does not fit into memory. 0 or -errno; either way `path` is its name. */
int hyb_command_make_place(const char **path);
/* The same, with begin: the directory, or NULL, which is reported. */
const char *hyb_command_begin_in_place(bool debuginfod);
/* Removes that directory, if there is one; also from other threads. */
void hyb_command_remove_place(void);
/* The same, and checks the standard output. Returns the exit status. */
int hyb_command_end(int status);

#endif
