/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of counters; see set.h. */
#include "core/counters/set.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "core/sys/memory.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "core/counters/note.h"
#include "core/counters/pfm.h"

#define NAME_MOST 256

/* Readers that threads have given back. */
struct hyb_counter_reader {
	struct hyb_counter_reader *next;
	struct hyb_own_reading own;
	struct hyb_perf *perf;
	uint64_t *terms;	/* values of the perf events */
	struct hyb_papi *papi;
};

static struct hyb_counter_reader *spare;
static int spare_lock;

static bool has(const struct hyb_counter_set *set, const char *name)
{
	for (uint32_t i = 0; i < set->count; i++) {
		if (!strcasecmp(set->counters[i].name, name))
			return true;
	}
	return false;
}

/* Presets, users' own, and what a component has; all else is perf's. */
static bool is_papis(const char *name)
{
	return !strncasecmp(name, "PAPI_", 5) || strstr(name, ":::");
}

static void offer(const char *name, const char *description, void *nearest)
{
	(void)description;
	hyb_nearest_offer(nearest, name);
}

static void offer_papi(const struct hyb_counter *counter, const char *lacks, void *nearest)
{
	(void)lacks;
	hyb_nearest_offer(nearest, counter->name);
}

/* why: what the library that was asked says of it; "": no more than that it does not know it. */
static void say_unknown(struct hyb_counter_set *set, const char *name, const char *why)
{
	struct hyb_nearest nearest = { .name = name };
	const char *other;
	char text[512];

	for (unsigned int i = 0; (other = hyb_own_name(i)); i++)
		hyb_nearest_offer(&nearest, other);
	for (unsigned int i = 0; (other = hyb_perf_software_name(i)); i++)
		hyb_nearest_offer(&nearest, other);
	if (is_papis(name))
		hyb_papi_each(offer_papi, &nearest);
	else
		hyb_pfm_each(offer, &nearest);
	hyb_counter_note(set, "no counter %s is known here%s%s%s%s", name, *why ? " (" : "", why, *why ? ")" : "",
			 hyb_nearest_text(&nearest, text, sizeof(text)));
}

/* Names of those that it cannot be counted with: all perf events of the processor before it. */
static void say_excluded(struct hyb_counter_set *set, const char *name)
{
	char text[512] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < set->count && n < sizeof(text); i++) {
		if (set->counters[i].way == HYB_COUNTER_PERF)
			n += hyb_text_format(text + n, sizeof(text) - n, "%s%s", n ? ", " : "", set->counters[i].name);
	}
	hyb_counter_note(set, "%s cannot be counted together with %s; HYBMON_COUNTERS_MULTIPLEX=yes counts them in turn",
			 name, text);
}

/* One event of a counter of perf's. */
static bool add_term(struct hyb_counter_set *set, struct hyb_counter *c, const struct perf_event_attr *attr)
{
	bool user;
	int err = hyb_perf_add(&set->perf, attr, &user);
	char text[512];

	if (err) {
		hyb_perf_shorten(&set->perf, c->first);
		if (err == -EBUSY)
			say_excluded(set, c->name);
		else
			hyb_counter_note(set, "%s cannot be counted: %s", c->name, hyb_perf_why(err, attr));
		return false;
	}
	if (user) {
		hyb_text_format(text, sizeof(text), "%s (in user mode: this user may not count the kernel)", c->description);
		c->description = hyb_counter_text(text);
	}
	c->terms++;
	return true;
}

static bool find_software(struct hyb_counter_set *set, const char *name, struct hyb_counter *c, bool *counts)
{
	struct perf_event_attr attr;

	*c = (struct hyb_counter){
		.name = name, .way = HYB_COUNTER_PERF, .first = set->perf.count, .metric = { .base = 10 },
	};
	/* What stays as it is here where it is no event of the kernel's own. */
	if (!hyb_perf_software(name, &attr, &c->unit, &c->description))
		return false;
	if (!strcmp(c->unit, "s"))
		c->metric.exponent = -9;
	*counts = add_term(set, c, &attr);
	return true;
}

/* An event of the processor, by the name that libpfm4 and PAPI have for it. */
static bool find_native(struct hyb_counter_set *set, const char *name, struct hyb_counter *c)
{
	struct perf_event_attr attr;
	const char *why = hyb_pfm_find(name, &attr, &c->description);

	c->unit = "#";
	if (why)
		say_unknown(set, name, why);
	return !why && add_term(set, c, &attr);
}

/* The events that a preset is made of. */
static bool add_terms(struct hyb_counter_set *set, struct hyb_counter *c, const struct hyb_papi_event *event)
{
	struct perf_event_attr attr;
	const char *description;

	c->way = HYB_COUNTER_PERF;
	c->first = set->perf.count;
	c->derived = event->derived;
	c->postfix = event->postfix;
	for (uint32_t i = 0; i < event->terms; i++) {
		const char *why = hyb_pfm_find(event->names[i], &attr, &description);

		if (why) {
			hyb_counter_note(set, "%s cannot be counted: of its event %s libpfm4 says: %s", c->name, event->names[i],
					 why);
			hyb_perf_shorten(&set->perf, c->first);
			return false;
		}
		if (!add_term(set, c, &attr))
			return false;
	}
	return true;
}

static bool find_papi(struct hyb_counter_set *set, const char *name, struct hyb_counter *c)
{
	struct hyb_papi_event event;
	const char *why = hyb_papi_find(name, c, &event);
	bool excluded;

	if (why && !*why) {
		say_unknown(set, name, why);
		return false;
	}
	if (!why && event.terms)
		return add_terms(set, c, &event);
	if (!why) {
		c->way = HYB_COUNTER_PAPI;
		c->place = set->papi.count;
		why = hyb_papi_add(&set->papi, c->name, event.component, &excluded);
		if (why && excluded) {
			hyb_counter_note(set, "%s cannot be counted together with those of its component before it: %s", name,
					 why);
			return false;
		}
	}
	if (why)
		hyb_counter_note(set, "%s cannot be counted: %s", name, why);
	return !why;
}

/* Adds a counter by its name, or says why not. */
static void add(struct hyb_counter_set *set, const char *given)
{
	struct hyb_counter c;
	const char *name;
	bool counts = true;

	if (has(set, given))
		return;
	name = hyb_counter_text(given);
	if (hyb_own_find(name, &c)) {
		hyb_own_need(&set->own, &c);
	} else if (!find_software(set, name, &c, &counts)) {
		counts = is_papis(name) ? find_papi(set, name, &c) : find_native(set, name, &c);
	}
	/* As PAPI writes it, it may be there by another name. */
	if (counts && !has(set, c.name))
		set->counters[set->count++] = c;
}

static size_t count_names(const char *names)
{
	size_t count = 1;

	for (; *names; names++)
		count += *names == ',' || *names == ' ';
	return count;
}

void hyb_counter_set_make(struct hyb_counter_set *set, const char *names)
{
	char name[NAME_MOST];
	size_t length;

	set->counters = hyb_alloc(count_names(names) * sizeof(*set->counters));
	if (!set->counters)
		return;
	while (*(names += strspn(names, ", "))) {
		length = strcspn(names, ", ");
		hyb_text_format(name, sizeof(name), "%s", names);
		if (length < sizeof(name)) {
			name[length] = 0;
			add(set, name);
		} else {
			hyb_counter_note(set, "no counter has a name as long as %s", name);
		}
		names += length;
	}
	hyb_perf_settle(&set->perf);
	hyb_papi_settle(&set->papi);
	for (uint32_t i = 0; i < set->count; i++) {
		if (set->counters[i].way == HYB_COUNTER_PERF && set->perf.multiplex && set->perf.groups > 1)
			set->counters[i].metric.flags |= HYB_METRIC_SCALED;
	}
}

static struct hyb_counter_reader *take(const struct hyb_counter_set *set)
{
	size_t terms = set->perf.count * sizeof(uint64_t);
	size_t perf;
	struct hyb_counter_reader *r;
	uint64_t signals;

	hyb_sys_lock(&spare_lock, &signals);
	r = spare;
	if (r)
		spare = r->next;
	hyb_sys_unlock(&spare_lock, &signals);
	if (r)
		return r;
	perf = (hyb_perf_size(&set->perf) + 15) & ~(size_t)15;
	r = hyb_alloc_apart(sizeof(*r) + terms + perf + hyb_papi_size(&set->papi));
	if (r) {
		r->terms = (uint64_t *)(r + 1);
		r->perf = (struct hyb_perf *)(r->terms + set->perf.count);
		r->papi = (struct hyb_papi *)((char *)r->perf + perf);
	}
	return r;
}

static void give_back(struct hyb_counter_reader *r)
{
	uint64_t signals;

	hyb_sys_lock(&spare_lock, &signals);
	r->next = spare;
	spare = r;
	hyb_sys_unlock(&spare_lock, &signals);
}

struct hyb_counter_reader *hyb_counter_set_open(const struct hyb_counter_set *set, int *err)
{
	struct hyb_counter_reader *r = take(set);

	if (!r) {
		*err = -ENOMEM;
		return NULL;
	}
	*err = set->perf.count ? hyb_perf_open(&set->perf, r->perf) : 0;
	if (!*err && set->papi.count && hyb_papi_open(&set->papi, r->papi)) {
		*err = -ENODATA;
		if (set->perf.count)
			hyb_perf_close(&set->perf, r->perf);
	}
	if (*err) {
		give_back(r);
		return NULL;
	}
	return r;
}

/* PAPI's formula in reverse Polish notation, as N0|N1|+|100|*|, the way PAPI computes it. */
static uint64_t compute(const char *formula, const uint64_t *terms, uint64_t count)
{
	double stack[2 * HYB_PAPI_TERMS] = { 0 };
	int top = 0;

	for (const char *p = formula; *p; p += strcspn(p, "|"), p += *p == '|') {
		bool number = *p == 'N' || (*p >= '0' && *p <= '9');
		uint64_t n = 0;

		if (*p == '|')
			continue;
		if (number ? top == 2 * HYB_PAPI_TERMS : top < 2)
			return 0;
		if (number) {
			for (const char *digit = p + (*p == 'N'); *digit >= '0' && *digit <= '9'; digit++)
				n = 10 * n + (uint64_t)(*digit - '0');
			stack[top++] = *p != 'N' ? (double)n : n < count ? (double)terms[n] : 0;
			continue;
		}
		top--;
		if (*p == '+')
			stack[top - 1] += stack[top];
		else if (*p == '-')
			stack[top - 1] -= stack[top];
		else if (*p == '*')
			stack[top - 1] *= stack[top];
		else if (*p == '/')
			stack[top - 1] = stack[top] != 0 ? stack[top - 1] / stack[top] : 0;
	}
	return top && stack[top - 1] > 0 && stack[top - 1] < 0x1p63 ? (uint64_t)stack[top - 1] : 0;
}

static uint64_t value_of(const struct hyb_counter *c, const uint64_t *terms)
{
	uint64_t value = terms[c->first];

	if (c->derived == HYB_DERIVED_POSTFIX)
		return compute(c->postfix, terms + c->first, c->terms);

	for (uint32_t i = 1; i < c->terms; i++)
		value = c->derived == HYB_DERIVED_SUB ? value - terms[c->first + i] : value + terms[c->first + i];
	return value;
}

int hyb_counter_set_read(const struct hyb_counter_set *set, struct hyb_counter_reader *r, uint64_t *values)
{
	bool reopened = false;
	int err = 0;

	if (set->perf.count)
		err = hyb_perf_read(&set->perf, r->perf, r->terms, &reopened);
	if (!err && set->papi.count && hyb_papi_read(&set->papi, r->papi))
		err = -ENODATA;
	if (err)
		return err;
	hyb_own_read(&set->own, &r->own);
	for (uint32_t i = 0; i < set->count; i++) {
		const struct hyb_counter *c = &set->counters[i];

		if (c->way == HYB_COUNTER_OWN)
			values[i] = hyb_own_value(&r->own, c);
		else if (c->way == HYB_COUNTER_PAPI)
			values[i] = hyb_papi_value(r->papi, c->place);
		else
			values[i] = value_of(c, r->terms);
	}
	return reopened ? -EAGAIN : 0;
}

void hyb_counter_set_close(const struct hyb_counter_set *set, struct hyb_counter_reader *r)
{
	if (set->perf.count)
		hyb_perf_close(&set->perf, r->perf);
	if (set->papi.count)
		hyb_papi_close(&set->papi, r->papi);
	give_back(r);
}

const char *hyb_counter_set_way(const struct hyb_counter_set *set, const struct hyb_counter_reader *r, char *text,
				size_t size)
{
	size_t n = 0;

	text[0] = 0;
	if (set->perf.count && hyb_perf_is_direct(r->perf))
		n += hyb_text_format(text + n, size - n, "perf without a system call (rdpmc)");
	else if (set->perf.count)
		n += hyb_text_format(text + n, size - n, "perf by %u system call%s", set->perf.groups,
				     set->perf.groups == 1 ? "" : "s");
	if (set->papi.count && n < size)
		n += hyb_text_format(text + n, size - n, "%sPAPI_read", n ? ", " : "");
	if (set->own.rusage && n < size)
		n += hyb_text_format(text + n, size - n, "%sgetrusage", n ? ", " : "");
	if (set->own.clock && n < size)
		n += hyb_text_format(text + n, size - n, "%sclock_gettime", n ? ", " : "");
	return text;
}
