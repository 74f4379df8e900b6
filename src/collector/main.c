/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hybmon-collect: libhybmon starts it on each node to take the kernel's events (src/core/collector/collector.c). It may have
 * file capabilities that its user lacks. So all that it is told comes from the user, by the command line, and all that
 * it does except opening events is done with the user's own rights.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/config/sample-option.h"
#include "core/sys/text.h"
#include "format/collector.h"
#include "format/format.h"
#include "collector/job/collect.h"
#include "collector/common/privilege.h"
#include "collector/service/service.h"

#define HYB_SERVICE_PATH "/run/hybmon/collect"
#define HYB_SERVICE_JOBS 4
#define HYB_SERVICE_BUFFER (8u << 20)
#define STRING_OF(text) #text
#define STRING(macro) STRING_OF(macro)

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char help_text[] =
	"Usage: hybmon-collect --socket=FD --experiment=DIR [options]\n"
	"       hybmon-collect --service[=PATH] [--group=NAME] [--jobs=N] [--buffer=BYTES] [--tasks=job|all]\n"
	"Records what the kernel does under the programs that come to the socket. libhybmon starts\n"
	"it, where HYBMON_KERNEL asks for it; see hybmon-env(7).\n\n"
	"  --socket=FD        listening socket, bound by who starts this\n"
	"  --experiment=DIR   where the streams go, into a directory of their own\n"
	"  --directory=DIR    what a relative spool is in\n"
	"  --spool=DIR        where they are until the end\n"
	"  --job=TEXT         for the manifest\n"
	"  --source=NAME      auto, bpf, perf or self\n"
	"  --events=BITS      groups of events\n"
	"  --tasks=job|all    all: the details of all tasks, for root\n"
	"  --sample=WHAT      samples, as HYBMON_SAMPLE has it; --source=off: nothing else\n"
	"  --sample-stack=BYTES  of the stack in each of them, 0: none\n"
	"  --profile=yes|no|only  sums of the events; only: and not each of them\n"
	"  --buffer=BYTES     for each CPU\n"
	"  --chunk=BYTES      by which a stream grows\n"
	"  --ring=BYTES       how much of the latest events is kept, 0: all\n"
	"  --service[=PATH]   serve the jobs of all users, from a socket at PATH, " HYB_SERVICE_PATH "\n"
	"                     by default; for root\n"
	"  --group=NAME       of the service: only members of the group may come\n"
	"  --jobs=N           of the service: how many of each user at a time, by default " STRING(HYB_SERVICE_JOBS) "\n"
	"                     Of the service, --buffer is the most that a job may have for each CPU, by default 8 MiB,\n"
	"                     and --tasks=all lets every user have the details of all tasks, if he asks for them.\n"
	"  --try              say what could be recorded, and end; needs neither socket nor experiment\n"
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
	SOCKET = 1, EXPERIMENT, DIRECTORY, SPOOL, JOB, SOURCE, EVENTS, TASKS, PROFILE, BUFFER, CHUNK, RING, SERVICE,
	GROUP, JOBS, SAMPLE, SAMPLE_STACK, TRY, HELP, VERSION,
};

struct options {
	struct hyb_collect_options collect;
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
	}
	return false;
}

/* The words of HYBMON_KERNEL. */
static bool is_source(const char *name)
{
	char word[HYB_CONFIG_WORD];

	for (unsigned int n = 0; *hyb_config_word("KERNEL", n, word); n++) {
		if (!strcmp(name, word))
			return true;
	}
	return false;
}

static void take_option(int key, const char *value, struct options *options)
{
	struct hyb_collect_options *o = &options->collect;
	struct hyb_sample_wish wish;
	char why[128];

	if (take_service_option(key, value, &options->service))
		return;
	switch (key) {
	case SOCKET:
		o->listener = (int)number("no descriptor is", value, 0, 1 << 20);
		break;
	case EXPERIMENT:
		o->experiment = value;
		break;
	case DIRECTORY:
		o->directory = value;
		break;
	case SPOOL:
		hyb_config.spool = value;
		break;
	case JOB:
		o->job = value;
		break;
	case SOURCE:
		o->source = value;
		if (!is_source(value))
			usage("there is no source", value);
		break;
	case EVENTS:
		o->wish.events = (uint32_t)number("no groups are", value, 0, UINT32_MAX);
		break;
	case TASKS:
		o->wish.all = !strcmp(value, "all");
		break;
	case PROFILE:
		o->wish.profile = strcmp(value, "no");
		o->wish.trace = strcmp(value, "only");
		break;
	case BUFFER:
		o->wish.buffer = number("no buffer can have", value, HYB_COLLECT_BUFFER_MIN, HYB_COLLECT_BUFFER_MAX);
		options->service.buffer = o->wish.buffer;
		break;
	case CHUNK:
		hyb_config.chunk = number("no chunk can have", value, HYB_CHUNK_MIN, HYB_CHUNK_MAX) & ~(uint64_t)0xfff;
		break;
	case RING:
		hyb_config.ring = number("no ring can have", value, 0, HYB_COLLECT_RING_MAX);
		break;
	case SAMPLE:
		o->sample = value;
		if (*value && hyb_sample_wish_parse(value, &wish, why, sizeof(why)))
			usage("no samples are", value);
		break;
	case SAMPLE_STACK:
		o->sample_stack = (unsigned int)number("no copy of a stack can have", value, 0, 64u << 10);
		break;
	case TRY:
		o->attempt = true;
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
		{ "socket", required_argument, NULL, SOCKET },
		{ "experiment", required_argument, NULL, EXPERIMENT },
		{ "directory", required_argument, NULL, DIRECTORY },
		{ "spool", required_argument, NULL, SPOOL },
		{ "job", required_argument, NULL, JOB },
		{ "source", required_argument, NULL, SOURCE },
		{ "events", required_argument, NULL, EVENTS },
		{ "tasks", required_argument, NULL, TASKS },
		{ "profile", required_argument, NULL, PROFILE },
		{ "buffer", required_argument, NULL, BUFFER },
		{ "chunk", required_argument, NULL, CHUNK },
		{ "ring", required_argument, NULL, RING },
		{ "sample", required_argument, NULL, SAMPLE },
		{ "sample-stack", required_argument, NULL, SAMPLE_STACK },
		{ "service", optional_argument, NULL, SERVICE },
		{ "group", required_argument, NULL, GROUP },
		{ "jobs", required_argument, NULL, JOBS },
		{ "try", no_argument, NULL, TRY },
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

/* The descriptor must be a socket that listens, as libhybmon makes it. Anything else is a mistake or an attack. */
static bool is_listening(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && hyb_service_is_listener(fd) && !fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

static int collect(struct hyb_collect_options *o)
{
	int err;

	hyb_privilege_start();
	/* With file capabilities it could have everybody's events, which only root may see. */
	if (getuid())
		o->wish.all = false;
	if (o->attempt)
		return hyb_collect_try(o) ? EXIT_FAILED : EXIT_OK;
	if (!o->experiment || *o->experiment != '/')
		usage("needs an experiment, by its absolute path, not", o->experiment ? o->experiment : "");
	if (!is_listening(o->listener))
		usage("--socket must name a socket that listens, as libhybmon's does, not",
		      o->listener < 0 ? "" : "that descriptor");
	/* Only the user himself may see what the kernel does under his programs, whatever his umask is. */
	umask(S_IRWXG | S_IRWXO);
	err = hyb_collect_run(o);
	if (err)
		fprintf(stderr, "hybmon-collect: %s: %s\n", o->experiment, hyb_text_errno(-err));
	return err ? EXIT_FAILED : EXIT_OK;
}

int main(int argc, char **argv)
{
	struct options options = {
		.collect = {
			.listener = -1,
			.directory = "/",
			.job = "",
			.source = "auto",
			.sample = "",
			.wish = {
				.events = HYB_KERNEL_SCHED | HYB_KERNEL_FAULT | HYB_KERNEL_SIGNAL,
				.buffer = 2u << 20,
				.trace = true,
			},
		},
		.service = { .jobs = HYB_SERVICE_JOBS, .buffer = HYB_SERVICE_BUFFER },
	};

	hyb_config.chunk = 256u << 10;
	hyb_config.spool = "";
	parse_options(argc, argv, &options);
	/* It keeps no file system busy. */
	if (!options.collect.attempt && chdir("/"))
		return EXIT_FAILED;
	if (!options.service.path)
		return collect(&options.collect);
	options.service.all = options.collect.wish.all;
	return hyb_service_run(&options.service) ? EXIT_FAILED : EXIT_OK;
}
