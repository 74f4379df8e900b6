/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PAPI of version 7.0, or of FAKE_PAPI_VERSION, with what few machines have: a component fake, whose SWITCHES are the
 * thread's voluntary context switches and whose LEFT and RIGHT exclude each other; a preset that is a sum of two events
 * of the kernel's, and one that is computed by a formula. FAKE_PAPI_SAYS: a file that gets a line for each thing asked.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/counters/papi-library.h"

#define SETS 64
#define EVENTS (sizeof(events) / sizeof(events[0]))

static const struct {
	const char *name;
	const char *description;
	const char *unit;
	const char *derived;
	const char *postfix;
	const char *terms[2];
	unsigned int code;
	int component;
} events[] = {
	{ "PAPI_FAULTS", "Page faults", "", "DERIVED_ADD", "", { "perf::MINOR-FAULTS", "perf::MAJOR-FAULTS" }, 0x80000000u, 0 },
	{ "PAPI_TWICE", "Twice the page faults", "", "DERIVED_POSTFIX", "N0|2|*|", { "perf::PAGE-FAULTS" }, 0x80000001u, 0 },
	{ "PAPI_RATE", "Something else", "", "DERIVED_PS", "", { "perf::PAGE-FAULTS" }, 0x80000002u, 0 },
	{ "PAPI_NONE", "Not in this processor", "", "NOT_DERIVED", "", { NULL }, 0x80000003u, 0 },
	{ "fake:::SWITCHES", "Voluntary switches", "", "", "", { NULL }, 0x40000000u, 1 },
	{ "fake:::ENERGY", "Energy of nothing", "nJ", "", "", { NULL }, 0x40000001u, 1 },
	{ "fake:::LEFT", "What excludes the other", "", "", "", { NULL }, 0x40000002u, 1 },
	{ "fake:::RIGHT", "What excludes the other", "", "", "", { NULL }, 0x40000003u, 1 },
};

static const struct hyb_papi_component components[] = {
	{ .name = "perf_event", .description = "perf" }, { .name = "fake", .description = "of this test" },
};

static struct {
	int used;
	int running;
	int events[8];
	int count;
	long started;
} sets[SETS];

static int initialized;
static __thread int thread_running;

static void say(const char *what)
{
	const char *path = getenv("FAKE_PAPI_SAYS");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;

	if (fd >= 0) {
		dprintf(fd, "%s\n", what);
		close(fd);
	}
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

int PAPI_is_initialized(void);
int PAPI_is_initialized(void)
{
	return initialized;
}

int PAPI_get_opt(int option, void *value);
int PAPI_get_opt(int option, void *value)
{
	const char *version = getenv("FAKE_PAPI_VERSION");

	(void)value;
	return option == HYB_PAPI_LIB_VERSION ? (version ? atoi(version) : 7) << 24 : -1;
}

int PAPI_library_init(int version);
int PAPI_library_init(int version)
{
	say("init");
	initialized = 1;
	return version;
}

void PAPI_shutdown(void);
void PAPI_shutdown(void)
{
	say("shutdown");
	initialized = 0;
}

char *PAPI_strerror(int err);
char *PAPI_strerror(int err)
{
	return (char *)(err == HYB_PAPI_ECNFLCT ? "Event exists, but cannot be counted" : "Some error");
}

static int find(const char *name)
{
	for (size_t i = 0; i < EVENTS; i++) {
		if (!strcmp(name, events[i].name))
			return (int)i;
	}
	return -1;
}

int PAPI_event_name_to_code(const char *name, int *code);
int PAPI_event_name_to_code(const char *name, int *code)
{
	int i = find(name);

	if (i < 0)
		return -7;
	*code = (int)events[i].code;
	return 0;
}

int PAPI_event_code_to_name(int code, char *name);
int PAPI_event_code_to_name(int code, char *name)
{
	for (size_t i = 0; i < EVENTS; i++) {
		if ((int)events[i].code == code)
			strcpy(name, events[i].name);
	}
	return 0;
}

int PAPI_get_event_info(int code, struct hyb_papi_info *info);
int PAPI_get_event_info(int code, struct hyb_papi_info *info)
{
	for (size_t i = 0; i < EVENTS; i++) {
		if ((int)events[i].code != code)
			continue;
		memset(info, 0, offsetof(struct hyb_papi_info, rest));
		info->code = events[i].code;
		strcpy(info->symbol, events[i].name);
		strcpy(info->description, events[i].description);
		strcpy(info->units, events[i].unit);
		strcpy(info->derived, events[i].derived);
		strcpy(info->postfix, events[i].postfix);
		info->component = events[i].component;
		for (; info->count < 2 && events[i].terms[info->count]; info->count++)
			strcpy(info->names[info->count], events[i].terms[info->count]);
		return 0;
	}
	return -7;
}

int PAPI_num_components(void);
int PAPI_num_components(void)
{
	return 2;
}

const struct hyb_papi_component *PAPI_get_component_info(int number);
const struct hyb_papi_component *PAPI_get_component_info(int number)
{
	return &components[number];
}

static int next(int *code, int modifier, unsigned int first, unsigned int end)
{
	unsigned int at = modifier == HYB_PAPI_ENUM_FIRST ? first : (unsigned int)*code + 1;

	if (at >= end)
		return -7;
	*code = (int)at;
	return 0;
}

int PAPI_enum_cmp_event(int *code, int modifier, int component);
int PAPI_enum_cmp_event(int *code, int modifier, int component)
{
	return component == 1 ? next(code, modifier, 0x40000000u, 0x40000004u) : -7;
}

int PAPI_enum_event(int *code, int modifier);
int PAPI_enum_event(int *code, int modifier)
{
	return next(code, modifier, 0x80000000u, 0x80000004u);
}

int PAPI_thread_init(unsigned long (*self)(void));
int PAPI_thread_init(unsigned long (*self)(void))
{
	(void)self;
	say("threads");
	return 0;
}

int PAPI_create_eventset(int *set);
int PAPI_create_eventset(int *set)
{
	for (int i = 0; i < SETS; i++) {
		if (!__atomic_exchange_n(&sets[i].used, 1, __ATOMIC_ACQ_REL)) {
			sets[i].count = sets[i].running = 0;
			*set = i;
			return 0;
		}
	}
	return -2;
}

int PAPI_add_named_event(int set, const char *name);
int PAPI_add_named_event(int set, const char *name)
{
	int event = find(name);

	if (event < 0)
		return -7;
	for (int i = 0; i < sets[set].count; i++) {
		if (events[event].code + events[sets[set].events[i]].code == 0x80000005u)
			return HYB_PAPI_ECNFLCT;
	}
	sets[set].events[sets[set].count++] = event;
	return 0;
}

int PAPI_start(int set);
int PAPI_start(int set)
{
	if (thread_running)
		return -10;
	thread_running = sets[set].running = 1;
	sets[set].started = switches();
	say("start");
	return 0;
}

int PAPI_read(int set, long long *values);
int PAPI_read(int set, long long *values)
{
	for (int i = 0; i < sets[set].count; i++)
		values[i] = sets[set].events[i] == find("fake:::SWITCHES") ? switches() - sets[set].started : 42;
	return 0;
}

int PAPI_stop(int set, long long *values);
int PAPI_stop(int set, long long *values)
{
	if (values)
		PAPI_read(set, values);
	thread_running = sets[set].running = 0;
	say("stop");
	return 0;
}

int PAPI_cleanup_eventset(int set);
int PAPI_cleanup_eventset(int set)
{
	sets[set].count = 0;
	return 0;
}

int PAPI_destroy_eventset(int *set);
int PAPI_destroy_eventset(int *set)
{
	__atomic_store_n(&sets[*set].used, 0, __ATOMIC_RELEASE);
	*set = HYB_PAPI_NULL;
	return 0;
}
