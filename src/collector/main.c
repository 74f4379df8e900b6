/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hybmon-collect: libhybmon starts it on each node to take the kernel's events (src/core/collector/collector.c). It may have
 * file capabilities that its user lacks. So all that it is told comes from the user, by a request (request.h), and all that
 * it does except opening events is done with the user's own rights.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/config/sample-option.h"
#include "core/sys/text.h"
#include "collector/job/collect.h"
#include "collector/job/request.h"
#include "collector/common/privilege.h"
#include "collector/service/service.h"

#define HYB_SERVICE_PATH "/run/hybmon/collect"
#define HYB_SERVICE_JOBS 4
#define HYB_SERVICE_BUFFER (8u << 20)
#define STRING_OF(text) #text
#define STRING(macro) STRING_OF(macro)

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char help_text[] =
	"Usage: hybmon-collect --request=FD\n"
	"       hybmon-collect --service[=PATH] [--group=NAME] [--jobs=N] [--buffer=BYTES] [--tasks=job|all]\n"
	"       hybmon-collect --try [--source=NAME] [--events=BITS] [--sample=WHAT] [--sample-stack=BYTES]\n"
	"Records what the kernel does under the programs of a job. libhybmon starts it, where HYBMON_KERNEL\n"
	"asks for it; see hybmon-env(7).\n\n"
	"  --request=FD       a socket by which libhybmon's request comes\n"
	"  --service[=PATH]   serve the jobs of all users, from a socket at PATH, " HYB_SERVICE_PATH "\n"
	"                     by default; for root\n"
	"  --group=NAME       only members of the group may come\n"
	"  --jobs=N           how many of each user at a time, by default " STRING(HYB_SERVICE_JOBS) "\n"
	"  --buffer=BYTES     the most that a job may have for each CPU, by default 8 MiB\n"
	"  --tasks=all        every user may have the details of all tasks, if he asks for them\n"
	"  --try              say what could be recorded, and end\n"
	"  --source=NAME      of this source: auto, bpf, perf or self, or off: samples alone\n"
	"  --events=BITS      groups of events\n"
	"  --sample=WHAT      samples, as HYBMON_SAMPLE has it\n"
	"  --sample-stack=BYTES  of the stack in each of them, 0: none\n"
	"  --help, --version\n";

static int usage(const char *what, const char *value)
{
	fprintf(stderr, "hybmon-collect: %s \"%s\"; see hybmon-collect --help\n", what, value);
	exit(EXIT_USAGE);
}

static uint64_t number(const char *option, const char *text, uint64_t least, uint64_t most)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || n < least || n > most)
		usage(option, text);
	return n;
}

enum option_key {
	REQUEST = 1, SERVICE, GROUP, JOBS, BUFFER, TASKS, TRY, SOURCE, EVENTS, SAMPLE, SAMPLE_STACK, HELP, VERSION,
};

struct options {
	int request;		/* -1: there is none */
	bool attempt;
	struct hyb_request tried;
	struct hyb_service_options service;
};

/* Options of the service. False: it is none of them. */
static bool take_service_option(int key, const char *value, struct hyb_service_options *o)
{
	switch (key) {
	case SERVICE:
		o->path = value ? value : HYB_SERVICE_PATH;
		if (*o->path != '/')
			usage("--service needs an absolute path, not", o->path);
		return true;
	case GROUP:
		o->group = value;
		return true;
	case JOBS:
		o->jobs = (unsigned int)number("not so many jobs:", value, 1, 1 << 20);
		return true;
	case BUFFER:
		o->buffer = number("no buffer can have", value, 4096, 1u << 30);
		return true;
	case TASKS:
		o->all = !strcmp(value, "all");
		return true;
	}
	return false;
}

/* The number of a word of HYBMON_KERNEL. */
static uint64_t source(const char *name)
{
	char word[HYB_CONFIG_WORD];

	for (unsigned int n = 0; *hyb_config_word("KERNEL", n, word); n++) {
		if (!strcmp(name, word))
			return n;
	}
	usage("there is no source", name);
	return 0;
}

static void take_option(int key, const char *value, struct options *o)
{
	struct hyb_sample_wish wish;
	char why[128];

	if (take_service_option(key, value, &o->service))
		return;
	switch (key) {
	case REQUEST:
		o->request = (int)number("no descriptor is", value, 0, 1 << 20);
		break;
	case TRY:
		o->attempt = true;
		break;
	case SOURCE:
		o->tried.wish.source = source(value);
		break;
	case EVENTS:
		o->tried.wish.events = number("no groups are", value, 0, UINT32_MAX);
		break;
	case SAMPLE:
		o->tried.text[HYB_COLLECT_SAMPLE] = value;
		if (*value && hyb_sample_wish_parse(value, &wish, why, sizeof(why)))
			usage("no samples are", value);
		break;
	case SAMPLE_STACK:
		o->tried.wish.sample_stack = number("no copy of a stack can have", value, 0, 64u << 10);
		break;
	case HELP:
		fputs(help_text, stdout);
		exit(EXIT_OK);
	case VERSION:
		puts("hybmon-collect " PACKAGE_VERSION);
		exit(EXIT_OK);
	default:
		exit(EXIT_USAGE);
	}
}

static void parse_options(int argc, char **argv, struct options *o)
{
	static const struct option options[] = {
		{ "request", required_argument, NULL, REQUEST },
		{ "service", optional_argument, NULL, SERVICE },
		{ "group", required_argument, NULL, GROUP },
		{ "jobs", required_argument, NULL, JOBS },
		{ "buffer", required_argument, NULL, BUFFER },
		{ "tasks", required_argument, NULL, TASKS },
		{ "try", no_argument, NULL, TRY },
		{ "source", required_argument, NULL, SOURCE },
		{ "events", required_argument, NULL, EVENTS },
		{ "sample", required_argument, NULL, SAMPLE },
		{ "sample-stack", required_argument, NULL, SAMPLE_STACK },
		{ "help", no_argument, NULL, HELP },
		{ "version", no_argument, NULL, VERSION },
		{ NULL, 0, NULL, 0 },
	};
	int key;

	while ((key = getopt_long(argc, argv, "", options, NULL)) != -1)
		take_option(key, optarg, o);
	if (optind < argc)
		usage("does not know", argv[optind]);
}

static int collect(int fd)
{
	struct hyb_request request;
	const char *wrong;
	int err;

	hyb_privilege_start();
	wrong = hyb_request_receive(fd, &request);
	if (wrong) {
		fprintf(stderr, "hybmon-collect: --request must name a socket that libhybmon's request comes by: %s\n", wrong);
		return EXIT_USAGE;
	}
	close(fd);
	/* With file capabilities it could have everybody's events, which only root may see. */
	if (getuid())
		request.wish.tasks = HYB_KERNEL_JOB;
	err = hyb_request_run(&request);
	if (err)
		fprintf(stderr, "hybmon-collect: %s: %s\n", request.text[HYB_COLLECT_EXPERIMENT], hyb_text_errno(-err));
	return err ? EXIT_FAILED : EXIT_OK;
}

int main(int argc, char **argv)
{
	struct options options = {
		.request = -1,
		.tried = {
			.text = { "", "", "/", "", "", "" },
			.wish = {
				.source = HYB_KERNEL_AUTO,
				.events = HYB_KERNEL_SCHED | HYB_KERNEL_FAULT | HYB_KERNEL_SIGNAL,
				.buffer = 2u << 20,
			},
		},
		.service = { .jobs = HYB_SERVICE_JOBS, .buffer = HYB_SERVICE_BUFFER },
	};

	parse_options(argc, argv, &options);
	if (options.attempt) {
		hyb_config.chunk = 256u << 10;
		hyb_config.spool = "";
		hyb_privilege_start();
		return hyb_collect_try(&options.tried) ? EXIT_FAILED : EXIT_OK;
	}
	/* The service keeps no file system busy. */
	if (chdir("/"))
		return EXIT_FAILED;
	if (options.service.path)
		return hyb_service_run(&options.service) ? EXIT_FAILED : EXIT_OK;
	if (options.request < 0)
		usage("needs a request, by", "--request=FD");
	return collect(options.request);
}
