/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline/json/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "merge/sink/field.h"
#include "merge/sink/title.h"
#include "timeline/store/tile.h"
#include "export/json/value.h"

static json_t *describe_thread(const struct hyb_view_store *s, const struct hyb_view_track *t)
{
	const struct hyb_model *m = &s->merge->model;
	const struct hyb_model_process *p = &m->processes[t->track.process];
	const struct hyb_model_thread *thread = &p->threads[t->track.thread];
	/* As far as it is known that it has. */
	const bool ended = p->end != HYB_END_NORMAL && p->end != HYB_END_RUNNING && !(s->running && p->elsewhere);
	char title[HYB_TITLE_SIZE];

	hyb_title_thread(m, t->track.location, title);
	return json_pack("{ss,so,so,so*,so,so,ss,so,so*}", "kind", "thread", "host",
			 text(hyb_names_text(&m->hosts, p->host)), "process",
			 number(t->track.process), "rank", number_if(p->ranked, p->group), "thread",
			 number(thread->number), "program",
			 text(hyb_names_text(&m->names, p->program)), "name", title, "tid",
			 number(thread->tid), "ended", text_if(ended, p->ended));
}

static json_t *describe_cpu(const struct hyb_view_store *s, const struct hyb_view_track *t)
{
	const struct hyb_model *m = &s->merge->model;
	const struct hyb_model_node *node = &m->nodes[t->track.node];

	return json_pack("{ss,so,so}", "kind", "cpu", "host",
			 text(hyb_names_text(&m->hosts, node->host)), "cpu",
			 number(node->cpus[t->track.cpu].number));
}

static json_t *describe_tracks(const struct hyb_view_store *s)
{
	json_t *list = json_array(), *one;
	const struct hyb_view_track *t;

	for (size_t i = 0; list && i < s->track_count; i++) {
		t = &s->tracks[i];
		one = t->track.kind == HYB_TRACK_THREAD ? describe_thread(s, t)
							: describe_cpu(s, t);
		if (!one || json_object_set_new(one, "begin", number(t->begin)) ||
		    json_object_set_new(one, "end", number(t->end)) ||
		    json_object_set_new(one, "records", number(t->count)) ||
		    json_object_set_new(one, "depth", number(t->depth)) ||
		    json_array_append_new(list, one)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* By their ids. */
static json_t *describe_regions(const struct hyb_regions *r)
{
	json_t *list = json_array();
	const struct hyb_gregion *region;

	for (uint32_t i = 0; list && i < r->next; i++)
		if (json_array_append_new(list, json_null()))
			return NULL;
	for (uint32_t i = 0; list && i < r->table.count; i++) {
		region = hyb_regions_at(r, i);
		if (region->id >= r->next)
			continue;
		json_array_set_new(list, region->id,
				   region->file ? json_pack("[o,o,i]", text(region->name),
							    text(region->file), (int)region->line)
						: json_pack("[o]", text(region->name)));
	}
	return list;
}

/* Tasks that are not just any, by their regions' ids. */
static json_t *describe_tasks(const struct hyb_regions *r)
{
	json_t *tasks = json_object();
	char id[16];

	for (uint32_t i = 0; tasks && i < r->table.count; i++) {
		const struct hyb_gregion *region = hyb_regions_at(r, i);

		if (region->id >= r->next || (region->kind != HYB_REGION_TASK_HYBMON && region->kind != HYB_REGION_TASK_UNKNOWN))
			continue;
		snprintf(id, sizeof(id), "%" PRIu32, region->id);
		json_object_set_new(tasks, id, json_string(region->kind == HYB_REGION_TASK_HYBMON ? "hybmon" : "unknown"));
	}
	return tasks;
}

static json_t *describe_detail(const struct hyb_model *m, const struct hyb_view_detail *d)
{
	const struct hyb_attribute_info *info = hyb_attribute_info((enum hyb_attribute_id)d->id);
	json_t *value;

	if (info->type == HYB_VALUE_TEXT)
		value = text(hyb_names_text(&m->names, (uint32_t)d->value));
	else
		value = json_integer((json_int_t)d->value);
	return json_pack("[i,s,o]", (int)d->next, info->name, value);
}

static json_t *describe_details(const struct hyb_view_store *s)
{
	json_t *list = json_array();

	for (uint32_t i = 0; list && i < s->details.count; i++)
		if (json_array_append_new(list, i ? describe_detail(&s->merge->model,
								    hyb_table_at(&s->details, i))
						  : json_null())) {
			json_decref(list);
			return NULL;
		}
	return list;
}

/* In the store's order. */
static json_t *describe_curves(const struct hyb_view_store *s)
{
	json_t *list = json_array(), *one;

	for (size_t i = 0; list && i < s->curve_count; i++) {
		const struct hyb_view_curve *c = &s->curves[i];

		one = json_pack("{si,so,so}", "track", (int)c->track, "name", text(c->name), "unit", text(c->unit));
		if (!one || json_array_append_new(list, one)) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* As messages name them, which may be of a reading before. */
static json_t *describe_comms(struct hyb_view_store *s)
{
	const struct hyb_comms *c = &s->merge->model.comms;
	json_t *list = s->comms ? json_loads(s->comms, 0, NULL) : json_array();
	const char *name;

	if (s->comms)
		return list;
	for (uint32_t i = 0; list && i < c->table.count; i++) {
		const struct hyb_gcomm *g = hyb_comms_at(c, i);

		name = hyb_title_comm(g);
		if (name)
			json_array_append_new(list, json_pack("[i,o]", (int)g->id, text(name)));
	}
	if (s->running && list)
		s->comms = json_dumps(list, JSON_COMPACT);
	return list;
}

static json_t *describe_kinds(void)
{
	json_t *list = json_array();

	for (int i = 0; list && i < HYB_KINDS; i++)
		json_array_append_new(list, json_string(hyb_kind_word((enum hyb_kind)i)));
	return list;
}

int hyb_json_about(struct hyb_view_store *s)
{
	json_t *all = json_pack(
		"{ss,sI,so,so,so,so,so,so,so,so,so,so,so}", "creator", "hybmon " PACKAGE_VERSION, "start",
		(json_int_t)s->start, "length", number(s->length), "columns",
		number(HYB_VIEW_COLUMNS), "level", number(hyb_view_top_level(s)), "tracks",
		describe_tracks(s), "curves", describe_curves(s), "regions",
		describe_regions(&s->merge->model.regions), "tasks", describe_tasks(&s->merge->model.regions), "kinds",
		describe_kinds(), "comms", describe_comms(s), "details",
		describe_details(s), "lost",
		number(s->lost));

	s->about = all ? json_dumps(all, JSON_COMPACT) : NULL;
	s->about_size = s->about ? strlen(s->about) : 0;
	json_decref(all);
	return s->about ? 0 : -ENOMEM;
}

int hyb_json_view(const struct hyb_view_store *s, const char *title, FILE *to)
{
	json_t *own = json_pack("{so,so,sb,sb,sb,sb,so}", "title", text(title), "messages",
				number(s->message_count), "running", s->running, "pairing", s->pairing, "sketch",
				s->sketch, "rough", s->rough, "whole", number(s->whole));
	char *words = own ? json_dumps(own, JSON_COMPACT) : NULL;

	json_decref(own);
	if (!words)
		return -ENOMEM;
	/* Both are objects: one of both. */
	fwrite(words, 1, strlen(words) - 1, to);
	fputc(',', to);
	fwrite(s->about + 1, 1, s->about_size - 1, to);
	free(words);
	return 0;
}
