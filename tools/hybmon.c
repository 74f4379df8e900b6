/* SPDX-License-Identifier: BSD-3-Clause */
/* The command hybmon: a table of subcommands. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/config.h"
#include "tools/run/filter-price.h"
#include "tools/common/tool.h"
#include "tools/common/commands.h"
#include "tools/common/lacking.h"
#include "reader/streams/printable.h"

struct command {
	const char *name;
	const char *arguments;
	const char *summary;	/* one line for the overview */
	const char *text;	/* for `hybmon help <name>` */
	int (*run)(int argc, char **argv);
	bool own_options; /* --help among them */
};

static const struct command commands[];

/* What reading the settings reports, in place of core/sys/log.c: hybmon is no library. */
enum hyb_log_level hyb_log_most;

void hyb_log(enum hyb_log_level level, const char *format, ...)
{
	va_list arguments;

	fputs(level == HYB_LOG_ERROR ? "hybmon: error: " : "hybmon: warning: ", stderr);
	va_start(arguments, format);
	hyb_show_va(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

static const char *source_text(const struct hyb_config_item *item)
{
	switch (item->source) {
	case HYB_CONFIG_DEFAULT:
		return "default";
	case HYB_CONFIG_ENVIRONMENT:
		return "from the environment";
	case HYB_CONFIG_CLAMPED:
		return "nearest to what the environment says";
	case HYB_CONFIG_WRONG:
		return "default, the environment's value is wrong";
	}
	return "";
}

static void print_value(const struct hyb_config_item *item, void *context)
{
	(void)context;
	printf("%s=%s\n", item->name, item->value);
	printf("    (%s)\n", source_text(item));
	hyb_tool_fill(item->help, 4);
}

static void print_short(const struct hyb_config_item *item, void *context)
{
	(void)context;
	printf("%s=%s\n", item->name, item->value);
}

static void print_variable(const struct hyb_config_item *item, void *context)
{
	(void)context;
	printf("\n%s (%s; %s%s%s)\n", item->name, item->range, *item->fallback ? "default " : "",
	       item->fallback, *item->fallback ? "" : "not set by default");
	hyb_tool_fill(item->help, 4);
}

static int usage_error(const char *what, const char *word)
{
	hyb_show(stderr, "hybmon: %s \"%s\"; see \"hybmon help\"\n", what, word);
	return EXIT_USAGE;
}

static int run_config(int argc, char **argv)
{
	bool brief = false;
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--short") == 0)
			brief = true;
		else
			return usage_error("config does not know", argv[i]);
	}
	hyb_config_load();
	hyb_config_each(brief ? print_short : print_value, NULL);
	return EXIT_OK;
}

/* Features of the commands that this build may lack. */
static void print_lacking(void)
{
	const char *before = "\nThis build lacks ";

	for (int o = 0; o < HYB_OPTIONALS; o++) {
		if (!hyb_build_lacks(o))
			continue;
		printf("%s%s", before, hyb_optional_name(o));
		before = ", ";
	}
	if (*before == ',')
		puts(": \"hybmon doctor build\" says what that means.");
}

static void print_overview(void)
{
	const struct command *c;

	fputs("hybmon records what programs with MPI or OpenMP do and makes OTF2 traces of it.\n\n"
	      "    hybmon run mpirun -n 4 ./app      records it into hybmon-app-<number>\n"
	      "    hybmon report hybmon-app-<number> says where the time went, and why\n"
	      "    hybmon view hybmon-app-<number>   shows its timeline\n"
	      "    hybmon merge hybmon-app-<number>  makes traces.otf2 in it\n\n"
	      "hybmon itself knows:\n", stdout);
	for (c = commands; c->name; c++)
		printf("    %-8s %-20s %s\n", c->name, c->arguments, c->summary);
	fputs("\nHelp topics: the names above, and env for the environment variables.\n", stdout);
	print_lacking();
}

/* Says what is unknown and which name comes nearest. */
static int unknown(const char *what, const char *word)
{
	unsigned int best = UINT_MAX;
	const char *near = NULL;
	const struct command *c;

	for (c = commands; c->name; c++) {
		if (hyb_config_closer(word, strlen(word), c->name, strlen(c->name), &best))
			near = c->name;
	}
	if (!near)
		return usage_error(what, word);
	hyb_show(stderr, "hybmon: %s \"%s\"; did you mean %s?\n", what, word, near);
	return EXIT_USAGE;
}

static const struct command *find_command(const char *name)
{
	const struct command *c;

	for (c = commands; c->name; c++) {
		if (strcmp(c->name, name) == 0)
			return c;
	}
	return NULL;
}

static int run_version(int argc, char **argv)
{
	if (argc > 1)
		return usage_error("version does not know", argv[1]);
	printf("hybmon %s\n", PACKAGE_VERSION);
	return EXIT_OK;
}

static int run_help(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		print_overview();
		return EXIT_OK;
	}
	if (strcmp(argv[1], "env") == 0) {
		hyb_tool_fill("These variables are read once, at the program's first MPI call or "
			     "first use of OpenMP. What is in effect shows \"hybmon config\".",
			     0);
		hyb_config_each(print_variable, NULL);
		return EXIT_OK;
	}
	c = find_command(argv[1]);
	if (!c)
		return unknown("there is no help on", argv[1]);
	if (c->run == hyb_run) {
		hyb_run_help();
		return EXIT_OK;
	}
	printf("hybmon %s %s\n\n", c->name, c->arguments);
	hyb_tool_fill(c->text, 4);
	return EXIT_OK;
}

static const struct command commands[] = {
	{ "run", "[options] command", "runs a program or a launcher, recorded", "", hyb_run, true },
	{ "replay", "[options] DIR command", "runs it again in the order that was recorded",
	  "Runs a program with MPI again so that each receive gets the message that it got, and each test says what it "
	  "said, when DIR was recorded with HYBMON_ORDER. Its options shows \"hybmon replay --help\".", hyb_replay, true },
	{ "config", "[--short]", "each variable, its value, what it does",
	  "Reads the environment as libhybmon.so would and shows for each variable the value that "
	  "would be in effect, where it comes from and what it is for. Wrong values and unknown "
	  "variables are named as they would be in the program. With --short, NAME=value "
	  "only.", run_config, false },
	{ "doctor", "[NAME...]", "what this machine and this user can have",
	  "Looks at the libraries, MPIs, OpenMP runtimes, counters and the kernel's sources that are "
	  "here, and says of each what it allows and what would have to be done for more; in build, what this hybmon was built without. With names, as they stand "
	  "in its first column, only at these. It exits with 1 if one of these cannot be had; without names, if the "
	  "library, the adapter for an MPI that is here, or hybmon-merge is missing.", hyb_doctor, false },
	{ "counters", "[--cost] [NAME...]", "what can be counted, or these together",
	  "Without names: all counters of this machine for HYBMON_COUNTERS, with units, and why some of them cannot be "
	  "counted. With names, or HYBMON_COUNTERS: whether they can be counted together, by which way they are read, and "
	  "with --cost how long a reading takes, in nanoseconds.", hyb_counters, false },
	{ "merge", "[options] DIR...", "a trace for other tools: OTF2, Perfetto, JSON",
	  "The same as hybmon-merge: makes an OTF2 trace of the recording in DIR, or one for Perfetto, or JSON Lines. Its "
	  "options shows \"hybmon merge --help\".", hyb_merge_main, true },
	{ "print", "[options] DIR...", "a recording as text",
	  "The same as hybmon-print: shows what was recorded as text, also while it is recorded. Its options shows "
	  "\"hybmon print --help\".", hyb_print_main, true },
	{ "check", "[options] DIR...", "who waits for whom in a job that hung or died",
	  "Says whether what was recorded in DIR is sound; and of a program that hung or died, or still "
	  "runs, where its ranks stand, who waits for whom, and what can never end. Its options shows "
	  "\"hybmon check --help\".", hyb_check_main, true },
	{ "filter", "[options] DIR", "what to leave out of the next recording",
	  "Reads the recording in DIR and writes a filter file: regions with many visits that are short are left out. "
	  "What each region cost, and the size and overhead before and after, stand in it as comments. Its options shows "
	  "\"hybmon filter --help\".", hyb_filter_main, true },
	{ "report", "[options] DIR...", "where the time went, who waited for whom, and why",
	  "Says where the time of the job recorded in DIR went, who waited for others in MPI, and what that waiting "
	  "goes back to: which rank came late, and what it did meanwhile, or the kernel did to it. Its options shows "
	  "\"hybmon report --help\".", hyb_report_main, true },
	{ "diff", "[options] A [--] B", "what differs between recordings",
	  "Sets the recordings A and B of a program against each other: length, regions, waiting and its causes. Several "
	  "of each have -- between them. With --fail-above it exits with 1 where B takes more than that. Its options "
	  "shows \"hybmon diff --help\".", hyb_diff_main, true },
	{ "races", "[options] DIR [OTHER]", "receives that could have got another message",
	  "Says which receives of the job recorded in DIR that name any source could have got another message, by the lines "
	  "of the program; with OTHER, which got another one there. Record with hybmon run --order=yes. Its options shows "
	  "\"hybmon races --help\".", hyb_races_main, true },
	{ "graph", "[options] DIR", "what happened before what, as a graph",
	  "Writes sends, receives and collective operations of the job recorded in DIR, and what of it comes before what, as "
	  "GraphML or DOT. See \"hybmon graph --help\" for options.", hyb_graph_main, true },
	{ "view", "[options] DIR...", "the timeline of a job, in a browser",
	  "Shows the job recorded in DIR on a time axis, in a browser: what each rank and thread was in, what the kernel "
	  "did to it meanwhile, what each CPU ran, and messages; with --export as one page. Its options shows "
	  "\"hybmon view --help\".", hyb_view_main, true },
	{ "help", "[topic]", "shows this, or more about one topic",
	  "Topics are the names of the commands, and env for all environment variables.",
	  run_help, false },
	{ "version", "", "shows the version", "Shows the version of hybmon.", run_version, false },
	{ .name = NULL },
};

/* A full disk or a closed pipe behind stdout must not look like success. */
static int finish(int status)
{
	if (fflush(stdout) != 0 && errno != EPIPE) {
		fprintf(stderr, "hybmon: cannot write: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	return status;
}

/* A link to this program may have the name of one of its commands: hybmon-merge. */
static const struct command *named_command(const char *program)
{
	static const char prefix[] = "hybmon-";
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
	const struct command *c = strncmp(name, prefix, strlen(prefix)) ? NULL : find_command(name + strlen(prefix));

	return c && c->own_options ? c : NULL;
}

int main(int argc, char **argv)
{
	const struct command *c = argc ? named_command(argv[0]) : NULL;

	if (c)
		return c->run(argc, argv);
	if (argc < 2) {
		print_overview();
		return finish(EXIT_USAGE);
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("hybmon %s\n", PACKAGE_VERSION);
		return finish(EXIT_OK);
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_overview();
		return finish(EXIT_OK);
	}
	if (argc == 2 && !strcmp(argv[1], HYB_PRICE_ARGUMENT))
		return finish(hyb_price_program());
	c = find_command(argv[1]);
	if (!c)
		return unknown("there is no command", argv[1]);
	if (!c->own_options && argc == 3 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h"))) {
		argv[2] = argv[1];
		return finish(run_help(argc - 1, argv + 1));
	}
	return c->own_options ? c->run(argc - 1, argv + 1) : finish(c->run(argc - 1, argv + 1));
}
