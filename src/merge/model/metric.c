/* SPDX-License-Identifier: BSD-3-Clause */
/* Unifies counters and their classes; see metric.h. */
#include "merge/model/metric.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool same_metric(const void *entry, const void *key)
{
	const struct hyb_metric *a = &(*(struct hyb_gmetric *const *)entry)->def, *b = key;

	return a->type == b->type && a->mode == b->mode && a->base == b->base && a->exponent == b->exponent &&
	       a->flags == b->flags && !strcmp(a->name, b->name) && !strcmp(a->unit, b->unit);
}

static bool same_class(const void *entry, const void *key)
{
	const struct hyb_gmetric_class *a = *(struct hyb_gmetric_class *const *)entry, *b = key;

	return a->scope == b->scope && a->kernel == b->kernel && a->count == b->count &&
	       !memcmp(a->members, b->members, a->count * sizeof(struct hyb_gmetric *));
}

static uint64_t hash_metric(const struct hyb_metric *m)
{
	return hyb_hash_bytes(m->name, strlen(m->name)) +
	       hyb_mix((uint64_t)m->flags << 32 | (unsigned int)m->type << 24 | (unsigned int)m->mode << 16 |
		       (unsigned int)m->base << 8 | (uint8_t)m->exponent);
}

static uint64_t hash_class(const struct hyb_gmetric_class *class)
{
	return hyb_hash_bytes(class->members, class->count * sizeof(struct hyb_gmetric *)) + class->scope;
}

void hyb_gmetrics_init(struct hyb_gmetrics *g)
{
	hyb_table_init(&g->metrics, sizeof(struct hyb_gmetric *), same_metric);
	hyb_table_init(&g->classes, sizeof(struct hyb_gmetric_class *), same_class);
	g->next = g->next_metric = 0;
}

static void free_metric(struct hyb_gmetric *m)
{
	free((char *)m->def.name);
	free((char *)m->def.unit);
	free((char *)m->def.description);
	free(m);
}

void hyb_gmetrics_free(struct hyb_gmetrics *g)
{
	uint32_t i;

	for (i = 0; i < g->metrics.count; i++)
		free_metric(hyb_gmetrics_at(g, i));
	for (i = 0; i < g->classes.count; i++) {
		free(hyb_gmetrics_class(g, i)->members);
		free(hyb_gmetrics_class(g, i));
	}
	hyb_table_free(&g->metrics);
	hyb_table_free(&g->classes);
}

/* NULL: there is none. */
static struct hyb_gmetric *find_metric(const struct hyb_gmetrics *g, const struct hyb_metric *def)
{
	struct hyb_gmetric **entry = hyb_table_find(&g->metrics, hash_metric(def), def);

	return entry ? *entry : NULL;
}

static struct hyb_gmetric *add_metric(struct hyb_gmetrics *g, const struct hyb_metric *def)
{
	struct hyb_gmetric *m = find_metric(g, def), **entry;

	if (m)
		return m;
	m = malloc(sizeof(*m));
	if (!m)
		return NULL;
	*m = (struct hyb_gmetric){ .def = *def, .id = HYB_METRIC_UNUSED };
	m->def.name = strdup(def->name);
	m->def.unit = strdup(def->unit);
	m->def.description = strdup(def->description);
	if (!m->def.name || !m->def.unit || !m->def.description)
		goto err_metric;
	entry = hyb_table_add(&g->metrics, hash_metric(def));
	if (!entry)
		goto err_metric;
	*entry = m;
	return m;

err_metric:
	free_metric(m);
	return NULL;
}

/* Takes the members, which it frees if there is such a class already. NULL without memory. */
static struct hyb_gmetric_class *add_class(struct hyb_gmetrics *g, const struct hyb_gmetric_class *key)
{
	const uint64_t hash = hash_class(key);
	struct hyb_gmetric_class **entry = hyb_table_find(&g->classes, hash, key), *class;

	if (entry) {
		free(key->members);
		return *entry;
	}
	class = malloc(sizeof(*class));
	entry = class ? hyb_table_add(&g->classes, hash) : NULL;
	if (!entry) {
		free(class);
		free(key->members);
		return NULL;
	}
	*class = *key;
	class->id = HYB_METRIC_UNUSED;
	*entry = class;
	return class;
}

static const struct hyb_metric *member_of(const struct hyb_metric_defs *defs, const struct hyb_metric_set *set, uint32_t i)
{
	return &defs->metrics[set->metric[i]];
}

/* Those of a set that have this scope. */
static int add_scope(struct hyb_gmetrics *g, const struct hyb_metric_defs *defs, const struct hyb_metric_set *set,
		     enum hyb_metric_scope scope)
{
	struct hyb_gmetric_class key = { .scope = scope, .members = malloc(set->count * sizeof(*key.members)) };
	uint32_t i;

	if (!key.members)
		return -ENOMEM;
	for (i = 0; i < set->count; i++) {
		if (hyb_metric_scope(member_of(defs, set, i)) != scope)
			continue;
		key.members[key.count] = add_metric(g, member_of(defs, set, i));
		if (!key.members[key.count++]) {
			free(key.members);
			return -ENOMEM;
		}
	}
	if (!key.count) {
		free(key.members);
		return 0;
	}
	return add_class(g, &key) ? 0 : -ENOMEM;
}

int hyb_gmetrics_add(struct hyb_gmetrics *g, const struct hyb_metric_defs *defs)
{
	unsigned int scope;
	size_t i;
	int ret = 0;

	for (i = 0; i < defs->set_count; i++)
		for (scope = 0; !ret && scope < HYB_METRIC_SCOPES; scope++)
			ret = add_scope(g, defs, &defs->sets[i], scope);
	return ret;
}

struct hyb_gmetric_class *hyb_gmetrics_add_kernel(struct hyb_gmetrics *g, const struct hyb_metric *metrics, uint32_t count)
{
	struct hyb_gmetric_class key = { .kernel = true, .count = count, .members = malloc(count * sizeof(*key.members)) };
	uint32_t i;

	for (i = 0; key.members && i < count; i++) {
		key.members[i] = add_metric(g, &metrics[i]);
		if (!key.members[i]) {
			free(key.members);
			return NULL;
		}
	}
	return key.members ? add_class(g, &key) : NULL;
}

int hyb_gmetrics_find(const struct hyb_gmetrics *g, const struct hyb_metric_defs *defs, const struct hyb_metric_set *set,
		      struct hyb_gmetric_class *classes[HYB_METRIC_SCOPES])
{
	struct hyb_gmetric_class key = { .members = malloc(set->count * sizeof(*key.members)) }, **entry;
	unsigned int scope;
	uint32_t i;

	if (!key.members)
		return -ENOMEM;
	for (scope = 0; scope < HYB_METRIC_SCOPES; scope++) {
		key.scope = scope;
		key.count = 0;
		for (i = 0; i < set->count; i++)
			if (hyb_metric_scope(member_of(defs, set, i)) == scope)
				key.members[key.count++] = find_metric(g, member_of(defs, set, i));
		entry = key.count ? hyb_table_find(&g->classes, hash_class(&key), &key) : NULL;
		classes[scope] = entry ? *entry : NULL;
	}
	free(key.members);
	return 0;
}

void hyb_gmetrics_number(struct hyb_gmetrics *g)
{
	struct hyb_gmetric_class *class;
	uint32_t i, k;

	for (i = 0; i < g->classes.count; i++) {
		class = hyb_gmetrics_class(g, i);
		if (!class->used && !class->kernel)
			continue;
		class->id = g->next++;
		for (k = 0; k < class->count; k++)
			if (class->members[k]->id == HYB_METRIC_UNUSED)
				class->members[k]->id = g->next_metric++;
		if (class->used)
			hyb_gmetric_class_use(class);
	}
}

void hyb_gmetric_class_use(struct hyb_gmetric_class *class)
{
	uint32_t i;

	class->used = true;
	for (i = 0; i < class->count; i++)
		class->members[i]->used = true;
}
