/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects of the process; see objects.h. */
#include "core/record/objects.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "core/sys/intern.h"
#include "core/sys/memory.h"
#include "core/sys/stack.h"
#include "core/sys/sys.h"
#include "core/record/definitions.h"
#include "core/record/record.h"

#define PAGE 4096

static uint32_t last_object;
static int objects_lock;
static uint64_t turn_time;	/* raw counter: the last time; 0: never */

/*
 * The object that was found, which is defined if it is new, or had been unloaded and another one was there meanwhile; 0
 * without memory. Under the lock. now_turn: the turn in which it was found.
 */
static uint32_t number_of(const struct hyb_object_search *search, const char *path, uint32_t now_turn)
{
	/* A library may be built anew and loaded again. */
	const uint64_t build = search->build_length ? hyb_intern_hash(0, search->build, search->build_length) : 0;
	struct hyb_def_extent extent;
	struct hyb_object *o = hyb_objects;

	while (o && (search->found.begin >= o->end || o->begin >= search->found.end))
		o = o->next;
	if (o && o->base == search->found.base && o->begin == search->found.begin && o->end == search->found.end &&
	    o->build == build && !strcmp(o->path, path)) {
		__atomic_store_n(&o->turn, now_turn, __ATOMIC_RELAXED);
		return o->id;
	}
	o = hyb_alloc(sizeof(*o) + strlen(path) + 1);
	if (!o)
		return 0;
	*o = search->found;
	o->path = strcpy((char *)(o + 1), path);
	o->id = ++last_object;
	o->build = build;
	o->kind = o->id;
	for (const struct hyb_object *same = hyb_objects; same; same = same->next) {
		if (same->base == o->base && same->end == o->end && same->build == build && !strcmp(same->path, path))
			o->kind = same->kind;
	}
	o->turn = now_turn;
	o->since = turn_time;
	o->next = hyb_objects;
	extent = (struct hyb_def_extent){ .begin = o->begin, .end = o->end, .since = o->since };
	hyb_def_object(o->id, o->base, path, search->build, search->build_length, &extent);
	/* Release: pairs with hyb_object_known. */
	__atomic_store_n(&hyb_objects, o, __ATOMIC_RELEASE);
	return o->id;
}

/* Not in the list alone: another library may have taken the addresses of one that was closed. */
static uint32_t find_object(uint64_t address)
{
	struct hyb_object_search search = { .address = address };
	uint32_t now_turn = __atomic_load_n(&hyb_objects_turn, __ATOMIC_ACQUIRE);
	char path[PATH_MAX];
	uint64_t signals;
	uint32_t id;

	if (!hyb_object_search(&search, path, sizeof(path)))
		return 0;
	hyb_sys_lock(&objects_lock, &signals);
	id = number_of(&search, path, now_turn);
	hyb_sys_unlock(&objects_lock, &signals);
	return id;
}

struct question {
	uint64_t address;
	uint32_t object;
};

static void answer(void *question)
{
	struct question *q = question;

	q->object = find_object(q->address);
}

uint32_t hyb_object_of(uint64_t address)
{
	struct question question = { .address = address };
	int saved = errno;

	hyb_stack_run(answer, &question);
	errno = saved;
	return question.object;
}

uint32_t hyb_object_tables(uint64_t address, struct hyb_unwind_tables *tables)
{
	const struct hyb_object *o = hyb_object_known(address);

	if (!o && hyb_object_of(address))
		o = hyb_object_known(address);
	if (!o)
		return 0;
	*tables = o->tables;
	return o->id;
}

uint32_t hyb_object_now(uint64_t address)
{
	const struct hyb_object *o = hyb_object_known(address);

	return o ? o->id : hyb_object_of(address);
}

uint32_t hyb_object_kind(uint64_t address)
{
	const struct hyb_object *o = hyb_object_known(address);

	if (!o && hyb_object_of(address))
		o = hyb_object_known(address);
	return o ? o->kind : 0;
}

const char *hyb_object_path(uint64_t address)
{
	const struct hyb_object *o = hyb_object_of(address) ? hyb_object_known(address) : NULL;

	return o ? o->path : NULL;
}

void hyb_site_new(uint64_t site)
{
	const struct hyb_object *o = hyb_object_known(site);
	struct hyb_sites *s = hyb_self.sites;

	if (!o && hyb_object_of(site))
		o = hyb_object_known(site);
	/* Code that was made while the program runs lies in none; nor is each call from it to come here. */
	__atomic_store_n(&s->begin, o ? o->begin : site / PAGE * PAGE, __ATOMIC_RELAXED);
	__atomic_store_n(&s->size, o ? o->end - o->begin : PAGE, __ATOMIC_RELAXED);
}

void hyb_objects_unloaded(void)
{
	uint64_t signals;

	hyb_sys_lock(&objects_lock, &signals);
	turn_time = hyb_counter();
	/* Release: pairs with find_object. */
	__atomic_store_n(&hyb_objects_turn, hyb_objects_turn + 1, __ATOMIC_RELEASE);
	__atomic_add_fetch(&hyb_folding_turns, 1, __ATOMIC_RELAXED);
	hyb_sys_unlock(&objects_lock, &signals);
}
