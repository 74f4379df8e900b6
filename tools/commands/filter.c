/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon filter: from a recording to a filter file for the next one. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/filter/proposal.h"
#include "tools/common/commands.h"
#include "tools/run/filter-price.h"
#include "export/documents/filter.h"
#include "tools/common/lacking.h"
#include "pmpi/table/function-info.h"
#include "pmpi/table/functions.h"
#include "reader/streams/printable.h"

enum { EXIT_MADE = 0, EXIT_MISSED = 1, EXIT_UNREAD = 2 };

#define SHOWN	  20   /* regions that no rule is made for */
#define VISITS	  10000
#define SHORTEST  1000 /* ns */
#define PRICE	  45   /* ns: doc/benchmarks.md */

static const char usage[] =
	"usage: hybmon filter [options] DIR >FILE\n"
	"\n"
	"Proposes what to leave out of the next recording: a file for HYBMON_FILTER, made\n"
	"from the trace or the profile in DIR. What each region cost stands in it.\n"
	"\n"
	"      --visits=N         leave alone what has fewer visits in all (10000)\n"
	"      --shortest=TIME    and what takes that long in the mean: 500ns, 2us (1us)\n"
	"      --target-size=SIZE go on until no more is left: 500M, 2G (decimal)\n"
	"      --keep=PATTERN     never leave out what is called so; any number of times\n"
	"      --messages         also MPI functions that communicate, although others'\n"
	"                         halves of their messages will be unmatched\n"
	"      --price=NS         what recording a visit costs (45), or measure: here, now\n"
	"      --with=FILE        begin with the rules of FILE: those of this recording\n"
	"      --all              show all regions that stay, not the 20 largest\n"
	"      --json             all of it as one JSON document, for programs\n"
	"  -h, --help             this text\n"
	"      --version          the version\n"
	"\n"
	"Exit status: 0 the file was written, 1 the target cannot be reached, 2 DIR cannot\n"
	"be read, or wrong usage.\n";

static const struct option options[] = {
	{ "all", no_argument, NULL, 'a' },	 { "help", no_argument, NULL, 'h' },
	{ "json", no_argument, NULL, 'j' },	 { "keep", required_argument, NULL, 'k' },
	{ "messages", no_argument, NULL, 'm' },	 { "price", required_argument, NULL, 'p' },
	{ "shortest", required_argument, NULL, 's' }, { "target-size", required_argument, NULL, 't' },
	{ "version", no_argument, NULL, 'V' },	 { "visits", required_argument, NULL, 'v' },
	{ "with", required_argument, NULL, 'w' }, { NULL, 0, NULL, 0 },
};

static const struct hyb_library_need json_need = { "--json", HYB_OPTIONAL_JANSSON };

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	stop = number;
}

static void report(void *arg, enum hyb_severity severity, const char *text)
{
	static const char *const words[] = { "note: ", "warning: ", "" };

	(void)arg;
	fprintf(stderr, "hybmon filter: %s%s\n", words[severity], text);
}

static int wrong(const char *format, const char *what)
{
	fputs("hybmon filter: ", stderr);
	hyb_show(stderr, format, what);
	fputs("; try --help\n", stderr);
	return EXIT_UNREAD;
}

/* A number that is not negative, with one of the units (name, factor), the last of which is none. */
static bool parse(const char *text, const char *const *units, const double *factors, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	if (errno || end == text || !(*value >= 0) || *value > 1e18)
		return false;
	for (; *units; units++, factors++) {
		if (!strcmp(end, *units)) {
			*value *= *factors;
			return *value <= 1e18;
		}
	}
	return !*end;
}

static bool parse_time(const char *text, int64_t *ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s", NULL };
	static const double factors[] = { 1, 1e3, 1e6, 1e9 };
	double value;

	if (!parse(text, units, factors, &value))
		return false;
	*ns = (int64_t)value;
	return true;
}

static bool parse_size(const char *text, uint64_t *bytes)
{
	static const char *const units[] = { "k", "M", "G", "T", "kB", "MB", "GB", "TB", NULL };
	static const double factors[] = { 1e3, 1e6, 1e9, 1e12, 1e3, 1e6, 1e9, 1e12 };
	double value;

	if (!parse(text, units, factors, &value) || value < 1)
		return false;
	*bytes = (uint64_t)value;
	return true;
}

static bool parse_count(const char *text, uint64_t *count)
{
	static const char *const units[] = { NULL };
	double value;

	if (!parse(text, units, NULL, &value))
		return false;
	*count = (uint64_t)value;
	return true;
}

/* What a rule can do about an MPI function, and what it would cost others. */
static enum hyb_mpi_use use_of(const char *name)
{
	for (unsigned int i = 1; i < HYB_MPI_FUNCTIONS; i++) {
		const struct hyb_function_info *f = &hyb_functions[i];

		if (strcmp(f->name, name))
			continue;
		if (f->acts)
			return HYB_MPI_FOLLOWED;
		return f->tells ? HYB_MPI_COMMUNICATES : HYB_MPI_PLAIN;
	}
	return HYB_MPI_PLAIN;
}

/* The rules that are there already, as they are. */
static int copy(const char *path)
{
	char buf[65536];
	FILE *f = fopen(path, "re");
	size_t n;
	int err;

	if (!f)
		return -errno;
	while ((n = fread(buf, 1, sizeof(buf), f)))
		fwrite(buf, 1, n, stdout);
	err = ferror(f) ? -EIO : 0;
	fclose(f);
	return err;
}

static int show(const struct hyb_proposal *p, bool json, const char *with, size_t most)
{
	int err = 0;

	if (json) {
		err = hyb_json_filter(p, stdout);
		if (err)
			fputs("hybmon filter: out of memory\n", stderr);
		return err;
	}
	if (with)
		err = copy(with);
	if (err)
		hyb_show(stderr, "hybmon filter: cannot read %s: %s\n", with, strerror(-err));
	else
		hyb_proposal_print(p, most, stdout);
	return err;
}

static int filter(const char *dir, const struct hyb_proposal_options *o, bool json, const char *with, size_t most)
{
	struct hyb_proposal p;
	int status = EXIT_UNREAD, err;

	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	err = hyb_proposal_make(&p, dir, o);
	if (err == -ENODATA)
		hyb_show(stderr, "hybmon filter: %s: no thread has recorded anything\n", dir);
	else if (err == -ENOMEM)
		fputs("hybmon filter: out of memory\n", stderr);
	if (!err && !show(&p, json, with, most))
		status = hyb_proposal_meets(&p) ? EXIT_MADE : EXIT_MISSED;
	if (status == EXIT_MISSED)
		fputs("hybmon filter: the target size is not reached: the rest is not to be left out\n", stderr);
	hyb_proposal_free(&p);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "hybmon filter: cannot write to the standard output: %s\n", strerror(errno));
		return EXIT_UNREAD;
	}
	return status;
}

static bool parse_price(const char *text, double *price, int *status)
{
	char *end;

	if (!strcmp(text, "measure")) {
		*status = hyb_price_measure("hybmon filter", price) ? EXIT_UNREAD : EXIT_MADE;
		return !*status;
	}
	*price = strtod(text, &end);
	if (end != text && !*end && *price >= 0 && *price < 1e9)
		return true;
	*status = wrong("--price=%s: that is no number of nanoseconds, nor measure", text);
	return false;
}

/* The command line. */
struct wish {
	struct hyb_proposal_options options;
	const char **keep;
	const char *with;
	size_t most;
	bool json;
};

/* One option: -1, or the exit status. */
static int take(int c, struct wish *w)
{
	struct hyb_proposal_options *o = &w->options;
	int status = EXIT_UNREAD;

	switch (c) {
	case 'a':
		w->most = SIZE_MAX;
		return -1;
	case 'j':
		w->json = true;
		return hyb_lacks("hybmon filter", &json_need) ? EXIT_UNREAD : -1;
	case 'k':
		w->keep[o->keep_count++] = optarg;
		return -1;
	case 'm':
		o->messages = true;
		return -1;
	case 'p':
		return parse_price(optarg, &o->price, &status) ? -1 : status;
	case 's':
		return parse_time(optarg, &o->shortest) ?
			       -1 : wrong("--shortest=%s: that is no time such as 500ns or 2us", optarg);
	case 't':
		return parse_size(optarg, &o->target) ?
			       -1 : wrong("--target-size=%s: that is no size such as 500M or 2G", optarg);
	case 'v':
		return parse_count(optarg, &o->visits) ? -1 : wrong("--visits=%s: that is no number of visits", optarg);
	case 'w':
		w->with = optarg;
		return -1;
	case 'h':
		fputs(usage, stdout);
		hyb_lacks_help(&json_need);
		return EXIT_MADE;
	case 'V':
		puts("hybmon filter " PACKAGE_VERSION);
		return EXIT_MADE;
	default:
		return EXIT_UNREAD;
	}
}

int hyb_filter_main(int argc, char **argv)
{
	static const struct hyb_diag diag = { report, NULL };
	struct wish w = {
		.options = { .visits = VISITS, .shortest = SHORTEST, .price = PRICE, .mpi = use_of, .diag = &diag,
			     .stop = &stop },
		.keep = calloc((size_t)argc + 1, sizeof(*w.keep)), .most = SHOWN,
	};
	int c, status = -1;

	if (!w.keep)
		return EXIT_UNREAD;
	if (argc == 2 && !strcmp(argv[1], HYB_PRICE_ARGUMENT))
		return hyb_price_program();
	/* libdw would ask them: nobody waits for a network that nobody spoke of. */
	unsetenv("DEBUGINFOD_URLS");
	w.options.keep = w.keep;
	while (status < 0 && (c = getopt_long(argc, argv, "h", options, NULL)) != -1)
		status = take(c, &w);
	if (status < 0 && optind + 1 != argc)
		status = wrong("%s", optind == argc ? "no experiment given" : "more than one experiment given");
	if (status < 0)
		status = filter(argv[optind], &w.options, w.json, w.with, w.most);
	free(w.keep);
	return status;
}
