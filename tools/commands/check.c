/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon check: whether a recording is sound, and of a job that hung or died who waits for whom. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/check/check.h"
#include "export/documents/check.h"
#include "tools/common/commands.h"
#include "tools/common/lacking.h"
#include "tools/common/paint.h"
#include "reader/streams/printable.h"

enum { EXIT_SOUND = 0, EXIT_FOUND = 1, EXIT_UNREAD = 2 };

#define BUFFERED                                                                                   \
	65536 /* no MPI that is known to us buffers more than that by default between hosts */

static const char usage[] =
	"usage: hybmon check [options] DIR...\n"
	"\n"
	"Says whether what was recorded in DIR is sound; and of a program that hung or died,\n"
	"or still runs, where its ranks stand, who waits for whom, and what can never end.\n"
	"\n"
	"      --all             show all of long lists\n"
	"      --json            all of it as one JSON document, for programs\n"
	"      --buffered=BYTES  an MPI_Send of so many bytes may come back before it is\n"
	"                        received: nobody waits for its receiver (65536)\n"
	"      --debuginfod      ask the servers in DEBUGINFOD_URLS for debug information\n"
	"  -h, --help            this text\n"
	"      --version         the version\n"
	"\n"
	"Exit status: 0 sound and ended normally, 1 something was found, 2 it cannot be read,\n"
	"or wrong usage.\n";

static const struct option options[] = {
	{ "all", no_argument, NULL, 'a' },	  { "buffered", required_argument, NULL, 'b' },
	{ "debuginfod", no_argument, NULL, 'D' }, { "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },	  { "json", no_argument, NULL, 'j' },
	{ NULL, 0, NULL, 0 },
};

static const struct hyb_library_need json_need = { "--json", HYB_OPTIONAL_JANSSON };
static const struct hyb_library_need debuginfod_need = { "--debuginfod", HYB_OPTIONAL_LIBDW };

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	stop = number;
}

static void report(void *arg, enum hyb_severity severity, const char *text)
{
	static const char *const words[] = { "note: ", "warning: ", "" };

	(void)arg;
	fprintf(stderr, "hybmon check: %s%s\n", words[severity], text);
}

static bool parse_bytes(const char *text, uint64_t *bytes)
{
	char *end;

	errno = 0;
	*bytes = strtoull(text, &end, 10);
	return !errno && end != text && !*end && *text != '-';
}

static int wrong(const char *format, const char *what)
{
	fputs("hybmon check: ", stderr);
	hyb_show(stderr, format, what);
	fputs("; try --help\n", stderr);
	return EXIT_UNREAD;
}

static int show_json(const struct hyb_check *c)
{
	if (!hyb_json_check(c, stdout))
		return 0;
	fputs("hybmon check: out of memory\n", stderr);
	return -1;
}

static int write_text(const void *check, FILE *to)
{
	hyb_check_print(check, to);
	return 0;
}

static int show(const struct hyb_check *c, bool json)
{
	if (json)
		return show_json(c);
	return hyb_paint_headings(stdout, write_text, c);
}

static int check(const struct hyb_check_options *o, bool json)
{
	static struct hyb_check c;
	int status = EXIT_UNREAD;

	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	if (!hyb_check_run(&c, o) && !show(&c, json))
		status = hyb_check_found(&c) ? EXIT_FOUND : EXIT_SOUND;
	hyb_check_free(&c);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "hybmon check: cannot write to the standard output: %s\n",
			strerror(errno));
		return EXIT_UNREAD;
	}
	return status;
}

int hyb_check_main(int argc, char **argv)
{
	static const struct hyb_diag diag = { report, NULL };
	struct hyb_check_options o = { .buffered = BUFFERED, .diag = &diag, .stop = &stop };
	bool debuginfod = false, json = false;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'a':
			o.all = true;
			break;
		case 'b':
			if (!parse_bytes(optarg, &o.buffered))
				return wrong("\"%s\" is no number of bytes", optarg);
			break;
		case 'D':
			if (hyb_lacks("hybmon check", &debuginfod_need))
				return EXIT_UNREAD;
			debuginfod = true;
			break;
		case 'j':
			if (hyb_lacks("hybmon check", &json_need))
				return EXIT_UNREAD;
			json = o.all = true;
			break;
		case 'h':
			fputs(usage, stdout);
			hyb_lacks_help(&json_need);
			hyb_lacks_help(&debuginfod_need);
			return EXIT_SOUND;
		case 'V':
			puts("hybmon check " PACKAGE_VERSION);
			return EXIT_SOUND;
		default:
			return EXIT_UNREAD;
		}
	}
	/* libdw would ask them: nobody waits for a network that nobody spoke of. */
	if (!debuginfod)
		unsetenv("DEBUGINFOD_URLS");
	if (optind == argc)
		return wrong("%s", "no experiment given");
	o.dirs = (const char *const *)&argv[optind];
	o.dir_count = (size_t)(argc - optind);
	return check(&o, json);
}
