/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a command is that is about to be started: which file, whether a library can be preloaded into it, and what
 * libraries the dynamic linker will load with it. Nothing of the program's own is executed for that.
 */
#ifndef HYB_TOOLS_RUN_PROGRAM_H
#define HYB_TOOLS_RUN_PROGRAM_H

#include <stdbool.h>

enum hyb_program_kind {
	HYB_PROGRAM_UNKNOWN,	/* not found, or of a kind that is not known here */
	HYB_PROGRAM_DYNAMIC,
	HYB_PROGRAM_STATIC,	/* has no dynamic linker: nothing can be preloaded */
	HYB_PROGRAM_FOREIGN,	/* for another machine */
};

struct hyb_program {
	const char *name;	/* as the command line has it */
	char *path;		/* of the file found; NULL: there is none */
	char *executed;		/* of a script its interpreter, else the same as path */
	const char *machine;	/* what a foreign one is for */
	enum hyb_program_kind kind;
	bool script;		/* executed reads it */
	bool secure;		/* set-uid and the like: the dynamic linker does not preload for this user */
	char **libraries;	/* paths of all that are loaded with it, NULL at the end; NULL: not known */
};

/* What `name` is, looked for as a shell would. */
void hyb_program_find(struct hyb_program *program, const char *name);
void hyb_program_free(struct hyb_program *program);
/* The loaded library of that name (libx.so.1), or NULL. */
const char *hyb_program_library(const struct hyb_program *program, const char *name);

/* Path of the executable file that a command name stands for, in PATH or not; NULL: there is none. To be freed. */
char *hyb_program_path(const char *name);
/* Whether `name` without folders is that of a program that executes what others have written: sh, python3, ... */
bool hyb_program_interprets(const char *name);
/* The last part of a path. */
const char *hyb_program_base(const char *path);

#endif
