/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon report: where the time of a job went, who waited for whom, and why. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/report/report.h"
#include "export/html/report.h"
#include "export/documents/report.h"
#include "tools/common/commands.h"
#include "tools/common/lacking.h"
#include "tools/common/page.h"
#include "tools/common/paint.h"
#include "reader/streams/printable.h"

enum { EXIT_SHOWN = 0, EXIT_UNREAD = 2 };

#define PRICE	 45 /* ns: doc/benchmarks.md */
#define BRIEF_S	 20 /* whoever waits for a few lines does not wait for ever */

enum form { TEXT, JSON, HTML, BRIEF };

static struct {
	enum form form;
	const char *page; /* file for HTML */
	const char *timeline; /* address of hybmon view's page, for links in it */
	double price;
} wish = { .form = TEXT, .price = PRICE };

static const char usage[] =
	"usage: hybmon report [options] DIR...\n"
	"\n"
	"Says where the time of the job recorded in DIR went, who waited for others in MPI,\n"
	"and what that waiting goes back to: which rank came late, and what it did meanwhile,\n"
	"or the kernel did to it. Several DIRs are jobs that were connected.\n"
	"\n"
	"      --all             show all of long lists\n"
	"      --json            all of it as one JSON document, for programs\n"
	"      --html=FILE       all of it as a page for a browser, in one file\n"
	"      --timeline=PAGE   its findings lead into that page of hybmon view: a file that\n"
	"                        --export wrote, or the address that it serves\n"
	"      --brief           what recording cost, and the three weightiest findings, as\n"
	"                        hybmon run says them; gives up after 20 seconds\n"
	"      --price=NS        of that: what recording a visit of a region costs (45)\n"
	"      --debuginfod      ask the servers in DEBUGINFOD_URLS for debug information\n"
	"  -h, --help            this text\n"
	"      --version         the version\n"
	"\n"
	"What does not fit into memory waits in TMPDIR.\n"
	"Exit status: 0 shown, 2 it cannot be read, or wrong usage.\n";

static const struct option options[] = {
	{ "all", no_argument, NULL, 'a' },
	{ "brief", no_argument, NULL, 'b' },
	{ "price", required_argument, NULL, 'p' },
	{ "debuginfod", no_argument, NULL, 'D' },
	{ "json", no_argument, NULL, 'j' },
	{ "html", required_argument, NULL, 'H' },
	{ "timeline", required_argument, NULL, 't' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static const struct hyb_library_need json_need = { "--json", HYB_OPTIONAL_JANSSON };
static const struct hyb_library_need html_need = { "--html", HYB_OPTIONAL_JANSSON };
static const struct hyb_library_need debuginfod_need = { "--debuginfod", HYB_OPTIONAL_LIBDW };

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	stop = number;
}

static void say(void *arg, enum hyb_severity severity, const char *text)
{
	static const char *const words[] = { "note: ", "warning: ", "" };

	(void)arg;
	fprintf(stderr, "hybmon report: %s%s\n", words[severity], text);
}

static int write_page(const void *report, FILE *to)
{
	return hyb_html_report(report, wish.timeline, to);
}

static int write_text(const void *report, FILE *to)
{
	return hyb_report_print(report, to);
}

static int show(const struct hyb_report *r)
{
	if (wish.form == JSON)
		return hyb_json_report(r, stdout);
	if (wish.form == HTML)
		return hyb_page_write("hybmon report", wish.page, write_page, r);
	return wish.form == BRIEF ? hyb_report_brief(r, wish.price, stdout) : hyb_paint_headings(stdout, write_text, r);
}

static int report(struct hyb_report_options *o)
{
	const char *tmp = getenv("TMPDIR");
	static struct hyb_report r;
	char place[PATH_MAX];
	int status = EXIT_UNREAD, err;

	snprintf(place, sizeof(place), "%s/hybmon-report-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(place)) {
		hyb_show(stderr, "hybmon report: cannot make the directory %s: %s; set TMPDIR\n", place, strerror(errno));
		return EXIT_UNREAD;
	}
	o->place = place;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	signal(SIGALRM, on_signal);
	alarm(wish.form == BRIEF ? BRIEF_S : 0);
	err = hyb_report_make(&r, o);
	if (!err)
		err = show(&r);
	if (!err)
		status = EXIT_SHOWN;
	else if (stop == SIGALRM && printf("    what weighs most was not found within %d s\n", BRIEF_S) > 0)
		status = EXIT_SHOWN;
	else if (err == -ENOMEM)
		fputs("hybmon report: out of memory\n", stderr);
	hyb_report_free(&r);
	rmdir(place);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "hybmon report: cannot write to the standard output: %s\n", strerror(errno));
		return EXIT_UNREAD;
	}
	return status;
}

/* False: it is none. */
static bool take_price(const char *text)
{
	char *end;

	wish.price = strtod(text, &end);
	if (end != text && !*end && wish.price >= 0 && wish.price < 1e9)
		return true;
	hyb_show(stderr, "hybmon report: --price=%s: that is no number of nanoseconds\n", text);
	return false;
}

int hyb_report_main(int argc, char **argv)
{
	static const struct hyb_diag diag = { say, NULL };
	struct hyb_report_options o = { .diag = &diag, .stop = &stop, .or_profiles = true };
	bool debuginfod = false;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'a':
			o.all = true;
			break;
		case 'D':
			if (hyb_lacks("hybmon report", &debuginfod_need))
				return EXIT_UNREAD;
			debuginfod = true;
			break;
		case 'j':
			if (hyb_lacks("hybmon report", &json_need))
				return EXIT_UNREAD;
			wish.form = JSON;
			break;
		case 'H':
			if (hyb_lacks("hybmon report", &html_need))
				return EXIT_UNREAD;
			wish.form = HTML;
			wish.page = optarg;
			break;
		case 't':
			wish.timeline = optarg;
			break;
		case 'b':
			wish.form = BRIEF;
			break;
		case 'p':
			if (!take_price(optarg))
				return EXIT_UNREAD;
			break;
		case 'h':
			fputs(usage, stdout);
			hyb_lacks_help(&json_need);
			hyb_lacks_help(&html_need);
			hyb_lacks_help(&debuginfod_need);
			return EXIT_SHOWN;
		case 'V':
			puts("hybmon report " PACKAGE_VERSION);
			return EXIT_SHOWN;
		default:
			return EXIT_UNREAD;
		}
	}
	/* libdw would ask them: nobody waits for a network that nobody spoke of. */
	if (!debuginfod)
		unsetenv("DEBUGINFOD_URLS");
	if (optind == argc) {
		fputs("hybmon report: no experiment given; try --help\n", stderr);
		return EXIT_UNREAD;
	}
	o.dirs = (const char *const *)&argv[optind];
	o.dir_count = (size_t)(argc - optind);
	return report(&o);
}
