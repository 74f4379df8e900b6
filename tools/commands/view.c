/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon view: the timeline of a job, in a browser. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "timeline/web/timeline.h"
#include "tools/common/command.h"
#include "tools/common/commands.h"
#include "tools/common/page.h"
#include "reader/streams/printable.h"
#include "tools/view/view-browser.h"
#include "tools/view/view-follow.h"
#include "tools/view/view-load.h"

enum { EXIT_SHOWN = 0, EXIT_UNREAD = 2 };

#define EXPORT_MIB 64u /* browsers open larger pages slowly */
#define NICE	   10
#define SKETCH_MIB 32u /* are read in about a third of a second */

static struct view_wish {
	const char *page; /* --export */
	uint16_t port;
	bool no_browser;
	uint64_t most; /* bytes of the page's tiles */
	bool cut;      /* there were more */
	uint64_t sketch; /* of more bytes samples are shown first; 0: never */
	bool debuginfod;
} wished;

static struct hyb_load_wish reading;

/* From 1 to `most`; -1 or the exit status. */
static int take_number(const char *option, const char *text, unsigned long most, unsigned long *value)
{
	char *end;

	errno = 0;
	*value = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *value && *value <= most)
		return -1;
	hyb_command_say("--%s=%s: that is no number from 1 to %lu", option, text, most);
	return EXIT_UNREAD;
}

static int take_most(const char *text, void *wish)
{
	unsigned long value;
	int status = take_number("most", text, 1ul << 20, &value);

	((struct view_wish *)wish)->most = (uint64_t)value << 20;
	return status;
}

static int take_sketch(const char *text, void *wish)
{
	unsigned long value = 0;
	int status = strcmp(text, "0") ? take_number("sketch", text, 1ul << 20, &value) : -1;

	((struct view_wish *)wish)->sketch = (uint64_t)value << 20;
	return status;
}

static int take_port(const char *text, void *wish)
{
	unsigned long value;
	int status = take_number("port", text, 65535, &value);

	((struct view_wish *)wish)->port = (uint16_t)value;
	return status;
}

static const struct hyb_option options[] = {
	{ "port", "=N", "serve it there (default: any port that is free)", HYB_TAKE(take_port) },
	{ "no-browser", NULL, "open none", HYB_FLAG(struct view_wish, no_browser) },
	{ "export", "=FILE", "write it all as one page, and serve nothing", HYB_TEXT(struct view_wish, page) },
	{ "sketch", "=MIB", "of a recording that is larger show a first picture, of samples\n"
			    "(32; 0: never). All of it follows.", HYB_TAKE(take_sketch) },
	{ "most", "=MIB", "that page has so many MiB of details at most (64)", HYB_TAKE(take_most) },
	HYB_OPTION_DEBUGINFOD(struct view_wish),
	{ .name = NULL },
};

static const struct hyb_library_need page_need = { "the timeline", HYB_OPTIONAL_JANSSON };
static const struct hyb_library_need server_need = { "all but --export=FILE", HYB_OPTIONAL_MICROHTTPD };

static void list_lacking(void)
{
	hyb_lacks_help(&page_need);
	hyb_lacks_help(&server_need);
}

static const struct hyb_command command = {
	.name = "hybmon view",
	.usage = "usage: hybmon view [options] DIR...\n"
		 "\n"
		 "Shows the job recorded in DIR on a time axis, in a browser: what each rank and thread\n"
		 "was in, what the kernel did to it meanwhile, what each CPU ran, and messages. Serves it\n"
		 "on 127.0.0.1 until it is interrupted, to its user and root, by the address that it\n"
		 "prints. A job that still runs is followed.\n"
		 "\n",
	.notes = "\n"
		 "What does not fit into memory waits in TMPDIR.\n"
		 "Exit status: 0 shown, 2 it cannot be read, or wrong usage.\n",
	.column = 24,
	.failed = EXIT_UNREAD,
	.options = options,
	.help_lacking = list_lacking,
};

/* Each once, though a recording may be read twice; who interrupts it knows that. */
static void say(void *arg, enum hyb_severity severity, const char *text)
{
	static char *said[64];
	size_t i = 0;

	(void)arg;
	if (hyb_command_stop)
		return;
	while (i < 64 && said[i] && strcmp(said[i], text))
		i++;
	if (i < 64 && said[i])
		return;
	if (i < 64)
		said[i] = strdup(text);
	hyb_command_diag.report(NULL, severity, text);
}

static int write_all(const void *what, FILE *to)
{
	const struct hyb_load *load = what;
	struct hyb_html_findings *findings = hyb_html_findings_new(reading.dirs, reading.count, reading.tmp);
	int err = findings ? 0 : -ENOMEM;

	if (!err)
		err = hyb_html_timeline(&load->store, findings, reading.dirs[0], wished.most, to, &wished.cut);
	hyb_html_findings_free(findings);
	if (!err || err == -ENOMEM)
		return err;
	hyb_command_say("what hybmon view kept of %s cannot be read: %s; remove view.cache there, or "
		 "hybmon/view-*.cache in XDG_CACHE_HOME or ~/.cache", reading.dirs[0], strerror(-err));
	return HYB_PAGE_UNREAD;
}

static int write_page(const struct hyb_load *load)
{
	int err = hyb_page_write(command.name, wished.page, write_all, load);

	hyb_command_fail(err);
	if (!err && wished.cut)
		hyb_command_say("note: %s has %" PRIu64 " MiB of details and not all of them: --most", wished.page,
				wished.most >> 20);
	return err;
}

static void print_address(const struct hyb_html_server *server, uint16_t port, const sigset_t *before)
{
	char address[128], host[256] = "HOST";

	gethostname(host, sizeof(host) - 1);
	snprintf(address, sizeof(address), "http://127.0.0.1:%u%s", port, hyb_html_server_path(server));
	printf("%s\n"
	       "From another machine: ssh -L %u:127.0.0.1:%u %s, and the same address there.\n"
	       "Ctrl-C ends it.\n", address, port, port, host);
	fflush(stdout);
	if (!wished.no_browser)
		hyb_browser_open(address, before);
}

static int serve(struct hyb_load **load)
{
	struct hyb_html_findings *findings = hyb_html_findings_new(reading.dirs, reading.count, reading.tmp);
	struct hyb_html_server *server;
	uint16_t port = wished.port;
	sigset_t signals, before;
	int err;

	/*
	 * The program comes first, which may need all CPUs here; but what is new, which is little, has to be seen in time.
	 * Threads that are made from now on have the same.
	 */
	if ((*load)->store.running && nice(NICE) < 0)
		errno = 0;
	/* Its threads leave them to this one, which sees none between a look at `stop` and its sleep. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &before);
	err = hyb_html_serve(&(*load)->store, reading.dirs[0], &port, &server);
	if (!err) {
		hyb_html_serve_findings(server, findings);
		print_address(server, port, &before);
		/* What is read in the background comes after what is asked for. */
		if (!(*load)->store.running && ((*load)->store.pairing || (*load)->store.sketch) && nice(NICE) < 0)
			errno = 0;
		hyb_follow(server, load, &before);
	} else if (wished.port) {
		hyb_command_say("cannot serve on port %u: %s; without --port any free one is taken", wished.port,
			strerror(-err));
	} else {
		hyb_command_say("cannot serve on 127.0.0.1: %s; try --export=FILE", strerror(-err));
	}
	hyb_html_serve_end(server);
	hyb_browser_end();
	hyb_html_findings_free(findings);
	return err;
}

static int show(struct hyb_load **load)
{
	return wished.page ? write_page(*load) : serve(load);
}

static int view(const char *const *dirs, size_t count)
{
	static const struct hyb_diag loud = { say, NULL };
	const char *tmp = getenv("TMPDIR");
	struct hyb_load *load;
	int err;

	reading = (struct hyb_load_wish){
		.dirs = dirs, .count = count, .page = wished.page, .sketch = wished.sketch, .tmp = tmp && *tmp ? tmp : "/tmp",
		.diag = &loud, .stop = &hyb_command_stop,
	};
	load = hyb_load_jobs(&reading, HYB_LOAD_FIRST, NULL);
	err = load ? show(&load) : -ENODATA;
	hyb_unload(load);
	return err ? EXIT_UNREAD : EXIT_SHOWN;
}

int hyb_view_main(int argc, char **argv)
{
	int status;

	wished = (struct view_wish){ .most = (uint64_t)EXPORT_MIB << 20, .sketch = (uint64_t)SKETCH_MIB << 20 };
	status = hyb_command_read(&command, argc, argv, &wished);
	if (status >= 0)
		return status;
	if (hyb_lacks(command.name, &page_need) || (!wished.page && hyb_lacks(command.name, &server_need)))
		return EXIT_UNREAD;
	status = hyb_command_count(argc, 0);
	if (status >= 0)
		return status;
	hyb_command_begin(wished.debuginfod);
	/* The terminal was closed; nohup keeps it. */
	if (signal(SIGHUP, hyb_command_on_signal) == SIG_IGN)
		signal(SIGHUP, SIG_IGN);
	return view((const char *const *)&argv[optind], (size_t)(argc - optind));
}
