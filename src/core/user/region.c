/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions that the program tells by hybmon.h. One of a name, file, line and role is one, wherever it is told from. */
#include "core/user/user.h"

#include <string.h>

#include "core/config/filter.h"
#include "core/sys/memory.h"
#include "core/sys/stack.h"
#include "core/record/definitions.h"
#include "core/sys/intern.h"

/* Above, short regions are no CALLs; further up records take two words more, and OpenMP's have to be below that. */
#define NARROW_END 0xc000u

struct region {
	struct hyb_interned in;
	struct hybmon_region told;
	char texts[];		/* name, file */
};

static struct hyb_intern regions;

uint32_t hyb_user_region_id(void)
{
	uint32_t id = hyb_def_region_id(NARROW_END);

	return id ? id : hyb_def_region_wide_id();
}

static const char *text_of(const char *text)
{
	return text ? text : "";
}

static bool same_region(const struct hyb_interned *entry, const void *key)
{
	const struct hybmon_region *a = &((const struct region *)entry)->told, *b = key;

	return a->line == b->line && a->role == b->role && !strcmp(a->name, text_of(b->name)) &&
	       !strcmp(a->file, text_of(b->file));
}

static uint64_t hash_of(const struct hybmon_region *key)
{
	const char *name = text_of(key->name), *file = text_of(key->file);
	uint64_t hash = (uint64_t)key->line << 32 | key->role;

	return hyb_intern_hash(hyb_intern_hash(hash, name, strlen(name)), file, strlen(file));
}

static enum hyb_role role_of(unsigned int role)
{
	switch (role) {
	case HYBMON_ROLE_PHASE:
		return HYB_ROLE_PHASE;
	case HYBMON_ROLE_ITERATION:
		return HYB_ROLE_ITERATION;
	case HYBMON_ROLE_LOOP:
		return HYB_ROLE_LOOP;
	}
	return HYB_ROLE_FUNCTION;
}

static struct hyb_interned *make_region(const void *key)
{
	const struct hybmon_region *k = key;
	const char *name = text_of(k->name), *file = text_of(k->file);
	const struct hyb_filtered what = { .kind = HYB_FILTER_REGION, .file = file, .names = { name } };
	size_t name_size = strlen(name) + 1, file_size = strlen(file) + 1;
	struct region *made = hyb_alloc(sizeof(*made) + name_size + file_size);
	uint32_t id;

	if (!made)
		return NULL;
	made->told = *k;
	made->told.name = memcpy(made->texts, name, name_size);
	made->told.file = memcpy(made->texts + name_size, file, file_size);
	if (hyb_filter_has(HYB_FILTER_REGION) && hyb_filter_leaves_out(&what)) {
		made->told.id = HYB_USER_LEFT_OUT;
		return &made->in;
	}
	id = hyb_user_region_id();
	hyb_def_region(id, role_of(k->role), HYB_PARADIGM_USER, HYB_COLL_NONE, made->told.name);
	if (*made->told.file || k->line)
		hyb_def_source(id, made->told.file, k->line);
	made->told.id = hyb_user_brief_id(id, hyb_filter_has(HYB_FILTER_REGION) ? hyb_filter_shortest(&what) : 0);
	return &made->in;
}

static void get(void *key)
{
	struct hybmon_region **k = key;
	struct hyb_interned *found = hyb_intern_get(&regions, hash_of(*k), same_region, make_region, *k);

	*k = found ? &((struct region *)found)->told : NULL;
}

/* On a stack of ours: the program's may be small. */
static struct hybmon_region *get_region(struct hybmon_region *key)
{
	hyb_stack_run(get, &key);
	return key;
}

/* Its id, which may have to be found out: 0: the process is not recorded, or there is no memory. */
static HYB_COLD uint32_t id_of(struct hybmon_region *region)
{
	const struct hybmon_region *found;

	if (!hyb_user_starts())
		return 0;
	found = get_region(region);
	if (!found)
		return 0;
	/* Whoever sees the id has it defined before: pairs with the load in hybmon_region_begin. */
	__atomic_store_n(&region->id, found->id, __ATOMIC_RELEASE);
	return found->id;
}

/* The process may have to start, or recording is off: then it is known at its end that it was begun. */
static HYB_COLD void begin_slowly(struct hybmon_region *region)
{
	uint32_t id;

	if (!hyb_user_starts())
		return;
	id = __atomic_load_n(&region->id, __ATOMIC_ACQUIRE);
	if (!id)
		id = id_of(region);
	if (!id)
		return;
	/* What is said of a region that is left out is not of the one around it. */
	if (id == HYB_USER_LEFT_OUT || hyb_user_is_off(HYB_USER_REGION))
		hyb_user_push_silent(id | HYB_USER_TOLD, id);
	else if (id & HYB_USER_BRIEF_ID)
		hyb_user_enter_brief(id | HYB_USER_TOLD, id);
	else
		hyb_user_enter(id | HYB_USER_TOLD, id);
}

HYB_EXPORT void hybmon_region_begin(struct hybmon_region *region)
{
	uint32_t id = region ? __atomic_load_n(&region->id, __ATOMIC_ACQUIRE) : 0;

	if (hyb_unlikely(hyb_user_is_off(HYB_USER_REGION) || id - 1 >= HYB_USER_BRIEF_ID - 1)) {
		if (region)
			begin_slowly(region);
		return;
	}
	hyb_user_enter(id | HYB_USER_TOLD, id);
}

HYB_EXPORT void hybmon_region_end(struct hybmon_region *region)
{
	uint32_t id = region ? __atomic_load_n(&region->id, __ATOMIC_ACQUIRE) : 0;

	/* Without an id it was never begun while anything is recorded. */
	if (hyb_unlikely(!id))
		return;
	hyb_user_leave(id | HYB_USER_TOLD, id, HYB_USER_REGION);
}

HYB_EXPORT struct hybmon_region *hybmon_region_named(const char *name, const char *file, unsigned int line,
						     unsigned int role)
{
	struct hybmon_region key = { .name = name, .file = file, .line = line, .role = role };
	struct hyb_interned *found;

	if (!hyb_user_starts())
		return NULL;
	found = hyb_intern_find(&regions, hash_of(&key), same_region, &key);
	return hyb_likely(found != NULL) ? &((struct region *)found)->told : get_region(&key);
}

/* What is left out is on the stack, too, since its end does not say what it ends. */
HYB_EXPORT void hybmon_begin(const char *name)
{
	struct hybmon_region *region = hybmon_region_named(name, NULL, 0, HYBMON_ROLE_FUNCTION);

	if (!region)
		return;
	if (hyb_unlikely(hyb_user_is_off(HYB_USER_REGION) || region->id == HYB_USER_LEFT_OUT))
		hyb_user_push_silent(region->id | HYB_USER_TOLD, region->id);
	else if (hyb_unlikely(region->id & HYB_USER_BRIEF_ID))
		hyb_user_enter_brief(region->id | HYB_USER_TOLD, region->id);
	else
		hyb_user_enter(region->id | HYB_USER_TOLD, region->id);
}

HYB_EXPORT void hybmon_end(void)
{
	const struct hyb_user_thread *u = &hyb_user_self;
	const struct hyb_user_open *open = u->top;

	/* Not functions that the compiler tells of, which end by themselves. */
	while (open != u->base && !((open - 1)->what & HYB_USER_TOLD))
		open--;
	if (open != u->base)
		hyb_user_leave((open - 1)->what, (open - 1)->region, HYB_USER_REGION);
}
