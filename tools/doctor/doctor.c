/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon doctor: what this machine and this user can have, by a table of checks; see doctor.h. */
#include "tools/doctor/doctor.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/config/config.h"
#include "tools/common/tool.h"
#include "tools/common/paint.h"
#include "reader/streams/printable.h"

static const struct check {
	const char *name;
	void (*look)(void);
	bool needed; /* to record at all, and to make something of it */
} checks[] = {
	{ "library", hyb_check_library, true },
	{ "MPI", hyb_check_mpi, true },
	{ "OpenMP", hyb_check_openmp, false },
	{ "OpenMP, GCC", hyb_check_libgomp, false },
	{ "merge", hyb_check_merge, true },
	{ "build", hyb_check_build, false },
	{ "capabilities", hyb_check_capabilities, false },
	{ "perf events", hyb_check_perf, false },
	{ "tracefs", hyb_check_tracefs, false },
	{ "BTF", hyb_check_btf, false },
	{ "bpf", hyb_check_bpf, false },
	{ "counters", hyb_check_counters, false },
	{ "collector", hyb_check_collector, false },
	{ "samples", hyb_check_samples, false },
	{ "service", hyb_check_service, false },
};

#define CHECKS (sizeof(checks) / sizeof(checks[0]))

static const char *name;	/* of the check that runs; empty behind its first line */
static enum hyb_health worst, best; /* of what it said */
static bool colours;

void hyb_doctor_say(enum hyb_health health, const char *advice, const char *format, ...)
{
	static const char *const words[] = { "yes", "partly", "no", "no" };
	static const char *const paints[] = { "\033[32m", "\033[33m", "\033[31m", "\033[31m" };
	va_list arguments;

	worst = health > worst ? health : worst;
	best = health < best ? health : best;
	printf("%-13s %s%-7s%s ", name, colours ? paints[health] : "", words[health], colours ? "\033[0m" : "");
	va_start(arguments, format);
	hyb_show_va(stdout, format, arguments);
	va_end(arguments);
	putchar('\n');
	if (advice)
		hyb_show(stdout, "%-13s %-7s -> %s\n", "", "", advice);
	name = "";
}

void hyb_doctor_lacks(enum hyb_health health, enum hyb_optional o)
{
	char advice[HYB_ADVICE_SIZE];

	hyb_optional_advice(o, advice);
	hyb_doctor_say(health, advice, "this build lacks %s: %s", hyb_optional_name(o), hyb_optional_without(o));
}

/* Whether what was looked at cannot be had: of several MPIs or runtimes one is enough, if it was asked for by name. */
static bool look(const struct check *check, bool asked)
{
	name = check->name;
	worst = HYB_HEALTH_YES;
	best = HYB_HEALTH_ABSENT;
	check->look();
	return asked ? best >= HYB_HEALTH_NO : check->needed && worst == HYB_HEALTH_NO;
}

static const struct check *find(const char *wanted)
{
	unsigned int distance = UINT_MAX;
	const char *near = NULL;

	for (size_t i = 0; i < CHECKS; i++) {
		if (!strcasecmp(wanted, checks[i].name))
			return &checks[i];
		if (hyb_config_closer(wanted, strlen(wanted), checks[i].name, strlen(checks[i].name), &distance))
			near = checks[i].name;
	}
	if (near)
		hyb_show(stderr, "hybmon: doctor does not know \"%s\"; did you mean \"%s\"?\n", wanted, near);
	else
		hyb_show(stderr, "hybmon: doctor does not know \"%s\"; see \"hybmon help doctor\"\n", wanted);
	return NULL;
}

int hyb_doctor(int argc, char **argv)
{
	bool lacking = false;

	for (int i = 1; i < argc; i++)
		if (!find(argv[i]))
			return EXIT_USAGE;
	colours = hyb_paint_may(stdout);
	hyb_config_load();
	for (int i = 1; i < argc; i++)
		lacking = look(find(argv[i]), true) || lacking;
	for (size_t i = 0; argc < 2 && i < CHECKS; i++)
		lacking = look(&checks[i], false) || lacking;
	return lacking ? EXIT_FAILED : EXIT_OK;
}
