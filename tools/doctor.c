/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon doctor: what this machine and this user can have, by a table of checks; see doctor.h. */
#include "doctor.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/config.h"
#include "hybmon.h"
#include "trace/printable.h"

static const struct check {
	const char *name;
	void (*look)(void);
} checks[] = {
	{ "library", hyb_check_library },
	{ "MPI", hyb_check_mpi },
	{ "OpenMP", hyb_check_openmp },
	{ "OpenMP, GCC", hyb_check_libgomp },
	{ "merge", hyb_check_merge },
	{ "capabilities", hyb_check_capabilities },
	{ "perf events", hyb_check_perf },
	{ "tracefs", hyb_check_tracefs },
	{ "BTF", hyb_check_btf },
	{ "bpf", hyb_check_bpf },
	{ "counters", hyb_check_counters },
	{ "collector", hyb_check_collector },
	{ "samples", hyb_check_samples },
	{ "service", hyb_check_service },
};

static const char *name;	/* of the check that runs; empty behind its first line */

void hyb_doctor_say(enum hyb_health health, const char *advice, const char *format, ...)
{
	static const char *const words[] = { "yes", "partly", "no" };
	va_list arguments;

	printf("%-13s %-7s ", name, words[health]);
	va_start(arguments, format);
	hyb_show_va(stdout, format, arguments);
	va_end(arguments);
	putchar('\n');
	if (advice)
		hyb_show(stdout, "%-13s %-7s -> %s\n", "", "", advice);
	name = "";
}

int hyb_doctor(int argc, char **argv)
{
	if (argc > 1) {
		fprintf(stderr, "hybmon: doctor does not know \"%s\"; see \"hybmon help doctor\"\n", argv[1]);
		return EXIT_USAGE;
	}
	hyb_config_load();
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		name = checks[i].name;
		checks[i].look();
	}
	return EXIT_OK;
}
