/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program says of its regions, and the texts for that. */
#include <string.h>

#include "core/sys/memory.h"
#include "core/sys/stack.h"
#include "core/record/definitions.h"
#include "core/sys/intern.h"
#include "core/user/user.h"

struct text {
	struct hyb_interned in;
	uint32_t length;
	char bytes[];
};

struct key {
	const char *bytes;
	size_t length;
	uint64_t hash;
	uint32_t id;
};

static struct hyb_intern texts;

static bool same_text(const struct hyb_interned *entry, const void *key)
{
	const struct text *t = (const struct text *)entry;
	const struct key *k = key;

	return t->length == k->length && !memcmp(t->bytes, k->bytes, k->length);
}

static struct hyb_interned *make_text(const void *key)
{
	const struct key *k = key;
	struct text *made = hyb_alloc(sizeof(*made) + k->length);

	if (!made)
		return NULL;
	made->length = (uint32_t)k->length;
	memcpy(made->bytes, k->bytes, k->length);
	made->in.id = hyb_def_text_id();
	hyb_def_text(made->in.id, made->bytes, made->length);
	return &made->in;
}

static void get(void *key)
{
	struct key *k = key;
	const struct hyb_interned *found = hyb_intern_get(&texts, k->hash, same_text, make_text, k);

	k->id = found ? found->id : 0;
}

uint32_t hyb_user_text(const char *text)
{
	struct key key = { .bytes = text ? text : "" };
	const struct hyb_interned *found;

	key.length = strnlen(key.bytes, HYB_DEF_TAIL);
	key.hash = hyb_intern_hash(0, key.bytes, key.length);
	found = hyb_intern_find(&texts, key.hash, same_text, &key);
	if (hyb_likely(found != NULL))
		return found->id;
	hyb_stack_run(get, &key);
	return key.id;
}

/* Of the region that the thread has begun last, as an event of its own: that one's Enter is published. */
static HYB_HOT void say(const char *name, uint32_t type, uint64_t value)
{
	const struct hyb_user_thread *u = &hyb_user_self;
	struct hyb_thread *t = &hyb_self;
	struct hyb_frame frame;
	uint32_t region, text;
	uint64_t now;
	uint64_t *p;

	/* Where none is open there is nothing to say it of. */
	if (hyb_user_is_off(HYB_USER_PARAMETER) || u->top == u->base || (u->top - 1)->state == HYB_USER_SILENT || HYB_USER_NESTED(t))
		return;
	text = hyb_user_text(name);
	if (!text)
		return;
	region = (u->top - 1)->region & ((u->top - 1)->state == HYB_USER_BRIEF ? HYB_USER_REGION_MASK : UINT32_MAX);
	hyb_guard(t, &frame);
	now = hyb_counter();
	if ((t->pos < t->end && now >> HYB_TIME_BITS == t->epoch) || hyb_thread_make_room(t, now)) {
		p = t->pos;
		*p++ = hyb_head(HYB_POINT, region <= HYB_ID_MASK ? region : 0, now);
		*p++ = (uint64_t)HYB_PARAMETER << HYB_TYPE_SHIFT | (uint64_t)type << HYB_PARAMETER_TYPE_SHIFT | text;
		*p++ = value;
		hyb_publish(p);
	}
	hyb_unguard(t);
}

HYB_EXPORT void hybmon_parameter_int(const char *name, int64_t value)
{
	say(name, HYB_METRIC_INT64, (uint64_t)value);
}

HYB_EXPORT void hybmon_parameter_uint(const char *name, uint64_t value)
{
	say(name, HYB_METRIC_UINT64, value);
}

HYB_EXPORT void hybmon_parameter_double(const char *name, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	say(name, HYB_METRIC_DOUBLE, bits);
}

HYB_EXPORT void hybmon_parameter_string(const char *name, const char *value)
{
	const struct hyb_user_thread *u = &hyb_user_self;
	uint32_t text;

	/* Nobody is to read of a text that nothing names. */
	if (hyb_user_is_off(HYB_USER_PARAMETER) || u->top == u->base || (u->top - 1)->state == HYB_USER_SILENT)
		return;
	text = hyb_user_text(value);
	if (text)
		say(name, HYB_PARAMETER_TEXT, text);
}
