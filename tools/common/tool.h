/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the command hybmon share. */
#ifndef HYB_TOOLS_COMMON_TOOL_H
#define HYB_TOOLS_COMMON_TOOL_H

#include <stddef.h>
#include <stdio.h>

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Prints text filled to the width of a terminal, each line behind `indent` blanks. */
void hyb_tool_fill(const char *text, int indent);
/* One line on stderr, `hybmon run: warning: ...` for what = "warning: ". */
void hyb_tool_say(const char *what, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Like malloc and its kind, but they end the tool where there is no memory. */
void *hyb_tool_alloc(size_t size);
char *hyb_tool_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Adds `item` to a list that ends with NULL and may itself be NULL. */
void hyb_tool_add(char ***list, char *item);
/* A word as it would have to be typed for a shell. */
void hyb_tool_put_word(const char *word, FILE *to);
/*
 * What the command writes on its standard output, as a string to be freed; its other output is thrown away. NULL: it
 * could not be started, or failed.
 */
char *hyb_tool_output(char *const argv[]);
/* The same also if it failed; its status as waitpid(2) has it. */
char *hyb_tool_output_anyway(char *const argv[], int *status);

/* Subcommands. */
int hyb_run(int argc, char **argv);
void hyb_run_help(void);
int hyb_replay(int argc, char **argv);
int hyb_doctor(int argc, char **argv);
int hyb_counters(int argc, char **argv);

#endif
