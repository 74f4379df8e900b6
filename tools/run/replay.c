/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon replay: prepares the recorded order of a run, and runs the program as hybmon run does, made to follow it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/containers/array.h"
#include "tools/common/tool.h"
#include "analysis/replay/replay.h"
#include "reader/streams/printable.h"
#include "reader/streams/reader.h"

static const char usage[] =
	"usage: hybmon replay [options] DIR [options of hybmon run] LAUNCHER [OPTION...] PROGRAM [ARGUMENT...]\n"
	"\n"
	"Runs a program with MPI again, in the order of a run that was recorded with hybmon run --order=yes or\n"
	"--order=only: each receive gets the message that it got then, each test says what it said. What the run\n"
	"does is recorded as by hybmon run, in any detail.\n"
	"\n"
	"      --detail=LEVEL    what is recorded now: none, mpi (no kernel events), all; by default what the\n"
	"                        variables of hybmon say\n"
	"      --at-end=WHAT     where the recording ends before the program does: run on freely, stop for a\n"
	"                        debugger, or abort; default run\n"
	"      --flip=RANK.NUMBER=SOURCE\n"
	"                        receive NUMBER of that rank gets a message from another rank; from there\n"
	"                        on the program runs freely. hybmon races --all DIR shows which it could get\n"
	"      --gdb=RANKS       these ranks (0,4-7) wait at the end of MPI_Init until a debugger is\n"
	"                        attached, and say how; it does not change the run\n"
	"  -h, --help            this text\n";

static const char *flip_wish; /* NULL: there is none */
static unsigned long long last_debugged; /* the highest rank of --gdb */
static const char *debugged; /* NULL: there is none */

static void report(void *arg, enum hyb_severity severity, const char *text)
{
	(void)arg;
	/* What is only doubtful elsewhere makes a replay impossible, and comes as an error, too. */
	if (severity == HYB_SEV_ERROR)
		hyb_show(stderr, "hybmon replay: %s\n", text);
}

/* Their text after "=", or NULL. */
static const char *value_of(const char *word, const char *option)
{
	const size_t length = strlen(option);

	return strncmp(word, option, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

static bool set_detail(const char *level)
{
	const bool none = !strcmp(level, "none");

	if (!none && strcmp(level, "mpi") != 0 && strcmp(level, "all") != 0)
		return false;
	if (strcmp(level, "all") != 0)
		setenv("HYBMON_KERNEL", "off", 1);
	if (none) {
		setenv("HYBMON_MPI", "none", 1);
		setenv("HYBMON_OMP", "none", 1);
		setenv("HYBMON_USER", "none", 1);
	}
	return true;
}

static bool set_at_end(const char *what)
{
	if (strcmp(what, "run") != 0 && strcmp(what, "stop") != 0 && strcmp(what, "abort") != 0)
		return false;
	setenv("HYBMON_REPLAY_AT_END", what, 1);
	return true;
}

static bool take_rank(const char **at, unsigned long long *rank)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*rank = strtoull(*at, &end, 10);
	*at = end;
	return true;
}

/* Ranks as the library reads them: 0,4-7. */
static bool set_gdb(const char *list)
{
	unsigned long long first, last;
	const char *at = list;

	do {
		at += at > list;
		if (!take_rank(&at, &first))
			return false;
		last = first;
		if (*at == '-') {
			at++;
			if (!take_rank(&at, &last) || last < first)
				return false;
		}
		last_debugged = last > last_debugged ? last : last_debugged;
	} while (*at == ',');
	debugged = list;
	setenv("HYBMON_REPLAY_GDB", list, 1);
	return !*at;
}

/* An option of ours, taken; 0: it is none; -1: a wrong one, which was said. */
static int take_option(const char *word)
{
	const char *value;
	bool ok;

	if ((value = value_of(word, "--detail")))
		ok = set_detail(value);
	else if ((value = value_of(word, "--at-end")))
		ok = set_at_end(value);
	else if ((value = value_of(word, "--gdb")))
		ok = set_gdb(value);
	else if ((value = value_of(word, "--flip")))
		ok = *(flip_wish = value) != 0;
	else
		return 0;
	if (ok)
		return 1;
	hyb_show(stderr, "hybmon replay: \"%s\" is no value of that option; see \"hybmon replay --help\"\n", word);
	return -1;
}

/* Whether values of MPI_Wtime were recorded, which others are only with. */
static bool has_times(const struct hyb_experiment *experiment)
{
	for (size_t i = 0; i < experiment->count; i++) {
		if (!experiment->processes[i].missing && hyb_manifest_get(&experiment->processes[i].manifest, "order-time", 0))
			return true;
	}
	return false;
}

static void warn_of_age(const struct hyb_experiment *experiment)
{
	for (size_t i = 0; i < experiment->count; i++) {
		if (!experiment->processes[i].missing && hyb_manifest_get(&experiment->processes[i].manifest, "order", 0) &&
		    !hyb_manifest_get(&experiment->processes[i].manifest, "order-calls", 0)) {
			fputs("hybmon replay: warning: this was recorded by an older hybmon, which looked at other calls: it may be "
			      "said not to be the same run where it is\n", stderr);
			return;
		}
	}
}

struct names {
	const char **items;
	size_t count;
	size_t room;
};

static void add_name(struct names *names, const char *name)
{
	const char **items;

	for (size_t i = 0; i < names->count; i++) {
		if (!strcmp(names->items[i], name))
			return;
	}
	items = hyb_array_room(names->items, &names->room, names->count, sizeof(*items));
	if (!items)
		return;
	names->items = items;
	items[names->count++] = name;
}

/* Functions of which a replay does not bring about again what they gave. */
static void name_beyond(const struct hyb_experiment *experiment)
{
	struct names names = { 0 };
	const char *name;

	for (size_t i = 0; i < experiment->count; i++) {
		for (size_t n = 0; (name = hyb_manifest_get(&experiment->processes[i].manifest, "order-beyond", n)); n++)
			add_name(&names, name);
	}
	if (names.count)
		fputs("hybmon replay: warning: the program calls what may give something else in a replay:", stderr);
	for (size_t i = 0; i < names.count; i++)
		hyb_show(stderr, "%s %s", i ? "," : "", names.items[i]);
	if (names.count)
		fputc('\n', stderr);
	free(names.items);
}

static size_t argument_count(const struct hyb_process *process)
{
	size_t n = 0;

	while (hyb_manifest_get(&process->manifest, "args", n))
		n++;
	return n;
}

/* Whether the command ends with what the process had as arguments, its own name left out. */
static bool ends_with_arguments(const struct hyb_process *process, int count, char *const *words)
{
	const size_t n = argument_count(process);

	if (!n || (size_t)count < n)
		return !n;
	for (size_t i = 1; i < n; i++) {
		if (strcmp(words[(size_t)count - n + i], hyb_manifest_get(&process->manifest, "args", i)) != 0)
			return false;
	}
	return true;
}

/* It is said where this is likely to become another run. Of several programs the last of the command tells nothing. */
static void compare_arguments(const struct hyb_experiment *experiment, int count, char *const *words)
{
	const struct hyb_process *first = &experiment->processes[0];

	for (size_t i = 0; i < experiment->count; i++) {
		const struct hyb_process *process = &experiment->processes[i];

		if (process->missing || strcmp(process->manifest.program, first->manifest.program) != 0)
			return;
	}
	if (!experiment->count || ends_with_arguments(first, count, words))
		return;
	fprintf(stderr, "hybmon replay: warning: it was recorded as \"");
	for (size_t i = 0; i < argument_count(first); i++)
		hyb_show(stderr, "%s%s", i ? " " : "", hyb_manifest_get(&first->manifest, "args", i));
	fputs("\", and this command ends with other arguments: the run may be another one\n", stderr);
}

/* The lines "keep RANK COUNT", of ranks from 0 on. */
static void read_kept(const char *text, struct hyb_replay_flip *flip)
{
	unsigned long long rank, count;

	for (const char *line = text; (line = strchr(line, '\n')); ) {
		if (sscanf(++line, "keep %llu %llu", &rank, &count) == 2 && rank >= flip->ranks)
			flip->ranks = rank + 1;
	}
	flip->keep = hyb_tool_alloc(flip->ranks * sizeof(*flip->keep));
	memset(flip->keep, 0, flip->ranks * sizeof(*flip->keep));
	for (const char *line = text; (line = strchr(line, '\n')); ) {
		if (sscanf(++line, "keep %llu %llu", &rank, &count) == 2)
			flip->keep[rank] = count;
	}
}

/* What hybmon races finds. False: it cannot be, which is reported. */
static bool find_flip(const char *path, struct hyb_replay_flip *flip)
{
	char *wish = hyb_tool_format("--flip=%s", flip_wish);
	char self[] = "/proc/self/exe", command[] = "races";
	char *argv[] = { self, command, wish, (char *)(uintptr_t)path, NULL };
	char *text = hyb_tool_output(argv);
	unsigned long long rank, number;
	int source, tag;
	const bool found = text && sscanf(text, "flip %llu %llu %d %d", &rank, &number, &source, &tag) == 4;

	if (found) {
		flip->rank = rank;
		flip->number = number;
		flip->match = (struct hyb_replay_match){ .source = source, .tag = tag };
		read_kept(text, flip);
	} else {
		hyb_show(stderr, "hybmon replay: --flip=%s: that cannot be; \"hybmon races --all %s\" shows what can\n", flip_wish, path);
	}
	free(text);
	free(wish);
	return found;
}

static void print_summary(const struct hyb_replay_summary *summary)
{
	hyb_show(stderr, "hybmon replay: %llu receives from anyone and %llu other outcomes of %llu ranks, in %llu bytes%s\n",
		(unsigned long long)summary->receives, (unsigned long long)summary->outcomes, (unsigned long long)summary->ranks,
		(unsigned long long)summary->bytes, summary->open ? "; some receives were open when the recording ended" : "");
	if (summary->turns)
		hyb_show(stderr, "hybmon replay: threads took %llu turns at messages, locks and loops, which are the same again\n",
			(unsigned long long)summary->turns);
	if (summary->crowded)
		fputs("hybmon replay: warning: several threads of a process made such calls; the order among them is not replayed\n",
		      stderr);
}

/* 0 or -errno, which was said. */
static int write_order(const struct hyb_experiment *experiment, const char *file, const struct hyb_replay_flip *flip,
		       struct hyb_replay_summary *summary)
{
	const struct hyb_diag diag = { .report = report };
	char *fresh = hyb_tool_format("%s.%ld", file, (long)getpid());
	int err;

	unlink(fresh);
	err = hyb_replay_prepare(experiment, fresh, flip, &diag, summary);
	if (!err && rename(fresh, file)) {
		err = -errno;
		hyb_show(stderr, "hybmon replay: cannot write %s: %s\n", file, strerror(errno));
		unlink(fresh);
	}
	if (!err && debugged && last_debugged >= summary->ranks) {
		hyb_show(stderr, "hybmon replay: --gdb=%s: there are %llu ranks, from 0 on\n", debugged,
			(unsigned long long)summary->ranks);
		err = -EINVAL;
	}
	free(fresh);
	return err;
}

/*
 * The file that the processes follow, in the recording's directory: all nodes that recorded there see it. It stays, and
 * is the same for each replay.
 */
static int prepare(const char *path, int count, char *const *words)
{
	const struct hyb_diag diag = { .report = report };
	struct hyb_replay_flip flip = { 0 };
	struct hyb_replay_summary summary;
	struct hyb_experiment *experiment;
	char *file = NULL, *full = NULL;
	int err = hyb_experiment_open(path, &diag, &experiment);

	if (err)
		return err;
	if (flip_wish && !find_flip(path, &flip)) {
		hyb_experiment_close(experiment);
		return -EINVAL;
	}
	file = flip_wish ? hyb_tool_format("%s/replay-%s.order", experiment->path, flip_wish) :
			   hyb_tool_format("%s/replay.order", experiment->path);
	err = write_order(experiment, file, flip_wish ? &flip : NULL, &summary);
	setenv("HYBMON_ORDER_TIME", !err && has_times(experiment) ? "yes" : "no", 1);
	if (!err) {
		warn_of_age(experiment);
		compare_arguments(experiment, count, words);
		name_beyond(experiment);
		full = realpath(file, NULL);
		setenv("HYBMON_REPLAY", full ? full : file, 1);
		print_summary(&summary);
	}
	hyb_experiment_close(experiment);
	free(flip.keep);
	free(full);
	free(file);
	return err;
}

static void print_help(void)
{
	fputs(usage, stdout);
}

int hyb_replay(int argc, char **argv)
{
	const char *path = NULL;
	int at = 1;

	for (; at < argc; at++) {
		const int taken = take_option(argv[at]);

		if (taken < 0)
			return EXIT_USAGE;
		if (taken)
			continue;
		if (!strcmp(argv[at], "-h") || !strcmp(argv[at], "--help")) {
			print_help();
			return EXIT_OK;
		}
		if (path)
			break;
		if (*argv[at] == '-') {
			hyb_show(stderr, "hybmon replay: unknown option \"%s\"; see \"hybmon replay --help\"\n", argv[at]);
			return EXIT_USAGE;
		}
		path = argv[at];
	}
	if (!path || at == argc) {
		hyb_show(stderr, "hybmon replay: no %s given; see \"hybmon replay --help\"\n",
			path ? "program" : "recording");
		return EXIT_USAGE;
	}
	if (prepare(path, argc - at, argv + at))
		return EXIT_FAILED;
	return hyb_run(argc - at + 1, argv + at - 1);
}
