/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports features that this build lacks (core/config/optional.tbl.h): one line each, with the packages to install. */
#ifndef HYB_TOOLS_COMMON_LACKING_H
#define HYB_TOOLS_COMMON_LACKING_H

#include <stdbool.h>

#include "core/config/optional.h"

/* A feature of a command that needs a library, for example an option. */
struct hyb_library_need {
	const char *what;
	enum hyb_optional library;
};

#define HYB_ADVICE_SIZE 128

/* True if configure did not find it, or was told to leave it out. */
bool hyb_build_lacks(enum hyb_optional o);
/* Its name, and what a build without it lacks. */
const char *hyb_optional_name(enum hyb_optional o);
const char *hyb_optional_without(enum hyb_optional o);
/* Writes how to get it. */
void hyb_optional_advice(enum hyb_optional o, char advice[HYB_ADVICE_SIZE]);
/* True if the build lacks what it needs, after one line on the standard error that begins with the command's name. */
bool hyb_lacks(const char *command, const struct hyb_library_need *need);
/* The same for help texts: the line, without the command's name, goes to the standard output. */
void hyb_lacks_help(const struct hyb_library_need *need);

#endif
