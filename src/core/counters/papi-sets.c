/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters that PAPI reads: an event set for each component and thread; see papi.h. */
#include <pthread.h>
#include <string.h>

#include "core/sys/memory.h"
#include "core/counters/papi-library.h"
#include "core/counters/papi.h"

struct hyb_papi {
	int *sets;		/* one for each event, of which the first of its component has the set */
	long long *values;
	long long *row;		/* of one set, as PAPI gives them */
};

size_t hyb_papi_size(const struct hyb_papi_plan *plan)
{
	return sizeof(struct hyb_papi) + plan->count * (2 * sizeof(long long) + sizeof(int));
}

static bool has_room(struct hyb_papi_plan *plan)
{
	uint32_t room = plan->room ? 2 * plan->room : 16;
	void *events;

	if (plan->count < plan->room)
		return true;
	events = hyb_alloc(room * sizeof(*plan->events));
	if (!events)
		return false;
	if (plan->count)
		memcpy(events, plan->events, plan->count * sizeof(*plan->events));
	plan->events = events;
	plan->room = room;
	return true;
}

/* The plan's events of one component together, as far as `count`; PAPI's error, 0: they can be counted so. */
static int try_set(const struct hyb_papi_plan *plan, int component, uint32_t count)
{
	int set = HYB_PAPI_NULL;
	int err = hyb_papi_library.create(&set);

	for (uint32_t i = 0; i < count && !err; i++) {
		if (plan->events[i].component == component)
			err = hyb_papi_library.add(set, plan->events[i].name);
	}
	if (set != HYB_PAPI_NULL) {
		hyb_papi_library.cleanup(set);
		hyb_papi_library.destroy(&set);
	}
	return err;
}

static bool has_component(const struct hyb_papi_plan *plan, int component)
{
	for (uint32_t i = 0; i < plan->count; i++) {
		if (plan->events[i].component == component)
			return true;
	}
	return false;
}

const char *hyb_papi_add(struct hyb_papi_plan *plan, const char *name, int component, bool *excluded)
{
	bool beside = has_component(plan, component);
	int err;

	*excluded = false;
	/* Whichever began second could not count. */
	if (hyb_papi_is_programs())
		return "the program uses PAPI itself, which counts with one set of a component at a time in each thread";
	if (!has_room(plan))
		return "there is no memory";
	if (!plan->count)
		hyb_papi_library.thread_init(pthread_self);
	plan->events[plan->count].name = name;
	plan->events[plan->count].component = component;
	plan->count++;
	err = try_set(plan, component, plan->count);
	if (!err)
		return NULL;
	plan->count--;
	*excluded = beside && err == HYB_PAPI_ECNFLCT;
	return hyb_papi_error(err);
}

void hyb_papi_settle(const struct hyb_papi_plan *plan)
{
	if (!plan->count)
		hyb_papi_unload();
}

/* Whether event i is the first of its component; then the set is its. */
static bool is_first(const struct hyb_papi_plan *plan, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++) {
		if (plan->events[k].component == plan->events[i].component)
			return false;
	}
	return true;
}

static int open_set(const struct hyb_papi_plan *plan, struct hyb_papi *papi, uint32_t first)
{
	int err = hyb_papi_library.create(&papi->sets[first]);

	for (uint32_t i = first; i < plan->count && !err; i++) {
		if (plan->events[i].component == plan->events[first].component)
			err = hyb_papi_library.add(papi->sets[first], plan->events[i].name);
	}
	return err ? err : hyb_papi_library.start(papi->sets[first]);
}

int hyb_papi_open(const struct hyb_papi_plan *plan, struct hyb_papi *papi)
{
	int err = 0;

	papi->values = (long long *)(papi + 1);
	papi->row = papi->values + plan->count;
	papi->sets = (int *)(papi->row + plan->count);
	for (uint32_t i = 0; i < plan->count; i++)
		papi->sets[i] = HYB_PAPI_NULL;
	for (uint32_t i = 0; i < plan->count && !err; i++) {
		if (is_first(plan, i))
			err = open_set(plan, papi, i);
	}
	if (err)
		hyb_papi_close(plan, papi);
	return err;
}

/* PAPI gives the values of a set in a row, which are put where their events are in the plan. */
int hyb_papi_read(const struct hyb_papi_plan *plan, struct hyb_papi *papi)
{
	for (uint32_t first = 0; first < plan->count; first++) {
		const long long *value = papi->row;
		int err;

		if (papi->sets[first] == HYB_PAPI_NULL)
			continue;
		err = hyb_papi_library.read(papi->sets[first], papi->row);
		if (err)
			return err;
		for (uint32_t i = first; i < plan->count; i++) {
			if (plan->events[i].component == plan->events[first].component)
				papi->values[i] = *value++;
		}
	}
	return 0;
}

uint64_t hyb_papi_value(const struct hyb_papi *papi, uint32_t place)
{
	return (uint64_t)papi->values[place];
}

void hyb_papi_close(const struct hyb_papi_plan *plan, struct hyb_papi *papi)
{
	for (uint32_t i = 0; i < plan->count; i++) {
		if (papi->sets[i] == HYB_PAPI_NULL)
			continue;
		hyb_papi_library.stop(papi->sets[i], NULL);
		hyb_papi_library.cleanup(papi->sets[i]);
		hyb_papi_library.destroy(&papi->sets[i]);
	}
}
