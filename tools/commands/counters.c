/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon counters: what this machine can count, and what reading it costs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/config/config.h"
#include "core/counters/list.h"
#include "core/counters/set.h"
#include "tools/common/tool.h"
#include "reader/streams/printable.h"

#define READS		1000
#define BATCHES		21

struct section {
	const char *title;
	unsigned int lacking;
	const char *last;	/* reason */
};

static void show(const char *name, const char *unit, const char *state, const char *description)
{
	hyb_show(stdout, "  %-34s %-6s %-4s %s\n", name, unit, state, description);
}

/* What is not there in this machine at all would fill pages: its number and one reason say it. */
static void show_counter(const struct hyb_counter *c, const char *lacks, void *context)
{
	struct section *section = context;

	if (section->title) {
		printf("%s\n", section->title);
		section->title = NULL;
	}
	if (lacks) {
		section->lacking++;
		if (section->last && !strcmp(section->last, lacks)) {
			show(c->name, c->unit ? c->unit : "", "no", "(as above)");
			return;
		}
		section->last = strdup(lacks);
	}
	show(c->name, c->unit ? c->unit : "", lacks ? "no" : "yes", lacks ? lacks : c->description);
}

static void show_component(const char *name, const char *description, const char *lacks, void *context)
{
	(void)context;
	show(name, "", lacks ? "no" : "yes", lacks ? lacks : description);
}

static void show_section(enum hyb_counter_section which, const char *title)
{
	struct section section = { .title = title };
	const char *why = hyb_counters_each(which, show_counter, &section);

	if (why)
		hyb_show(stdout, "%s\n  none: %s\n", title, why);
	else if (section.title)
		printf("%s\n  none\n", title);
}

static void list(void)
{
	char version[32];
	const char *why;

	show_section(HYB_SECTION_OWN, "What the kernel tells a thread of itself:");
	show_section(HYB_SECTION_KERNEL, "Events of the kernel (perf):");
	why = hyb_counters_papi(version, sizeof(version));
	if (why) {
		hyb_show(stdout, "PAPI:\n  none: %s\n", why);
	} else {
		printf("Components of PAPI %s:\n", version);
		hyb_counters_components(show_component, NULL);
		show_section(HYB_SECTION_PAPI, "Events of PAPI, its presets first:");
	}
	show_section(HYB_SECTION_NATIVE, "Events that libpfm4 knows of this machine:");
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void show_cost(const struct hyb_counter_set *set, struct hyb_counter_reader *reader, uint64_t *values)
{
	double ns[BATCHES];

	for (int batch = 0; batch < BATCHES; batch++) {
		double begin = now_ns();

		for (int i = 0; i < READS; i++)
			hyb_counter_set_read(set, reader, values);
		ns[batch] = (now_ns() - begin) / READS;
	}
	qsort(ns, BATCHES, sizeof(*ns), compare);
	printf("a reading takes %.0f ns (%.0f to %.0f in %d times %d)\n", ns[BATCHES / 2], ns[0], ns[BATCHES - 1], BATCHES,
	       READS);
}

/* How a set is read, and what that costs. */
static int read_set(const struct hyb_counter_set *set, bool cost)
{
	uint64_t *values = hyb_tool_alloc((set->count + 1) * sizeof(*values));
	struct hyb_counter_reader *reader;
	char text[256];
	int err;

	reader = hyb_counter_set_open(set, &err);
	if (!reader || hyb_counter_set_read(set, reader, values)) {
		fprintf(stderr, "hybmon: these counters can be opened and not be read: others may use the processor's\n");
		return EXIT_FAILED;
	}
	printf("read by: %s\n", hyb_counter_set_way(set, reader, text, sizeof(text)));
	if (cost)
		show_cost(set, reader, values);
	hyb_counter_set_close(set, reader);
	free(values);
	return EXIT_OK;
}

static int try_set(const char *names, bool cost)
{
	struct hyb_counter_set set = { .count = 0 };
	int status = EXIT_OK;

	set.perf.multiplex = hyb_config.counters_multiplex;
	hyb_counter_set_make(&set, names);
	for (uint32_t i = 0; i < set.count; i++)
		show(set.counters[i].name, set.counters[i].unit, "yes", set.counters[i].description);
	for (const struct hyb_counter_note *n = set.notes; n; n = n->next)
		hyb_show(stdout, "no: %s\n", n->text);
	if (set.count)
		status = read_set(&set, cost);
	return set.notes ? EXIT_FAILED : status;
}

int hyb_counters(int argc, char **argv)
{
	char *names = NULL;
	bool cost = false;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--cost")) {
			cost = true;
		} else if (argv[i][0] == '-') {
			hyb_show(stderr, "hybmon: counters does not know \"%s\"; see \"hybmon help counters\"\n", argv[i]);
			return EXIT_USAGE;
		} else {
			names = hyb_tool_format("%s%s%s", names ? names : "", names ? "," : "", argv[i]);
		}
	}
	hyb_config_load();
	if (!names && hyb_config.counters[0])
		names = hyb_tool_format("%s", hyb_config.counters);
	if (names)
		return try_set(names, cost);
	if (cost) {
		fputs("hybmon: counters --cost needs names of counters, or HYBMON_COUNTERS\n", stderr);
		return EXIT_USAGE;
	}
	list();
	return EXIT_OK;
}
