/* SPDX-License-Identifier: BSD-3-Clause */
/* See critical-path.h. A thread's own piece has no children; a piece that is nobody's own has two at least. */
#include "analysis/waits/critical-path.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

void hyb_path_parts_init(struct hyb_table *parts)
{
	HYB_TABLE_KEYED(parts, struct hyb_path_part, spot);
}

int hyb_paths_init(struct hyb_paths *paths, size_t track_count)
{
	*paths = (struct hyb_paths){ .tracks = calloc(track_count + 1, sizeof(*paths->tracks)),
				     .track_count = track_count };
	return paths->tracks ? 0 : -ENOMEM;
}

static struct hyb_path_piece *new_piece(struct hyb_paths *paths, struct hyb_path_piece *parent)
{
	struct hyb_path_piece *p = paths->free;

	if (p) {
		paths->free = p->next;
	} else {
		p = calloc(1, sizeof(*p));
		if (!p)
			return NULL;
		hyb_path_parts_init(&p->parts);
	}
	p->parent = parent;
	p->child = p->previous = p->next = NULL;
	if (parent) {
		p->next = parent->child;
		if (p->next)
			p->next->previous = p;
		parent->child = p;
	}
	return p;
}

static void free_piece(struct hyb_paths *paths, struct hyb_path_piece *p)
{
	hyb_table_clear(&p->parts);
	p->next = paths->free;
	paths->free = p;
}

/* It is its parent's child no longer. */
static void take_out(struct hyb_path_piece *p)
{
	if (p->previous)
		p->previous->next = p->next;
	else if (p->parent)
		p->parent->child = p->next;
	if (p->next)
		p->next->previous = p->previous;
}

static int add_part(struct hyb_table *parts, uint32_t track, uint32_t spot, int64_t ns)
{
	const struct hyb_path_part like = { .track = track, .spot = spot };
	struct hyb_path_part *found = hyb_table_get(parts, &like);

	if (!found)
		return -ENOMEM;
	found->ns += ns;
	return 0;
}

static int add_parts(struct hyb_table *to, const struct hyb_table *from)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < from->count; i++) {
		const struct hyb_path_part *part = hyb_table_at(from, i);

		err = add_part(to, part->track, part->spot, part->ns);
	}
	return err;
}

/* A piece that has one child becomes a part of that; the smaller one is added to the larger one. */
static int join(struct hyb_paths *paths, struct hyb_path_piece *p)
{
	struct hyb_path_piece *child = p->child;
	int err;

	if (child->parts.count < p->parts.count) {
		struct hyb_table parts = p->parts;

		p->parts = child->parts;
		child->parts = parts;
	}
	err = add_parts(&child->parts, &p->parts);
	if (err)
		return err;
	child->parent = p->parent;
	child->next = p->next;
	child->previous = p->previous;
	if (p->next)
		p->next->previous = child;
	if (p->previous)
		p->previous->next = child;
	else if (p->parent)
		p->parent->child = child;
	free_piece(paths, p);
	return 0;
}

/* No thread has it any more. */
static int drop(struct hyb_paths *paths, struct hyb_path_piece *p)
{
	struct hyb_path_piece *parent = p->parent;

	take_out(p);
	free_piece(paths, p);
	return parent && parent->child && !parent->child->next ? join(paths, parent) : 0;
}

static struct hyb_path_piece *own_piece(struct hyb_paths *paths, uint32_t track)
{
	struct hyb_path_track *t = &paths->tracks[track];

	if (!t->piece)
		t->piece = new_piece(paths, NULL);
	return t->piece;
}

int hyb_paths_work(struct hyb_paths *paths, uint32_t track, uint32_t spot, int64_t ns)
{
	struct hyb_path_piece *p = own_piece(paths, track);

	if (!p)
		return -ENOMEM;
	return ns ? add_part(&p->parts, track, spot, ns) : 0;
}

void hyb_paths_until(struct hyb_paths *paths, uint32_t track, int64_t time)
{
	struct hyb_path_track *t = &paths->tracks[track];

	if (!t->piece || time > t->time)
		t->time = time;
}

int hyb_paths_wait(struct hyb_paths *paths, uint32_t track, uint32_t spot, int64_t since,
		   int64_t end, uint32_t other)
{
	struct hyb_path_piece *own = own_piece(paths, track), *before = own_piece(paths, other),
			      *next;
	struct hyb_path_track *t = &paths->tracks[track], *o = &paths->tracks[other];
	int64_t gap = end - o->time;

	if (!own || !before)
		return -ENOMEM;
	t->time = end;
	/* The other one went on already, or came only later: this one waits on its own chain. */
	if (gap < 0 || gap > end - since || track == other)
		return add_part(&own->parts, track, spot, end - since);
	if (before->parts.count || !before->parent) {
		next = new_piece(paths, before);
		if (!next)
			return -ENOMEM;
		o->piece = next;
	} else {
		before = before->parent;
	}
	t->piece = new_piece(paths, before);
	if (!t->piece || drop(paths, own))
		return -ENOMEM;
	return gap ? add_part(&t->piece->parts, track, spot, gap) : 0;
}

int hyb_paths_get(const struct hyb_paths *paths, uint32_t track, struct hyb_table *parts)
{
	int err = 0;

	for (const struct hyb_path_piece *p = paths->tracks[track].piece; !err && p; p = p->parent)
		err = add_parts(parts, &p->parts);
	return err;
}

void hyb_paths_free(struct hyb_paths *paths)
{
	struct hyb_path_piece *p, *parent;

	for (size_t i = 0; paths->tracks && i < paths->track_count; i++) {
		for (p = paths->tracks[i].piece; p && !p->child; p = parent) {
			parent = p->parent;
			take_out(p);
			free_piece(paths, p);
		}
	}
	while ((p = paths->free)) {
		paths->free = p->next;
		hyb_table_free(&p->parts);
		free(p);
	}
	free(paths->tracks);
}
