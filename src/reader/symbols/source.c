/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of addresses, each looked up once; see source.h. */
#include "reader/symbols/source.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/containers/array.h"
#include "reader/containers/table.h"
#include "reader/symbols/debug.h"

/* What is known of an address in a binary. */
struct spot {
	uint64_t at; /* with SPOT_OF_FUNCTION of a function */
	char *where; /* for people */
	struct hyb_place place;
};

#define SPOT_OF_FUNCTION (UINT64_C(1) << 63)

/* The same for call chains, by places in the file. */
struct frame {
	uint64_t at; /* offset << 1 | behind a call; with HYB_DEBUG_OF_ADDRESS from where the object begins */
	char *text;  /* NULL: nothing is known */
};

/* A program or library, opened at its first address. All processes of a job have the same ones. */
struct binary {
	char *path;
	char *copy; /* in a recording's folder, or NULL */
	unsigned char *build;
	uint32_t build_length;
	struct hyb_table spots; /* struct spot: looking one up takes long, and every process asks in every reading */
	struct hyb_table frames; /* struct frame, for the same reason */
	struct hyb_debug *debug; /* NULL: it cannot be read, or is not what ran */
};

struct hyb_sources {
	const struct hyb_diag *diag;
	const char *const *dirs;
	size_t dir_count;
	pthread_mutex_t lock;
	struct binary *binaries;
	size_t count;
	size_t room;
};

static bool same_spot(const void *entry, const void *key)
{
	return !memcmp(entry, key, sizeof(uint64_t));
}

static void free_binary(struct binary *b)
{
	uint32_t i;

	for (i = 0; i < b->spots.count; i++)
		free(((struct spot *)hyb_table_at(&b->spots, i))->where);
	hyb_table_free(&b->spots);
	for (i = 0; i < b->frames.count; i++)
		free(((struct frame *)hyb_table_at(&b->frames, i))->text);
	hyb_table_free(&b->frames);
	hyb_debug_free(b->debug);
	free(b->path);
	free(b->copy);
	free(b->build);
}

struct hyb_sources *hyb_sources_new(const struct hyb_diag *diag, const char *const *dirs, size_t dir_count)
{
	struct hyb_sources *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->diag = diag;
	s->dirs = dirs;
	s->dir_count = dir_count;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void hyb_sources_free(struct hyb_sources *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->count; i++)
		free_binary(&s->binaries[i]);
	free(s->binaries);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static bool is_it(const struct binary *b, const struct hyb_object *o)
{
	return b->build_length == o->build_length && !strcmp(b->path, o->path) &&
	       !memcmp(b->build, o->build, o->build_length);
}

/* The copy of a program or library in the folder `binaries` of a recording, to be freed, or NULL. */
static char *find_copy(const struct hyb_sources *s, const char *path)
{
	char *copy;

	for (size_t i = 0; i < s->dir_count; i++) {
		if (asprintf(&copy, "%s/binaries/%s", s->dirs[i], hyb_last_part(path)) < 0)
			return NULL;
		if (!access(copy, R_OK))
			return copy;
		free(copy);
	}
	return NULL;
}

static void open_binary(const struct hyb_sources *s, struct binary *b, int64_t since)
{
	b->copy = find_copy(s, b->path);
	if (b->copy)
		b->debug = hyb_debug_open(s->diag, b->copy, b->path, b->build, b->build_length, 0);
	if (!b->debug)
		b->debug = hyb_debug_open(s->diag, b->path, b->path, b->build, b->build_length, since);
}

/* NULL without memory. */
static struct binary *add_binary(struct hyb_sources *s, const char *path, const void *build, uint32_t length, int64_t since)
{
	struct binary *b, *grown = hyb_array_room(s->binaries, &s->room, s->count, sizeof(*grown));

	if (!grown)
		return NULL;
	s->binaries = grown;
	b = &grown[s->count];
	memset(b, 0, sizeof(*b));
	hyb_table_init(&b->spots, sizeof(struct spot), same_spot);
	hyb_table_init(&b->frames, sizeof(struct frame), same_spot);
	b->path = strdup(path);
	b->build = malloc(length + 1);
	if (!b->path || !b->build) {
		free(b->path);
		free(b->build);
		return NULL;
	}
	if (length)
		memcpy(b->build, build, length);
	b->build_length = length;
	s->count++;
	open_binary(s, b, since);
	return b;
}

static struct binary *find_binary(struct hyb_sources *s, const struct hyb_object *o)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (is_it(&s->binaries[i], o))
			return &s->binaries[i];
	return add_binary(s, o->path, o->build, o->build_length, 0);
}

/* NULL without memory. */
static const struct spot *find_spot(struct binary *b, uint64_t at, bool function)
{
	uint64_t key = function ? at | SPOT_OF_FUNCTION : at;
	struct spot found = { .at = key }, *spot = hyb_table_find(&b->spots, hyb_mix(key), &key);
	char where[4096];

	if (spot)
		return spot;
	if (!(function ? hyb_debug_function : hyb_debug_line)(b->debug, at, &found.place, where, sizeof(where)))
		snprintf(where, sizeof(where), "%s+0x%llx", hyb_last_part(b->path), (unsigned long long)(at - function));
	found.where = strdup(where);
	spot = found.where ? hyb_table_add(&b->spots, hyb_mix(key)) : NULL;
	if (spot)
		*spot = found;
	else
		free(found.where);
	return spot;
}

static int find(struct hyb_sources *s, const struct hyb_object *object, uint64_t at, bool function, const char **where,
		struct hyb_place *place)
{
	const struct spot *spot = NULL;
	struct binary *b;

	pthread_mutex_lock(&s->lock);
	b = find_binary(s, object);
	spot = b ? find_spot(b, at, function) : NULL;
	if (spot) {
		*where = spot->where;
		*place = spot->place;
	}
	pthread_mutex_unlock(&s->lock);
	return spot ? 0 : -ENOMEM;
}

int hyb_sources_find(struct hyb_sources *s, const struct hyb_object *object, uint64_t at, const char **where,
		     struct hyb_place *place)
{
	return find(s, object, at, false, where, place);
}

int hyb_sources_function(struct hyb_sources *s, const struct hyb_object *object, uint64_t at, const char **name,
			 struct hyb_place *place)
{
	return find(s, object, at, true, name, place);
}

/* Any of that path: where its build id is known it is the one that ran. */
static struct binary *find_path(struct hyb_sources *s, const char *path, int64_t since)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (!strcmp(s->binaries[i].path, path))
			return &s->binaries[i];
	return add_binary(s, path, NULL, 0, since);
}

static void put_function(void *text, const struct hyb_source_frame *f)
{
	FILE *to = text;

	fprintf(to, "%s%s", ftell(to) > 0 ? " < " : "", f->function);
	if (f->file)
		fprintf(to, " (%s:%lu)", hyb_last_part(f->file), (unsigned long)f->line);
	else if (f->offset)
		fprintf(to, "+0x%llx (%s)", (unsigned long long)f->offset, hyb_last_part(f->path));
}

/* NULL without memory. */
static struct frame *find_frame(struct binary *b, uint64_t at)
{
	struct frame *frame = hyb_table_find(&b->frames, hyb_mix(at), &at);
	char *text = NULL;
	size_t size = 0;
	bool known;
	FILE *to;

	if (frame)
		return frame;
	to = open_memstream(&text, &size);
	if (!to)
		return NULL;
	known = hyb_debug_functions(b->debug, at, put_function, to);
	if (fclose(to) || !known) {
		free(text);
		text = NULL;
	}
	frame = hyb_table_add(&b->frames, hyb_mix(at));
	if (frame)
		*frame = (struct frame){ at, text };
	else
		free(text);
	return frame;
}

int hyb_sources_call(struct hyb_sources *s, const struct hyb_object *object, uint64_t at, const char **text)
{
	struct frame *frame;
	struct binary *b;

	pthread_mutex_lock(&s->lock);
	b = find_binary(s, object);
	frame = b ? find_frame(b, at << 1 | 1 | HYB_DEBUG_OF_ADDRESS) : NULL;
	if (frame && !frame->text && asprintf(&frame->text, "%s+0x%llx", hyb_last_part(b->path), (unsigned long long)at) < 0)
		frame->text = NULL;
	*text = frame ? frame->text : NULL;
	pthread_mutex_unlock(&s->lock);
	return *text ? 0 : -ENOMEM;
}

bool hyb_sources_frame(struct hyb_sources *s, const char *path, int64_t since, uint64_t offset, bool behind, FILE *to)
{
	const struct frame *frame = NULL;
	bool known;
	struct binary *b;

	pthread_mutex_lock(&s->lock);
	b = find_path(s, path, since);
	if (b)
		frame = find_frame(b, offset << 1 | behind);
	known = frame && frame->text;
	if (known)
		fputs(frame->text, to);
	pthread_mutex_unlock(&s->lock);
	return known;
}

bool hyb_sources_functions(struct hyb_sources *s, const char *path, int64_t since, uint64_t offset, bool behind,
			   hyb_source_visit visit, void *arg)
{
	struct binary *b;
	bool known;

	pthread_mutex_lock(&s->lock);
	b = find_path(s, path, since);
	known = b && hyb_debug_functions(b->debug, offset << 1 | behind, visit, arg);
	pthread_mutex_unlock(&s->lock);
	return known;
}
