/* SPDX-License-Identifier: BSD-3-Clause */
/* Unifies regions; see region.h. */
#include "merge/model/region.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_region(const void *entry, const void *key)
{
	const struct hyb_gregion *a = *(struct hyb_gregion *const *)entry, *b = key;

	return a->role == b->role && a->paradigm == b->paradigm && a->coll == b->coll && a->kernel == b->kernel && a->kind == b->kind &&
	       strcmp(a->name, b->name) == 0 && strcmp(a->plain, b->plain) == 0 && !a->file == !b->file &&
	       a->line == b->line && (!a->file || strcmp(a->file, b->file) == 0);
}

void hyb_regions_init(struct hyb_regions *r)
{
	hyb_table_init(&r->table, sizeof(struct hyb_gregion *), same_region);
	pthread_mutex_init(&r->lock, NULL);
	r->next = 0;
}

static void free_region(struct hyb_gregion *region)
{
	free(region->name);
	free(region->plain);
	free(region->file);
	free(region->symbol);
	free(region);
}

void hyb_regions_free(struct hyb_regions *r)
{
	uint32_t i;

	for (i = 0; i < r->table.count; i++)
		free_region(hyb_regions_at(r, i));
	hyb_table_free(&r->table);
	pthread_mutex_destroy(&r->lock);
}

static struct hyb_gregion *add_region(struct hyb_regions *r, const struct hyb_gregion *key,
				      uint64_t hash)
{
	struct hyb_gregion *region = malloc(sizeof(*region)), **entry;

	if (!region)
		return NULL;
	*region = *key;
	region->name = strdup(key->name);
	region->plain = strdup(key->plain);
	region->file = key->file ? strdup(key->file) : NULL;
	region->symbol = key->symbol ? strdup(key->symbol) : NULL;
	if (!region->name || !region->plain || !region->file != !key->file || !region->symbol != !key->symbol)
		goto err_region;
	entry = hyb_table_add(&r->table, hash);
	if (!entry)
		goto err_region;
	*entry = region;
	return region;

err_region:
	free_region(region);
	return NULL;
}

static struct hyb_gregion *get(struct hyb_regions *r, const struct hyb_gregion *key)
{
	uint64_t hash = hyb_hash_bytes(key->name, strlen(key->name)) +
			hyb_mix(hyb_hash_bytes(key->plain, strlen(key->plain)) +
				(key->kernel << 24 | key->role << 16 | key->paradigm << 8 | key->coll));
	struct hyb_gregion **entry, *region;

	pthread_mutex_lock(&r->lock);
	entry = hyb_table_find(&r->table, hash, key);
	region = entry ? *entry : add_region(r, key, hash);
	pthread_mutex_unlock(&r->lock);
	return region;
}

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* MPI's functions and OpenMP's constructs have the names that their standards give them, which are no labels of ours. */
static enum hyb_region_kind kind_of_mpi(const char *name)
{
	static const struct {
		const char *begin;
		enum hyb_region_kind kind;
	} functions[] = {
		{ "MPI_Wait", HYB_REGION_COMPLETION },	  { "MPI_Test", HYB_REGION_COMPLETION },
		{ "MPI_Probe", HYB_REGION_PROBE },	  { "MPI_Mprobe", HYB_REGION_PROBE },
		{ "MPI_Iprobe", HYB_REGION_PROBE },	  { "MPI_Improbe", HYB_REGION_PROBE },
		{ "MPI_Recv", HYB_REGION_RECEIVE },	  { "MPI_Irecv", HYB_REGION_RECEIVE },
		{ "MPI_Sendrecv", HYB_REGION_RECEIVE },
	};

	if (!strcmp(name, "MPI_Init") || !strcmp(name, "MPI_Init_thread"))
		return HYB_REGION_INIT;
	if (!strcmp(name, "MPI_Finalize"))
		return HYB_REGION_FINALIZE;
	if (begins(name, "MPI_Recv_init"))
		return HYB_REGION_ANY;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (begins(name, functions[i].begin))
			return functions[i].kind;
	if (begins(name, "MPI_Win"))
		return HYB_REGION_OF_WINDOWS;
	return strstr(name, "omm_") ? HYB_REGION_OF_COMMS : HYB_REGION_ANY;
}

static enum hyb_region_kind kind_of_openmp(const char *plain)
{
	static const char wait[] = " wait";
	const size_t length = strlen(plain);

	if (!strcmp(plain, "taskgroup"))
		return HYB_REGION_TASKGROUP;
	if (length >= sizeof(wait) && !strcmp(plain + length - strlen(wait), wait))
		return HYB_REGION_WAIT;
	return begins(plain, "target") || begins(plain, "device ") ? HYB_REGION_TARGET : HYB_REGION_ANY;
}

static enum hyb_region_kind kind_of(enum hyb_paradigm paradigm, const char *plain)
{
	return paradigm == HYB_PARADIGM_MPI ? kind_of_mpi(plain) :
	       paradigm == HYB_PARADIGM_OPENMP ? kind_of_openmp(plain) : HYB_REGION_ANY;
}

struct hyb_gregion *hyb_regions_get(struct hyb_regions *r, const char *name, enum hyb_role role,
				    enum hyb_paradigm paradigm, enum hyb_coll coll)
{
	const struct hyb_gregion key = {
		.name = (char *)name,
		.plain = (char *)name,
		.role = role,
		.paradigm = paradigm,
		.coll = coll,
		.kind = kind_of(paradigm, name),
		.id = HYB_REGION_UNUSED,
	};

	return get(r, &key);
}

struct hyb_gregion *hyb_regions_get_at(struct hyb_regions *r, const char *name, const char *plain,
				       const struct hyb_place *place, enum hyb_role role,
				       enum hyb_paradigm paradigm)
{
	const struct hyb_gregion key = {
		.name = (char *)name,
		.plain = (char *)plain,
		.file = (char *)place->file,
		.line = place->line,
		.symbol = (char *)place->symbol,
		.role = role,
		.paradigm = paradigm,
		.kind = kind_of(paradigm, plain),
		.id = HYB_REGION_UNUSED,
	};

	return get(r, &key);
}

struct hyb_gregion *hyb_regions_get_kernel(struct hyb_regions *r, const char *name, enum hyb_region_kernel kernel,
					   enum hyb_region_kind kind, enum hyb_paradigm paradigm)
{
	const struct hyb_gregion key = {
		.name = (char *)name,
		.plain = (char *)name,
		.role = HYB_ROLE_FUNCTION,
		.paradigm = paradigm,
		.kernel = kernel,
		.kind = kind,
		.id = HYB_REGION_UNUSED,
	};

	return get(r, &key);
}

static enum hyb_region_kind kind_of_event(enum hyb_kernel_what what, uint32_t number)
{
	switch (what) {
	case HYB_KERNEL_SWITCH:
		return number ? HYB_REGION_OFF_INVOLUNTARY : HYB_REGION_OFF_VOLUNTARY;
	case HYB_KERNEL_SYSCALL_ENTER:
		return HYB_REGION_SYSCALL;
	case HYB_KERNEL_FAULT_BEGIN:
		return HYB_REGION_FAULT;
	case HYB_KERNEL_IRQ_ENTER:
		return HYB_REGION_IRQ;
	case HYB_KERNEL_SOFTIRQ_ENTER:
		return HYB_REGION_SOFTIRQ;
	default:
		return HYB_REGION_ANY;
	}
}

struct hyb_gregion *hyb_regions_get_event(struct hyb_regions *r, enum hyb_kernel_what what, uint32_t number, const char *name)
{
	char text[256];
	const char *label = hyb_label_event(what, number, name, text, sizeof(text));

	if (!label) {
		snprintf(text, sizeof(text), "event %" PRIu32 " of kind %u", number, (unsigned int)what);
		label = text;
	}
	return hyb_regions_get_kernel(r, label, HYB_REGION_EVENT, kind_of_event(what, number), HYB_PARADIGM_KERNEL);
}

void hyb_regions_hide_waits(struct hyb_regions *r)
{
	for (uint32_t i = 0; i < r->table.count; i++)
		if (hyb_regions_at(r, i)->kind == HYB_REGION_WAIT)
			hyb_regions_at(r, i)->hidden = true;
}

void hyb_regions_number(struct hyb_regions *r)
{
	uint32_t i;

	for (i = 0; i < r->table.count; i++)
		if (hyb_regions_at(r, i)->used && !hyb_regions_at(r, i)->hidden &&
		    hyb_regions_at(r, i)->id == HYB_REGION_UNUSED)
			hyb_regions_at(r, i)->id = r->next++;
}

static int by_name(const void *a, const void *b)
{
	const struct hyb_gregion *x = *(struct hyb_gregion *const *)a, *y = *(struct hyb_gregion *const *)b;

	const int order = strcmp(x->name, y->name);

	if (x->kernel != y->kernel)
		return x->kernel < y->kernel ? -1 : 1;
	return order ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

int hyb_regions_number_more(struct hyb_regions *r)
{
	struct hyb_gregion **more = malloc((r->table.count + 1) * sizeof(*more)), *region;
	uint32_t count = 0, i;

	if (!more)
		return -ENOMEM;
	for (i = 0; i < r->table.count; i++) {
		region = hyb_regions_at(r, i);
		if (region->used && !region->hidden && region->id == HYB_REGION_UNUSED)
			more[count++] = region;
	}
	qsort(more, count, sizeof(*more), by_name);
	for (i = 0; i < count; i++)
		more[i]->id = r->next++;
	free(more);
	return 0;
}

uint32_t hyb_regions_late(struct hyb_regions *r, struct hyb_gregion *region)
{
	pthread_mutex_lock(&r->lock);
	if (region->id == HYB_REGION_UNUSED)
		region->id = r->next++;
	pthread_mutex_unlock(&r->lock);
	return region->id;
}

struct hyb_gregion *hyb_regions_define(struct hyb_regions *r, struct hyb_sources *sources, const struct hyb_defs *defs,
				       const struct hyb_region *def)
{
	const struct hyb_object *object = def->object ? hyb_defs_object(defs, def->object) : NULL;
	struct hyb_place place = { .file = NULL };
	const char *where;
	char name[8192];

	if (def->file) {
		place = (struct hyb_place){ .file = def->file, .line = def->line };
		return hyb_regions_get_at(r, def->name, def->name, &place, def->role, def->paradigm);
	}
	if (object && !def->name[0]) {
		if (hyb_sources_function(sources, object, def->address - object->base, &where, &place))
			return NULL;
		if (!place.symbol)
			place.symbol = "";
		return hyb_regions_get_at(r, where, where, &place, def->role, def->paradigm);
	}
	if (!def->address)
		return hyb_regions_get(r, def->name, def->role, def->paradigm, def->coll);
	if (!object)
		snprintf(name, sizeof(name), "%s @0x%llx", def->name, (unsigned long long)def->address);
	else if (hyb_sources_find(sources, object, def->address - object->base, &where, &place))
		return NULL;
	else
		snprintf(name, sizeof(name), "%s @%s", def->name, where);
	return hyb_regions_get_at(r, name, def->name, &place, def->role, def->paradigm);
}
