/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hybmon run: sets the environment by which a program is recorded, runs it as if it had become it, and looks in the
 * end whether there is a recording.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/sys/preload.h"
#include "tools/common/tool.h"
#include "core/job/job.h"
#include "tools/run/outcome.h"
#include "tools/run/parent.h"
#include "tools/run/prepare.h"
#include "tools/run/program.h"
#include "tools/run/replay-watch.h"

#define PREFIX "HYBMON_"
#define EXIT_CANNOT 126		/* as env, nohup and their kind say it */
#define EXIT_ABSENT 127

static const char usage[] =
	"usage: hybmon run [options] [--] PROGRAM [ARGUMENT...]\n"
	"       hybmon run [options] [--] LAUNCHER [OPTION...] PROGRAM [ARGUMENT...]\n"
	"\n"
	"Runs the program, or the launcher with its programs, recorded by hybmon.\n"
	"\n"
	"  -o, --output DIR      where the experiment goes; the same as --trace-dir\n"
	"  -n, --dry-run         print what would be executed instead\n"
	"      --library FILE    the libhybmon.so to preload\n"
	"  -h, --help            this text\n"
	"\n"
	"Each variable of hybmon is an option, too:\n";

struct options {
	struct option *list;
	char **variables;	/* of the options of the table, in their order */
	size_t count;
	bool dry;
	bool placed;		/* where the experiment goes is among them */
	char *library;
};

enum { FROM_TABLE = 256, LIBRARY_OPTION = 255 };

/* HYBMON_TRACE_DIR is --trace-dir. */
static char *option_name(const char *variable)
{
	char *name = hyb_tool_format("%s", variable + strlen(PREFIX));

	for (char *c = name; *c; c++)
		*c = *c == '_' ? '-' : *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
	return name;
}

/* How a run is named is for hybmon run to say. */
static bool is_internal(const struct hyb_config_item *item)
{
	return !strcmp(item->name, PREFIX "RUN");
}

static void add_option(const struct hyb_config_item *item, void *context)
{
	struct options *o = context;

	if (is_internal(item))
		return;
	hyb_tool_add(&o->variables, hyb_tool_format("%s", item->name));
	o->count++;
}

static void print_option(const struct hyb_config_item *item, void *context)
{
	char *name = option_name(item->name);

	(void)context;
	if (!is_internal(item)) {
		printf("\n  --%s=%s%s%s\n", name, item->range, *item->fallback ? "   default " : "", item->fallback);
		hyb_tool_fill(item->help, 8);
	}
	free(name);
}

void hyb_run_help(void)
{
	fputs(usage, stdout);
	hyb_config_load();
	hyb_config_each(print_option, NULL);
}

static void make_options(struct options *o)
{
	static const struct option fixed[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "dry-run", no_argument, NULL, 'n' },
		{ "library", required_argument, NULL, LIBRARY_OPTION },
		{ "help", no_argument, NULL, 'h' },
	};
	const size_t own = sizeof(fixed) / sizeof(fixed[0]);

	hyb_config_each(add_option, o);
	o->list = hyb_tool_alloc((own + o->count + 1) * sizeof(*o->list));
	memcpy(o->list, fixed, sizeof(fixed));
	for (size_t i = 0; i < o->count; i++)
		o->list[own + i] = (struct option){ .name = option_name(o->variables[i]),
						    .has_arg = required_argument, .val = FROM_TABLE + (int)i };
}

static char *absolute(const char *path)
{
	char here[PATH_MAX];

	if (*path == '/' || !getcwd(here, sizeof(here)))
		return hyb_tool_format("%s", path);
	return hyb_tool_format("%s/%s", here, path);
}

static void set(const char *name, const char *value)
{
	if (setenv(name, value, 1)) {
		hyb_tool_say("", "%s: %s", name, strerror(errno));
		exit(EXIT_FAILED);
	}
}

/* Programs may be started in other folders than this one. */
static void set_path(const char *name, const char *path)
{
	char *full = absolute(path);

	set(name, full);
	free(full);
}

static void make_absolute(const struct hyb_config_item *item, void *context)
{
	const char *value = getenv(item->name);

	(void)context;
	/* In memory is in no folder. */
	if (!is_internal(item) && !strcmp(item->kind, "path") && value && *value && strcmp(value, "memory") != 0)
		set_path(item->name, value);
}

struct verdict {
	const struct options *options;
	const bool *given;
	bool bad;
};

static void judge(const struct hyb_config_item *item, void *context)
{
	struct verdict *v = context;

	for (size_t i = 0; i < v->options->count; i++) {
		if (v->given[i] && !strcmp(item->name, v->options->variables[i]) && item->source == HYB_CONFIG_WRONG)
			v->bad = true;
	}
}

/* -1: go on, else the exit status. What a wrong value is was said by hyb_config_load(). */
static int read_options(struct options *o, int argc, char **argv)
{
	static char name[] = "hybmon run";
	struct verdict verdict = { .options = o };
	bool *given;
	int c;

	argv[0] = name;		/* for what getopt_long() says */
	make_options(o);
	given = hyb_tool_alloc((o->count + 1) * sizeof(*given));
	verdict.given = given;
	while ((c = getopt_long(argc, argv, "+o:nh", o->list, NULL)) != -1) {
		if (c == 'o') {
			set(PREFIX "TRACE_DIR", optarg);
			o->placed = true;
		} else if (c == 'n') {
			o->dry = true;
		} else if (c == 'h') {
			hyb_run_help();
			return EXIT_OK;
		} else if (c == LIBRARY_OPTION) {
			o->library = absolute(optarg);
		} else if (c >= FROM_TABLE) {
			set(o->variables[c - FROM_TABLE], optarg);
			given[c - FROM_TABLE] = true;
			o->placed |= !strcmp(o->variables[c - FROM_TABLE], PREFIX "TRACE_DIR");
		} else {
			return EXIT_USAGE;
		}
	}
	hyb_config_each(make_absolute, NULL);
	hyb_config_load();
	hyb_config_each(judge, &verdict);
	free(given);
	return verdict.bad ? EXIT_USAGE : -1;
}

static void append(char **list, const char *item)
{
	char *longer = hyb_tool_format("%s%s%s", *list, **list ? ":" : "", item);

	free(*list);
	*list = longer;
}

/*
 * AddressSanitizer's library ends a program that loads another one before it, as a preloaded one is. To put it first
 * would put it into launchers and shells, too, whose leaks it reports; nothing of ours is in its way, so its check is
 * switched off instead.
 */
static void set_asan(char ***names)
{
	static const char check[] = "verify_asan_link_order";
	const char *old = getenv("ASAN_OPTIONS");
	char *options;

	if (old && strstr(old, check))
		return;
	options = hyb_tool_format("%s%s%s=0", old ? old : "", old && *old ? ":" : "", check);
	set("ASAN_OPTIONS", options);
	free(options);
	hyb_tool_add(names, hyb_tool_format("ASAN_OPTIONS"));
}

/* What is to be preloaded: ours in front of the other tools that are there already. To be freed. */
static char *compose_preload(const struct hyb_plan *plan)
{
	const char *old = getenv("LD_PRELOAD");
	char *words = hyb_tool_format("%s", old ? old : "");
	char *front = hyb_tool_format("%s", "");
	char *back = hyb_tool_format("%s", "");
	char *rest = words;
	char *word;

	while ((word = strtok_r(rest, ": ", &rest))) {
		if (hyb_preload_is_ours(word, strlen(word)))
			continue;
		append(hyb_preload_goes_first(word, strlen(word)) ? &front : &back, word);
	}
	append(&front, plan->library);
	if (*back)
		append(&front, back);
	free(words);
	free(back);
	return front;
}

/* An empty folder becomes the experiment. */
static bool is_taken(const char *path)
{
	struct dirent *d;
	bool taken = false;
	struct stat st;
	DIR *dir;

	if (lstat(path, &st))
		return false;
	dir = opendir(path);
	while (dir && !taken && (d = readdir(dir)))
		taken = strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
	if (dir)
		closedir(dir);
	return taken || !dir;
}

static char *default_place(const char *program)
{
	char job[64];

	hyb_job_scheduler(job, sizeof(job));
	return hyb_tool_format("hybmon-%s-%s%s%ld", program, job, *job ? "-" : "", (long)getpid());
}

/* Where the first experiment of the run goes: the place wished for, or the next that is free. */
static void set_place(const struct hyb_plan *plan)
{
	const struct hyb_launch *l = &plan->launch;
	const char *program = hyb_program_base(plan->argv[l->count ? l->programs[0] : 0]);
	const char *wish = getenv(PREFIX "TRACE_DIR");
	char *base = wish && *wish ? hyb_tool_format("%s", wish) : default_place(program);
	char *path = hyb_tool_format("%s", base);

	for (unsigned int n = 2; is_taken(path); n++) {
		free(path);
		path = hyb_tool_format("%s.%u", base, n);
	}
	if (strcmp(path, base) != 0 && hyb_config.verbose >= HYB_LOG_NOTE)
		hyb_tool_say("note: ", "%s is there already; this experiment is %s", base, path);
	set_path(PREFIX "TRACE_DIR", path);
	free(base);
	free(path);
}

/*
 * All that the command starts is one run, and processes without a rank share one experiment. A run inside of a run
 * belongs to it, but where it is given a place of its own. False: this is none of its own.
 */
static bool set_run(const struct hyb_plan *plan, const struct options *o)
{
	struct timespec now;
	char host[256] = "";
	char *run;

	/* A launcher has begun this, as one of several: the library finds what is common to them. */
	if (hyb_job_rank() >= 0 || (*hyb_config.run && !o->placed))
		return false;
	clock_gettime(CLOCK_REALTIME, &now);
	gethostname(host, sizeof(host) - 1);
	run = hyb_tool_format("%s.%ld.%lld", host, (long)getpid(), now.tv_sec * 1000000000LL + now.tv_nsec);
	set(PREFIX "RUN", run);
	free(run);
	set_place(plan);
	return true;
}

static void add_ours(char ***names)
{
	for (char **e = environ; *e; e++) {
		if (!strncmp(*e, PREFIX, strlen(PREFIX)))
			hyb_tool_add(names, hyb_tool_format("%.*s", (int)strcspn(*e, "="), *e));
	}
}

/*
 * Open MPI's launcher takes the variables for other nodes from options, or from a variable of its own, and refuses to
 * be told in both ways. Any launcher may be told a value of LD_PRELOAD, which then has to name the library, too.
 */
static char **export_variables(const struct hyb_plan *plan, char **names)
{
	static const char own[] = "OMPI_MCA_mca_base_env_list";
	static const char *const none[] = { NULL };
	const char *list = getenv(own);
	const bool openmpi = plan->launch.mpi == HYB_LAUNCH_OPENMPI;
	char *preload = hyb_tool_format("%s", plan->library);
	char **argv;
	char *longer;

	for (size_t i = 0; openmpi && list && *list && names[i]; i++) {
		longer = hyb_tool_format("%s;%s", getenv(own), names[i]);
		set(own, longer);
		free(longer);
	}
	argv = hyb_launch_export(&plan->launch, plan->argv, openmpi && !(list && *list) ? (const char *const *)names : none,
				 preload);
	free(preload);
	return argv;
}

/* As it would have to be typed: the variables in front. */
static int print_command(char *const argv[], char *const names[])
{
	for (size_t i = 0; names[i]; i++) {
		printf("%s=", names[i]);
		hyb_tool_put_word(getenv(names[i]), stdout);
		putchar(' ');
	}
	for (size_t i = 0; argv[i]; i++) {
		hyb_tool_put_word(argv[i], stdout);
		putchar(argv[i + 1] ? ' ' : '\n');
	}
	return EXIT_OK;
}

static int cannot(const char *name, int err)
{
	hyb_tool_say("", "%s: %s", name, strerror(err));
	return err == ENOENT ? EXIT_ABSENT : EXIT_CANNOT;
}

static int execute(char *const argv[])
{
	execvp(argv[0], argv);
	return cannot(argv[0], errno);
}

/*
 * Who stays as a parent sees what became of the recording, which nobody else is there to say. A rank of a launcher's
 * is executed in this process's place: launchers know their ranks by number, and one line would come from each.
 */
static int attend(const struct hyb_plan *plan, char *const argv[])
{
	char *path = hyb_program_path(argv[0]);
	int status;
	int err;

	if (path && hyb_config.verbose >= HYB_LOG_NOTE)
		hyb_tool_say("note: ", "recording into %s", getenv(PREFIX "TRACE_DIR"));
	free(path);
	hyb_replay_watch(getenv(PREFIX "TRACE_DIR"));
	err = hyb_parent_run(argv, &status);
	hyb_replay_watch_end();
	if (err)
		return cannot(argv[0], -err);
	hyb_outcome_say(plan, status);
	hyb_parent_leave(status);
}

/* Whether there is a library, at a path that can stand in LD_PRELOAD. */
static bool find_library(struct options *o)
{
	if (!o->library)
		o->library = hyb_prepare_library();
	if (!o->library || access(o->library, R_OK)) {
		hyb_tool_say("", "%s; name the libhybmon.so to preload with --library",
			     o->library ? o->library : "libhybmon.so.1 is not where this hybmon was installed");
		return false;
	}
	if (strpbrk(o->library, ": ")) {
		hyb_tool_say("", "%s: the dynamic linker takes blanks and colons for the end of a name; move it, or "
			     "name a link to it with --library", o->library);
		return false;
	}
	return true;
}

/* The environment for recording; the names of what is in it. Whether this is a run of its own. */
static bool set_environment(const struct hyb_plan *plan, const struct options *o, char ***names)
{
	bool own = set_run(plan, o);
	char *preload = compose_preload(plan);

	hyb_tool_add(names, hyb_tool_format("LD_PRELOAD"));
	set("LD_PRELOAD", preload);
	free(preload);
	if (plan->asan)
		set_asan(names);
	add_ours(names);
	return own;
}

int hyb_run(int argc, char **argv)
{
	struct options o = { .list = NULL };
	struct hyb_plan plan = { .argv = NULL };
	char *nothing = NULL;
	char **names = NULL;
	bool own = false;
	int status = read_options(&o, argc, argv);

	if (status >= 0)
		return status;
	if (optind == argc) {
		hyb_tool_say("", "no program given; see \"hybmon run --help\"");
		return EXIT_USAGE;
	}
	if (!find_library(&o))
		return EXIT_FAILED;
	plan.argv = argv + optind;
	plan.library = o.library;
	hyb_prepare(&plan);
	argv += optind;
	if (plan.preload) {
		own = set_environment(&plan, &o, &names);
		argv = export_variables(&plan, names);
	}
	if (o.dry)
		return print_command(argv, names ? names : &nothing);
	return own && hyb_config.enable ? attend(&plan, argv) : execute(argv);
}
