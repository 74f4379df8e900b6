/* SPDX-License-Identifier: BSD-3-Clause */
/* What PAPI says of names, and which events it has; see papi.h. */
#include "core/counters/papi.h"

#include <string.h>

#include "core/sys/memory.h"
#include "core/sys/text.h"
#include "core/counters/papi-library.h"

/* Units with their prefixes and PAPI's ways to write them. */
static const struct unit {
	const char *name;
	const char *unit;
	uint8_t base;
	int8_t exponent;
} units[] = {
	{ "", "#", 10, 0 }, { "ns", "s", 10, -9 }, { "us", "s", 10, -6 }, { "ms", "s", 10, -3 }, { "nJ", "J", 10, -9 },
	{ "uJ", "J", 10, -6 }, { "mJ", "J", 10, -3 }, { "Joules", "J", 10, 0 }, { "uW", "W", 10, -6 },
	{ "mW", "W", 10, -3 }, { "uV", "V", 10, -6 }, { "mV", "V", 10, -3 }, { "uA", "A", 10, -6 }, { "mA", "A", 10, -3 },
	{ "B", "bytes", 10, 0 }, { "Bytes", "bytes", 10, 0 }, { "KB", "bytes", 2, 10 }, { "kB", "bytes", 2, 10 },
	{ "MB", "bytes", 2, 20 }, { "MHz", "Hz", 10, 6 }, { "kHz", "Hz", 10, 3 }, { "GHz", "Hz", 10, 9 },
	{ "mC", "C", 10, -3 }, { "2^-32 Joules", "J", 2, -32 },
};

static void set_unit(struct hyb_counter *counter, const char *text)
{
	counter->metric.base = 10;
	counter->metric.exponent = 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(text, units[i].name))
			continue;
		counter->unit = units[i].unit;
		counter->metric.base = units[i].base;
		counter->metric.exponent = units[i].exponent;
		return;
	}
	counter->unit = hyb_counter_text(text);
}

static void describe(struct hyb_counter *counter, const struct hyb_papi_info *info)
{
	static const uint8_t types[] = { HYB_METRIC_INT64, HYB_METRIC_UINT64, HYB_METRIC_DOUBLE };

	counter->name = hyb_counter_text(info->symbol);
	counter->description = hyb_counter_text(info->description);
	counter->metric.type = info->data_type >= 0 && info->data_type < 3 ? types[info->data_type] : HYB_METRIC_UINT64;
	counter->metric.mode = info->value_type ? HYB_METRIC_ABSOLUTE : HYB_METRIC_ACCUMULATED;
	counter->metric.flags = 0;
	set_unit(counter, info->units);
}

/* Why a component has nothing to count. */
static const char *lacks(const struct hyb_papi_component *component)
{
	static char text[256];

	if (!component)
		return "PAPI has no such component";
	if (!component->disabled)
		return NULL;
	hyb_text_format(text, sizeof(text), "PAPI's component %s says: %s", component->name, component->disabled_reason);
	return text;
}

static bool is_derived(const char *text, enum hyb_counter_derived *derived)
{
	static const char *const names[] = { "NOT_DERIVED", "DERIVED_ADD", "DERIVED_SUB", "DERIVED_POSTFIX" };

	*derived = HYB_DERIVED_NOT;
	if (!text[0])
		return true;
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		*derived = i;
		if (!strcmp(text, names[i]))
			return true;
	}
	return false;
}

/* What a preset is made of. */
static const char *preset(const struct hyb_papi_info *info, struct hyb_papi_event *event)
{
	static char text[160];
	const char *why = lacks(hyb_papi_library.component(info->component));

	if (!info->count)
		return why ? why : "this processor has no such counter, PAPI says";
	/* A formula may have the clock rate, which is none of a thread's. */
	if (!is_derived(info->derived, &event->derived) || strchr(info->postfix, '#')) {
		hyb_text_format(text, sizeof(text), "PAPI computes it in a way (%s) that hybmon does not know", info->derived);
		return text;
	}
	event->postfix = hyb_counter_text(info->postfix);
	event->terms = info->count < HYB_PAPI_TERMS ? info->count : HYB_PAPI_TERMS;
	for (uint32_t i = 0; i < event->terms; i++)
		event->names[i] = hyb_counter_text(info->names[i]);
	return NULL;
}

static bool is_preset(int code)
{
	return (unsigned int)code & HYB_PAPI_PRESET;
}

const char *hyb_papi_find(const char *name, struct hyb_counter *counter, struct hyb_papi_event *event)
{
	struct hyb_papi_info *info = hyb_alloc(sizeof(*info));
	const char *why = hyb_papi_load();
	int code, err;

	if (why || !info)
		return why ? why : "there is no memory";
	err = hyb_papi_library.name_to_code(name, &code);
	if (err != HYB_PAPI_OK)
		return "";
	err = hyb_papi_library.event_info(code, info);
	if (err != HYB_PAPI_OK)
		return hyb_papi_error(err);
	describe(counter, info);
	*event = (struct hyb_papi_event){ .component = info->component };
	return is_preset(code) ? preset(info, event) : NULL;
}

const char *hyb_papi_error(int err)
{
	const char *text = hyb_papi_library.strerror(err);

	return text ? text : "an error of PAPI's";
}

struct tour {
	void (*visit)(const struct hyb_counter *counter, const char *lacks, void *context);
	void *context;
	struct hyb_papi_info info;
};

static void show(struct tour *tour, int code, const char *without)
{
	struct hyb_counter counter = { .way = HYB_COUNTER_PAPI };
	struct hyb_papi_event event;

	if (hyb_papi_library.event_info(code, &tour->info) != HYB_PAPI_OK)
		return;
	describe(&counter, &tour->info);
	if (!without && is_preset(code))
		without = preset(&tour->info, &event);
	tour->visit(&counter, without, tour->context);
}

static void show_component(struct tour *tour, int number)
{
	int code = (int)HYB_PAPI_NATIVE;
	int err = hyb_papi_library.enumerate(&code, HYB_PAPI_ENUM_FIRST, number);

	for (; err == HYB_PAPI_OK; err = hyb_papi_library.enumerate(&code, HYB_PAPI_ENUM_EVENTS, number))
		show(tour, code, NULL);
}

const char *hyb_papi_each(void (*visit)(const struct hyb_counter *counter, const char *lacks, void *context),
			  void *context)
{
	struct tour *tour = hyb_alloc(sizeof(*tour));
	const char *why = hyb_papi_load();
	int code = (int)HYB_PAPI_PRESET;
	int err;

	if (why || !tour)
		return why;
	tour->visit = visit;
	tour->context = context;
	err = hyb_papi_library.enumerate_presets(&code, HYB_PAPI_ENUM_FIRST);
	for (; err == HYB_PAPI_OK; err = hyb_papi_library.enumerate_presets(&code, HYB_PAPI_ENUM_EVENTS))
		show(tour, code, NULL);
	for (int i = 0; i < hyb_papi_library.components(); i++) {
		const struct hyb_papi_component *component = hyb_papi_library.component(i);

		/* Those of perf are libpfm4's, which lists them. */
		if (component && !component->disabled && strcmp(component->name, "perf_event"))
			show_component(tour, i);
	}
	return NULL;
}

const char *hyb_papi_components(void (*visit)(const char *name, const char *description, const char *lacks,
					      void *context), void *context)
{
	const char *why = hyb_papi_load();

	for (int i = 0; !why && i < hyb_papi_library.components(); i++) {
		const struct hyb_papi_component *component = hyb_papi_library.component(i);

		if (component)
			visit(component->name, component->description,
			      component->disabled ? component->disabled_reason : NULL, context);
	}
	return why;
}
