/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration: values, what is said of wrong ones, and that the environment is read once.
 * Each case is a process of its own, since the configuration is loaded once in each.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/config/config.h"
#include "format/format.h"

#define GROUPS "all|none|env|session|p2p|request|part|coll|comm|group|topo|type|op|rma|io|info|attr|" \
	"err|spawn|tool|conv"

struct test_case {
	const char *name;
	const char *environment[4];
	bool (*holds)(void);
	const char *said[4];	/* lines of the log, in this order, and no others */
};

static char said[4096];

/* In place of log.c: keeps what is said. */
enum hyb_log_level hyb_log_most;

void hyb_log(enum hyb_log_level level, const char *format, ...)
{
	size_t length = strlen(said);
	va_list arguments;

	if (level > hyb_config.verbose)
		return;
	va_start(arguments, format);
	vsnprintf(said + length, sizeof(said) - length, format, arguments);
	va_end(arguments);
	strncat(said, "\n", sizeof(said) - strlen(said) - 1);
}

static bool defaults(void)
{
	return hyb_config.enable && hyb_config.record && hyb_config.pcontrol &&
	       hyb_config.mpi == (1 << 19) - 1 && *hyb_config.trace_dir == '\0' &&
	       *hyb_config.spool == '\0' && *hyb_config.adapter_dir == '\0' &&
	       hyb_config.ring == 0 && hyb_config.full == HYB_FULL_STOP &&
	       hyb_config.chunk == 256 << 10 && hyb_config.verbose == HYB_LOG_NOTE;
}

static bool off(void)
{
	return !hyb_config.enable;
}

static bool record_off(void)
{
	return hyb_config.enable && !hyb_config.record;
}

static bool first_holds(void)
{
	return strcmp(hyb_config.spool, "/a") == 0;
}

static bool ring(void)
{
	return hyb_config.ring == UINT64_C(3) << 30 && hyb_config.full == HYB_FULL_RING;
}

static bool rounded(void)
{
	return hyb_config.chunk == UINT64_C(20) << 10;
}

static bool smallest(void)
{
	return hyb_config.chunk == HYB_CHUNK_MIN;
}

static bool largest(void)
{
	return hyb_config.chunk == HYB_CHUNK_MAX;
}

static bool not_by_program(void)
{
	return hyb_config.enable && !hyb_config.pcontrol;
}

static bool p2p_and_coll(void)
{
	return hyb_config.mpi == (1 << 2 | 1 << 5);
}

static bool all_but_env(void)
{
	return hyb_config.mpi == (1 << 19) - 2;
}

static bool no_group(void)
{
	return hyb_config.mpi == 0;
}

static const char *shown;

static void keep_mpi(const struct hyb_config_item *item, void *context)
{
	(void)context;
	if (strcmp(item->name, "HYBMON_MPI") == 0)
		shown = strdup(item->value);
}

static bool shows(const char *text)
{
	hyb_config_each(keep_mpi, NULL);
	return strcmp(shown, text) == 0;
}

static bool shows_all(void)
{
	return shows("all");
}

static bool shows_none(void)
{
	return shows("none");
}

static bool shows_two(void)
{
	return shows("p2p,coll");
}

static bool shows_rest(void)
{
	return shows("all,-env,-conv");
}

static bool times(void)
{
	return hyb_config.kernel_wait == 2000 && hyb_config.noise_max == 20000;
}

static bool defaults_but_most(void)
{
	return hyb_config.kernel_wait == 1000000 && hyb_config.callstack == 4096;
}

static bool quiet(void)
{
	return hyb_config.verbose == HYB_LOG_QUIET;
}

static bool copied(void)
{
	memset(environ[0] + strlen("HYBMON_SPOOL="), 'x', 6);
	environ = NULL;
	hyb_config_load();
	return strcmp(hyb_config.spool, "/spool") == 0;
}

static const struct test_case cases[] = {
	{ "nothing given", { NULL }, defaults, { NULL } },
	{ "empty is as good as none", { "HYBMON_CHUNK=", "HYBMON_FULL=" }, defaults, { NULL } },
	{ "what is not ours is left alone", { "HYB=1", "hybmon_full=ring", "HYBMON" }, defaults,
	  { NULL } },
	{ "off", { "HYBMON_ENABLE=no" }, off, { NULL } },
	{ "off in other words", { "HYBMON_ENABLE=False", "HYBMON_X=1" }, off, { NULL } },
	{ "record off", { "HYBMON_RECORD=0" }, record_off, { NULL } },
	{ "of two the first holds", { "HYBMON_SPOOL=/a", "HYBMON_SPOOL=/b" }, first_holds,
	  { NULL } },
	{ "ring", { "HYBMON_RING=3g", "HYBMON_FULL=RING" }, ring, { NULL } },
	{ "whole pages", { "HYBMON_CHUNK=16385" }, rounded, { NULL } },
	{ "too small", { "HYBMON_CHUNK=1" }, smallest,
	  { "HYBMON_CHUNK=1 is outside 16K..16M; 16K is used" } },
	{ "too large", { "HYBMON_CHUNK=1T" }, largest,
	  { "HYBMON_CHUNK=1T is outside 16K..16M; 16M is used" } },
	{ "more than 64 bits", { "HYBMON_CHUNK=99999999999999999999999" }, largest,
	  { "HYBMON_CHUNK=99999999999999999999999 is outside 16K..16M; 16M is used" } },
	{ "no size", { "HYBMON_CHUNK=much", "HYBMON_RING=-1", "HYBMON_RING=1" }, defaults,
	  { "HYBMON_CHUNK=much is no size in the range 16K..16M; 256K is used",
	    "HYBMON_RING=-1 is no size in the range 0..16T; 0 is used" } },
	{ "something behind a size", { "HYBMON_RING=1KB" }, defaults,
	  { "HYBMON_RING=1KB is no size in the range 0..16T; 0 is used" } },
	{ "a time", { "HYBMON_KERNEL_WAIT=2s", "HYBMON_NOISE_MAX=20ms" }, times, { NULL } },
	{ "a time without a unit, and one that is rounded", { "HYBMON_KERNEL_WAIT=2000", "HYBMON_NOISE_MAX=19999001ns" }, times, { NULL } },
	{ "no time, no number", { "HYBMON_KERNEL_WAIT=1K", "HYBMON_CALLSTACK=4K", "HYBMON_NOISE_MAX=1 s" }, defaults,
	  { "HYBMON_NOISE_MAX=1 s is no time in the range 1us..10s; 1ms is used",
	    "HYBMON_CALLSTACK=4K is no number in the range 0..4096; 0 is used",
	    "HYBMON_KERNEL_WAIT=1K is no time in the range 0..1000s; 500ms is used" } },
	{ "too long, too many", { "HYBMON_KERNEL_WAIT=1001s", "HYBMON_CALLSTACK=4097" }, defaults_but_most,
	  { "HYBMON_CALLSTACK=4097 is outside 0..4096; 4096 is used",
	    "HYBMON_KERNEL_WAIT=1001s is outside 0..1000s; 1000s is used" } },
	{ "near a word", { "HYBMON_FULL=rings" }, defaults,
	  { "HYBMON_FULL=rings is none of stop|ring; did you mean ring? stop is used" } },
	{ "near no word", { "HYBMON_FULL=overwrite" }, defaults,
	  { "HYBMON_FULL=overwrite is none of stop|ring; stop is used" } },
	{ "half a word", { "HYBMON_ENABLE=n" }, defaults,
	  { "HYBMON_ENABLE=n is none of yes|no; did you mean no? yes is used" } },
	{ "not by the program", { "HYBMON_PCONTROL=no" }, not_by_program, { NULL } },
	{ "groups", { "HYBMON_MPI=p2p,coll" }, p2p_and_coll, { NULL } },
	{ "groups in other words", { "HYBMON_MPI= none, Coll ,P2P,env,-env," }, p2p_and_coll,
	  { NULL } },
	{ "all groups but one", { "HYBMON_MPI=all,-env" }, all_but_env, { NULL } },
	{ "less one group", { "HYBMON_MPI=-env" }, all_but_env, { NULL } },
	{ "no group", { "HYBMON_MPI=p2p,none" }, no_group, { NULL } },
	{ "less all", { "HYBMON_MPI=-all" }, no_group, { NULL } },
	{ "no word at all", { "HYBMON_MPI=," }, defaults,
	  { "HYBMON_MPI=, is none of " GROUPS "; all is used" } },
	{ "near a group", { "HYBMON_MPI=p2p,-col" }, defaults,
	  { "HYBMON_MPI=p2p,-col: col is none of " GROUPS "; did you mean coll? all is used" } },
	{ "too much of a group", { "HYBMON_MPI=requests" }, defaults,
	  { "HYBMON_MPI=requests: requests is none of " GROUPS
	    "; did you mean request? all is used" } },
	{ "near no group", { "HYBMON_MPI=everything" }, defaults,
	  { "HYBMON_MPI=everything: everything is none of " GROUPS "; all is used" } },
	{ "all groups shown", { NULL }, shows_all, { NULL } },
	{ "none shown", { "HYBMON_MPI=none" }, shows_none, { NULL } },
	{ "some shown", { "HYBMON_MPI=coll,p2p" }, shows_two, { NULL } },
	{ "the others shown", { "HYBMON_MPI=-conv,-env" }, shows_rest, { NULL } },
	{ "near a variable", { "HYBMON_TRACEDIR=x", "HYBMON_SPOOOL=x" }, defaults,
	  { "HYBMON_TRACEDIR is no variable of hybmon; did you mean HYBMON_TRACE_DIR?",
	    "HYBMON_SPOOOL is no variable of hybmon; did you mean HYBMON_SPOOL?" } },
	{ "near no variable", { "HYBMON_SOMETHING_ELSE=x" }, defaults,
	  { "HYBMON_SOMETHING_ELSE is no variable of hybmon; \"hybmon config\" lists all" } },
	{ "quiet", { "HYBMON_X=1", "HYBMON_CHUNK=x", "HYBMON_VERBOSE=quiet" }, quiet, { NULL } },
	{ "copied, and read once", { "HYBMON_SPOOL=/spool" }, copied, { NULL } },
};

/* 0: as expected; bits say what was not. */
static int run(const struct test_case *test)
{
	static char *environment[8];
	char expected[4096] = "";
	size_t i;

	for (i = 0; i < 4 && test->environment[i]; i++)
		environment[i] = strdup(test->environment[i]);
	environment[i] = NULL;
	environ = environment;
	errno = EDOM;
	hyb_config_load();
	if (errno != EDOM)
		return 4;
	for (i = 0; i < 4 && test->said[i]; i++) {
		strcat(expected, test->said[i]);
		strcat(expected, "\n");
	}
	if (strcmp(said, expected) != 0) {
		printf("# expected: %s# was said: %s\n", expected, said);
		return 2;
	}
	return test->holds() ? 0 : 1;
}

static void check_closer(unsigned int number)
{
	unsigned int best = UINT_MAX;
	bool ok = hyb_config_closer("cofnig", 6, "config", 6, &best) && best == 2 &&
		  !hyb_config_closer("cofnig", 6, "cobfig", 6, &best) && best == 2 &&
		  hyb_config_closer("CONFIG", 6, "config", 6, &best) && best == 0 &&
		  !hyb_config_closer("config", 6, "config", 6, &best);

	best = UINT_MAX;
	ok = ok && !hyb_config_closer("zzzzzz", 6, "config", 6, &best) && best == UINT_MAX &&
	     !hyb_config_closer("", 0, "config", 6, &best);
	printf("%sok %u - the nearest word\n", ok ? "" : "not ", number);
}

/* The whole table of edits, as it is in textbooks. */
static unsigned int edits_of(const char *a, const char *b)
{
	const size_t n = strlen(a), m = strlen(b);
	unsigned int table[65][65];

	for (size_t i = 0; i <= n; i++) {
		for (size_t j = 0; j <= m; j++) {
			unsigned int least = i && j ? table[i - 1][j - 1] + (a[i - 1] != b[j - 1]) : (unsigned int)(i + j);

			if (i && table[i - 1][j] + 1 < least)
				least = table[i - 1][j] + 1;
			if (j && table[i][j - 1] + 1 < least)
				least = table[i][j - 1] + 1;
			table[i][j] = least;
		}
	}
	return table[n][m];
}

/* A word of up to 63 letters of three; then some of its letters are others, missing or new. */
static void draw(char *a, char *b)
{
	size_t length = (size_t)(rand() % 60), n = 0;
	int of = 1 + rand() % 40;

	for (size_t i = 0; i < length; i++) {
		a[i] = "abc"[rand() % 3];
		if (rand() % of)
			b[n++] = a[i];
		if (n < 63 && !(rand() % of))
			b[n++] = "abc"[rand() % 3];
	}
	a[length] = 0;
	b[n < 64 ? n : 63] = 0;
}

/* Many of them as long as names of counters are: none may take long. */
static void check_edits(unsigned int number)
{
	unsigned int wrong = 0, closer = 0;

	for (int i = 0; i < 100000; i++) {
		char a[64], b[128];
		unsigned int best = UINT_MAX, edits, limit;

		draw(a, b);
		edits = edits_of(a, b);
		limit = 1 + (unsigned int)strlen(b) / 3;
		if (limit > 8)
			limit = 8;
		closer += edits <= limit;
		wrong += hyb_config_closer(a, strlen(a), b, strlen(b), &best) != (edits <= limit) ||
			 (edits <= limit && best != edits);
	}
	printf("# %u pairs were close, %u wrong\n%sok %u - the number of edits\n", closer, wrong,
	       wrong || closer < 1000 ? "not " : "", number);
}

int main(void)
{
	const unsigned int count = sizeof(cases) / sizeof(cases[0]);
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("1..%u\n", count + 2);
	for (i = 0; i < count; i++) {
		pid_t child = fork();
		int status;

		if (child == 0)
			exit(run(&cases[i]));
		waitpid(child, &status, 0);
		printf("%sok %u - %s\n", status == 0 ? "" : "not ", i + 1, cases[i].name);
	}
	check_closer(count + 1);
	check_edits(count + 2);
	return 0;
}
