/* SPDX-License-Identifier: BSD-3-Clause */
/* See command.h. */
#include "tools/common/command.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/streams/printable.h"
#include "tools/common/tool.h"

#define MOST 24	 /* options of a command */
#define FIRST 256 /* what getopt_long returns for the first of them */

const struct hyb_library_need hyb_json_need = { "--json", HYB_OPTIONAL_JANSSON };
const struct hyb_library_need hyb_debuginfod_need = { "--debuginfod", HYB_OPTIONAL_LIBDW };

volatile sig_atomic_t hyb_command_stop;

static const struct hyb_command *current;
static char place[PATH_MAX]; /* empty: there is none */

void hyb_command_on_signal(int number)
{
	hyb_command_stop = number;
}

void hyb_command_say(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: ", current->name);
	va_start(arguments, format);
	hyb_show_va(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

int hyb_command_wrong(const char *format, const char *what)
{
	fprintf(stderr, "%s: ", current->name);
	hyb_show(stderr, format, what);
	fputs("; try --help\n", stderr);
	return EXIT_USAGE;
}

void hyb_command_fail(int err)
{
	if (err == -ENOMEM)
		hyb_command_say("out of memory");
}

static void report_line(void *arg, enum hyb_severity severity, const char *text)
{
	static const char *const words[] = { "note: ", "warning: ", "" };

	(void)arg;
	fprintf(stderr, "%s: %s%s\n", current->name, words[severity], text);
}

const struct hyb_diag hyb_command_diag = { report_line, NULL };

/* An option that is longer than the column is on a line of its own. */
static void print_option(const struct hyb_option *o)
{
	const char *line = o->help;
	int used = o->letter ? printf("  -%c, --%s", o->letter, o->name) : printf("      --%s", o->name);

	used += o->argument ? printf("%s", o->argument) : 0;
	if (used >= current->column) {
		putchar('\n');
		used = 0;
	}
	for (;; used = 0) {
		const size_t length = strcspn(line, "\n");

		printf("%*s%.*s\n", current->column - used, "", (int)length, line);
		if (!line[length])
			return;
		line += length + 1;
	}
}

static void print_help(void)
{
	static const struct hyb_option common[] = {
		{ .name = "help", .help = "this text", .letter = 'h' }, { .name = "version", .help = "the version" },
	};

	fputs(current->usage, stdout);
	for (const struct hyb_option *o = current->options; current->column && o->name; o++)
		print_option(o);
	for (size_t i = 0; current->column && i < 2; i++)
		print_option(&common[i]);
	fputs(current->notes, stdout);
	if (current->help_lacking)
		current->help_lacking();
	for (const struct hyb_option *o = current->options; o->name; o++) {
		if (o->need)
			hyb_lacks_help(o->need);
	}
}

static int take_option(const struct hyb_option *o, void *wish)
{
	char *const at = (char *)wish + o->at;

	if (o->need && hyb_lacks(current->name, o->need))
		return current->failed;
	if (o->kind == HYB_OPTION_TAKE)
		return o->take(optarg, wish);
	if (o->kind == HYB_OPTION_FLAG)
		*(bool *)at = true;
	else
		*(const char **)at = optarg;
	return -1;
}

/* Tables of getopt_long; letters are those of the options. */
static void make_tables(struct option *list, char *letters)
{
	*list++ = (struct option){ "version", no_argument, NULL, 'V' };
	for (size_t i = 0; i < MOST && current->options[i].name; i++) {
		const struct hyb_option *o = &current->options[i];

		*list++ = (struct option){ o->name, o->argument ? required_argument : no_argument, NULL, FIRST + (int)i };
		if (o->letter)
			*letters++ = o->letter;
		if (o->letter && o->argument)
			*letters++ = ':';
	}
	*list++ = (struct option){ "help", no_argument, NULL, 'h' };
	*list = (struct option){ NULL, 0, NULL, 0 };
	strcpy(letters, "h");
}

int hyb_command_read(const struct hyb_command *command, int argc, char **argv, void *wish)
{
	struct option list[MOST + 3];
	char letters[2 * MOST + 2];
	int c, status = -1;

	current = command;
	*place = 0;
	hyb_command_stop = 0;
	optind = 0;
	make_tables(list, letters);
	while (status < 0 && (c = getopt_long(argc, argv, letters, list, NULL)) != -1) {
		const struct hyb_option *o = command->options;

		if (c == 'h' || c == 'V') {
			if (c == 'h')
				print_help();
			else
				printf("%s " PACKAGE_VERSION "\n", command->name);
			return EXIT_OK;
		}
		if (c == '?')
			return EXIT_USAGE;
		while (c < FIRST && o->letter != c)
			o++;
		status = take_option(c < FIRST ? o : o + c - FIRST, wish);
	}
	return status;
}

int hyb_command_count(int argc, int most)
{
	if (optind == argc)
		return hyb_command_wrong("%s", "no experiment given");
	if (most && argc - optind > most)
		return hyb_command_wrong("more than %s given", most == 1 ? "one experiment" : "two experiments");
	return -1;
}

void hyb_command_begin(bool debuginfod)
{
	if (!debuginfod)
		unsetenv("DEBUGINFOD_URLS");
	signal(SIGINT, hyb_command_on_signal);
	signal(SIGTERM, hyb_command_on_signal);
}

int hyb_command_make_place(const char **path)
{
	const char *tmp = getenv("TMPDIR");
	const char *name = strchr(current->name, ' ');

	snprintf(place, sizeof(place), "%s/hybmon-%s-XXXXXX", tmp && *tmp ? tmp : "/tmp",
		 name ? name + 1 : current->name + strlen("hybmon-"));
	*path = place;
	return mkdtemp(place) ? 0 : -errno;
}

const char *hyb_command_begin_in_place(bool debuginfod)
{
	const char *path;
	int err;

	/* A signal that comes from here on leaves no directory behind. */
	hyb_command_begin(debuginfod);
	err = hyb_command_make_place(&path);
	if (!err)
		return path;
	hyb_command_say("cannot make the directory %s: %s; set TMPDIR", path, strerror(-err));
	return NULL;
}

void hyb_command_remove_place(void)
{
	if (*place)
		rmdir(place);
}

int hyb_command_end(int status)
{
	hyb_command_remove_place();
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	hyb_command_say("cannot write to the standard output: %s", strerror(errno));
	return current->failed;
}
