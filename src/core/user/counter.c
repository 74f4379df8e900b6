/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of the program's own: each is a metric and a set of its own. A value is written as its difference from the
 * thread's last one in the same chunk, so that a chunk can be read by itself.
 */
#include "core/user/user.h"

#include <string.h>

#include "core/sys/memory.h"
#include "core/sys/stack.h"
#include "core/sys/sys.h"
#include "core/record/definitions.h"
#include "core/sys/intern.h"

#define VALUES_FIRST 64

struct counter {
	struct hyb_interned in;
	struct hybmon_counter told;
	char texts[];		/* name, unit */
};

static struct hyb_intern counters;

static const char *text_of(const char *text)
{
	return text ? text : "";
}

static bool same_counter(const struct hyb_interned *entry, const void *key)
{
	const struct hybmon_counter *a = &((const struct counter *)entry)->told, *b = key;

	return a->type == b->type && a->mode == b->mode && !strcmp(a->name, text_of(b->name)) &&
	       !strcmp(a->unit, text_of(b->unit));
}

static uint64_t hash_of(const struct hybmon_counter *key)
{
	const char *name = text_of(key->name), *unit = text_of(key->unit);
	uint64_t hash = (uint64_t)key->type << 32 | key->mode;

	return hyb_intern_hash(hyb_intern_hash(hash, name, strlen(name)), unit, strlen(unit));
}

static enum hyb_metric_mode mode_of(unsigned int mode)
{
	return mode == HYBMON_COUNTER_SUM ? HYB_METRIC_ACCUMULATED :
	       mode == HYBMON_COUNTER_LEVEL ? HYB_METRIC_ABSOLUTE : HYB_METRIC_POINT;
}

static void define(uint32_t number, const struct hybmon_counter *told)
{
	uint32_t metric = hyb_def_metric_id();
	struct hyb_def_metric def = {
		.type = (uint8_t)(told->type <= HYB_METRIC_DOUBLE ? told->type : HYB_METRIC_UINT64),
		.mode = (uint8_t)mode_of(told->mode),
		.base = 10,
	};

	hyb_def_metric(metric, &def, told->name, told->unit, "of the program's own");
	hyb_def_metric_set(number, 1, &metric);
}

/* The counter's number is that of its set. */
static struct hyb_interned *make_counter(const void *key)
{
	const struct hybmon_counter *k = key;
	const char *name = text_of(k->name), *unit = text_of(k->unit);
	size_t name_size = strlen(name) + 1, unit_size = strlen(unit) + 1;
	struct counter *made = hyb_alloc(sizeof(*made) + name_size + unit_size);

	if (!made)
		return NULL;
	made->told = *k;
	made->told.name = memcpy(made->texts, name, name_size);
	made->told.unit = memcpy(made->texts + name_size, unit, unit_size);
	made->told.id = hyb_def_metric_set_id();
	define(made->told.id, &made->told);
	return &made->in;
}

static void get(void *key)
{
	struct hybmon_counter **k = key;
	struct hyb_interned *found = hyb_intern_get(&counters, hash_of(*k), same_counter, make_counter, *k);

	*k = found ? &((struct counter *)found)->told : NULL;
}

static struct hybmon_counter *get_counter(struct hybmon_counter *key)
{
	hyb_stack_run(get, &key);
	return key;
}

/* 0: the process is not recorded, or there is no memory. */
static HYB_COLD uint32_t id_of(struct hybmon_counter *counter)
{
	const struct hybmon_counter *found = get_counter(counter);

	if (!found)
		return 0;
	__atomic_store_n(&counter->id, found->id, __ATOMIC_RELEASE);
	return found->id;
}

/* Room for the values of more counters; guarded. */
static HYB_COLD bool grow(struct hyb_user_thread *u, uint32_t id)
{
	uint32_t room = u->value_room ? u->value_room : VALUES_FIRST;
	struct hyb_user_value *values;

	while (room <= id)
		room *= 2;
	values = hyb_sys_map_anonymous(room * sizeof(*values), 0);
	if (!values)
		return false;
	if (u->values) {
		memcpy(values, u->values, u->value_room * sizeof(*values));
		hyb_sys_unmap(u->values, u->value_room * sizeof(*values));
	}
	u->values = values;
	u->value_room = room;
	return true;
}

/* The difference in up to two words; behind them. */
static uint64_t *put(uint64_t *p, uint64_t difference)
{
	uint64_t zigzag = difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
	unsigned int shift = 0;

	*p = 0;
	do {
		if (shift == 64) {
			shift = 0;
			*++p = 0;
		}
		*p |= ((zigzag & 0x7f) | (zigzag >= 0x80 ? 0x80 : 0)) << shift;
		shift += 8;
		zigzag >>= 7;
	} while (zigzag);
	return p + 1;
}

static void write_value(struct hyb_thread *t, struct hyb_user_value *last, uint32_t id, uint64_t value)
{
	uint64_t now = hyb_counter();
	uint64_t *p, *end;

	if ((t->pos >= t->end || now >> HYB_TIME_BITS != t->epoch) && !hyb_thread_make_room(t, now))
		return;
	p = t->pos;
	end = put(p + 2, value - (last->seq == t->chunk->seq ? last->value : 0));
	p[0] = hyb_head(HYB_METRIC, (uint64_t)(end - p), now);
	p[1] = HYB_METRIC_ALONE | UINT64_C(1) << HYB_METRIC_COUNT_SHIFT | id;
	last->value = value;
	last->seq = t->chunk->seq;
	hyb_publish(end);
}

/* What is asked first, by each function that the program calls: false: nothing is to be recorded. */
static HYB_HOT bool is_wanted(struct hybmon_counter *counter, uint32_t *id)
{
	if (!counter || (hyb_unlikely(hyb_user_is_off(HYB_USER_COUNTER)) && !hyb_user_turns_on(HYB_USER_COUNTER)))
		return false;
	*id = __atomic_load_n(&counter->id, __ATOMIC_ACQUIRE);
	if (hyb_unlikely(!*id) && hyb_user_starts())
		*id = id_of(counter);
	return *id != 0;
}

static HYB_HOT void count(uint32_t id, uint64_t value)
{
	struct hyb_user_thread *u = &hyb_user_self;
	struct hyb_thread *t = &hyb_self;
	struct hyb_frame frame;

	if (HYB_USER_NESTED(t))
		return;
	hyb_guard(t, &frame);
	if (hyb_likely(id < u->value_room) || grow(u, id))
		write_value(t, &u->values[id], id, value);
	hyb_unguard(t);
}

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

HYB_EXPORT void hybmon_counter_int(struct hybmon_counter *counter, int64_t value)
{
	uint32_t id;

	if (is_wanted(counter, &id))
		count(id, counter->type == HYBMON_COUNTER_DOUBLE ? bits_of((double)value) : (uint64_t)value);
}

HYB_EXPORT void hybmon_counter_uint(struct hybmon_counter *counter, uint64_t value)
{
	uint32_t id;

	if (is_wanted(counter, &id))
		count(id, counter->type == HYBMON_COUNTER_DOUBLE ? bits_of((double)value) : value);
}

/* What does not fit becomes the nearest that does; what is no number 0. */
static uint64_t whole_of(double value, bool is_signed)
{
	const double end = is_signed ? 9223372036854775808.0 : 18446744073709551616.0;

	if (value != value)
		return 0;
	if (value >= end)
		return is_signed ? INT64_MAX : UINT64_MAX;
	if (is_signed)
		return value < -end ? (uint64_t)INT64_MIN : (uint64_t)(int64_t)value;
	return value < 0 ? 0 : (uint64_t)value;
}

HYB_EXPORT void hybmon_counter_double(struct hybmon_counter *counter, double value)
{
	uint32_t id;

	if (is_wanted(counter, &id))
		count(id, counter->type == HYBMON_COUNTER_DOUBLE ? bits_of(value) :
		      whole_of(value, counter->type == HYBMON_COUNTER_INT));
}

HYB_EXPORT struct hybmon_counter *hybmon_counter_named(const char *name, const char *unit, unsigned int type,
						       unsigned int mode)
{
	struct hybmon_counter key = { .name = name, .unit = unit, .type = type, .mode = mode };
	struct hyb_interned *found;

	if (!hyb_user_starts())
		return NULL;
	found = hyb_intern_find(&counters, hash_of(&key), same_counter, &key);
	return hyb_likely(found != NULL) ? &((struct counter *)found)->told : get_counter(&key);
}
