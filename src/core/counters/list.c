/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters section by section, each tried by itself; see list.h. */
#include "core/counters/list.h"

#include <string.h>

#include "core/counters/papi-library.h"
#include "core/counters/papi.h"
#include "core/counters/pfm.h"
#include "core/counters/set.h"

struct tour {
	hyb_counter_visit visit;
	void *context;
};

/* Tries it, and tells of it what is found out, or what is known of it already. */
static void try_one(const struct tour *tour, const char *name, const struct hyb_counter *known)
{
	static const char because[] = "cannot be counted: ";
	struct hyb_counter_set set = { .count = 0 };
	struct hyb_counter counter = { .name = name, .unit = "#", .description = "" };
	const char *text = NULL;
	const char *at;

	hyb_counter_set_make(&set, name);
	if (set.notes) {
		at = strstr(set.notes->text, because);
		text = at ? at + strlen(because) : set.notes->text;
	}
	if (set.count)
		counter = set.counters[0];
	else if (known)
		counter = *known;
	tour->visit(&counter, set.count ? NULL : text ? text : "", tour->context);
}

static void try_papi(const struct hyb_counter *counter, const char *lacks, void *context)
{
	const struct tour *tour = context;

	if (lacks)
		tour->visit(counter, lacks, tour->context);
	else
		try_one(tour, counter->name, counter);
}

static void try_native(const char *name, const char *description, void *context)
{
	const struct hyb_counter counter = { .name = name, .unit = "#", .description = description };

	try_one(context, name, &counter);
}

const char *hyb_counters_each(enum hyb_counter_section section, hyb_counter_visit visit, void *context)
{
	struct tour tour = { .visit = visit, .context = context };
	const char *why = NULL;
	const char *name;

	switch (section) {
	case HYB_SECTION_OWN:
		for (unsigned int i = 0; (name = hyb_own_name(i)); i++)
			try_one(&tour, name, NULL);
		break;
	case HYB_SECTION_KERNEL:
		for (unsigned int i = 0; (name = hyb_perf_software_name(i)); i++) {
			struct hyb_counter counter = { .name = name };
			struct perf_event_attr attr;

			hyb_perf_software(name, &attr, &counter.unit, &counter.description);
			try_one(&tour, name, &counter);
		}
		break;
	case HYB_SECTION_PAPI:
		hyb_papi_hold(true);
		why = hyb_papi_each(try_papi, &tour);
		hyb_papi_hold(false);
		break;
	case HYB_SECTION_NATIVE:
		why = hyb_pfm_each(try_native, &tour);
		break;
	}
	return why;
}

const char *hyb_counters_components(void (*visit)(const char *name, const char *description, const char *lacks,
						  void *context), void *context)
{
	return hyb_papi_components(visit, context);
}

const char *hyb_counters_papi(char *text, size_t size)
{
	return hyb_papi_version(text, size);
}
