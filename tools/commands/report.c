/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon report: where the time of a job went, who waited for whom, and why. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/report/report.h"
#include "export/html/report.h"
#include "export/documents/report.h"
#include "tools/common/command.h"
#include "tools/common/commands.h"
#include "tools/common/page.h"
#include "tools/common/paint.h"

enum { EXIT_SHOWN = 0, EXIT_UNREAD = 2 };

#define PRICE	 45 /* ns: doc/benchmarks.md */
#define BRIEF_S	 20 /* whoever waits for a few lines does not wait for ever */

static struct report_wish {
	struct hyb_report_options report;
	enum { TEXT, JSON, HTML, BRIEF } form;
	const char *page; /* file for HTML */
	const char *timeline; /* address of hybmon view's page, for links in it */
	double price;
	bool debuginfod;
} wished;

static int take_json(const char *text, void *wish)
{
	(void)text;
	((struct report_wish *)wish)->form = JSON;
	return -1;
}

static int take_brief(const char *text, void *wish)
{
	(void)text;
	((struct report_wish *)wish)->form = BRIEF;
	return -1;
}

static int take_html(const char *path, void *wish)
{
	struct report_wish *w = wish;

	w->form = HTML;
	w->page = path;
	return -1;
}

static int take_price(const char *text, void *wish)
{
	struct report_wish *w = wish;
	char *end;

	w->price = strtod(text, &end);
	if (end != text && !*end && w->price >= 0 && w->price < 1e9)
		return -1;
	hyb_command_say("--price=%s: that is no number of nanoseconds", text);
	return EXIT_UNREAD;
}

static const struct hyb_library_need html_need = { "--html", HYB_OPTIONAL_JANSSON };

static const struct hyb_option options[] = {
	{ "all", NULL, "show all of long lists", HYB_FLAG(struct report_wish, report.all) },
	{ "json", NULL, "all of it as one JSON document, for programs", HYB_TAKE(take_json), .need = &hyb_json_need },
	{ "html", "=FILE", "all of it as a page for a browser, in one file", HYB_TAKE(take_html), .need = &html_need },
	{ "timeline", "=PAGE", "its findings lead into that page of hybmon view: a file that\n"
			       "--export wrote, or the address that it serves", HYB_TEXT(struct report_wish, timeline) },
	{ "brief", NULL, "what recording cost, and the three weightiest findings, as\n"
			 "hybmon run says them; gives up after 20 seconds", HYB_TAKE(take_brief) },
	{ "price", "=NS", "of that: what recording a visit of a region costs (45)", HYB_TAKE(take_price) },
	HYB_OPTION_DEBUGINFOD(struct report_wish),
	{ .name = NULL },
};

static const struct hyb_command command = {
	.name = "hybmon report",
	.usage = "usage: hybmon report [options] DIR...\n"
		 "\n"
		 "Says where the time of the job recorded in DIR went, who waited for others in MPI,\n"
		 "and what that waiting goes back to: which rank came late, and what it did meanwhile,\n"
		 "or the kernel did to it. Several DIRs are jobs that were connected.\n"
		 "\n",
	.notes = "\n"
		 "What does not fit into memory waits in TMPDIR.\n"
		 "Exit status: 0 shown, 2 it cannot be read, or wrong usage.\n",
	.column = 24,
	.failed = EXIT_UNREAD,
	.options = options,
};

static int write_page(const void *report, FILE *to)
{
	return hyb_html_report(report, wished.timeline, to);
}

static int write_text(const void *report, FILE *to)
{
	return hyb_report_print(report, to);
}

static int show(const struct hyb_report *r)
{
	if (wished.form == JSON)
		return hyb_json_report(r, stdout);
	if (wished.form == HTML)
		return hyb_page_write(command.name, wished.page, write_page, r);
	return wished.form == BRIEF ? hyb_report_brief(r, wished.price, stdout) : hyb_paint_headings(stdout, write_text, r);
}

static int report(struct report_wish *w)
{
	static struct hyb_report r;
	int status = EXIT_UNREAD, err;

	w->report.place = hyb_command_begin_in_place(w->debuginfod);
	if (!w->report.place)
		return EXIT_UNREAD;
	signal(SIGALRM, hyb_command_on_signal);
	alarm(w->form == BRIEF ? BRIEF_S : 0);
	err = hyb_report_make(&r, &w->report);
	if (!err)
		err = show(&r);
	if (!err)
		status = EXIT_SHOWN;
	else if (hyb_command_stop == SIGALRM && printf("    what weighs most was not found within %d s\n", BRIEF_S) > 0)
		status = EXIT_SHOWN;
	else
		hyb_command_fail(err);
	hyb_report_free(&r);
	return hyb_command_end(status);
}

int hyb_report_main(int argc, char **argv)
{
	int status;

	wished = (struct report_wish){
		.report = { .diag = &hyb_command_diag, .stop = &hyb_command_stop, .or_profiles = true }, .price = PRICE,
	};
	status = hyb_command_read(&command, argc, argv, &wished);
	if (status < 0)
		status = hyb_command_count(argc, 0);
	if (status >= 0)
		return status;
	wished.report.dirs = (const char *const *)&argv[optind];
	wished.report.dir_count = (size_t)(argc - optind);
	return report(&wished);
}
