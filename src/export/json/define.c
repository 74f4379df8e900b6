/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the numbers in events mean, one object a line, before all events. Texts come from programs, so a library writes
 * these lines.
 */
#include "export/json/define.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/json/value.h"
#include "merge/sink/field.h"
#include "reader/streams/word.h"

struct define {
	const struct hyb_model *m;
	const struct hyb_sink *sink;
	FILE *to;
	bool no_memory;
};

static int put(const char *bytes, size_t size, void *to)
{
	return fwrite(bytes, 1, size, to) == size ? 0 : -1;
}

/* Takes the object. Errors of the file are found when it is closed. */
static void write_line(struct define *d, json_t *line)
{
	if (!line) {
		d->no_memory = true;
		return;
	}
	json_dump_callback(line, put, d->to, JSON_COMPACT);
	putc('\n', d->to);
	json_decref(line);
}

static void define_places(struct define *d)
{
	const struct hyb_model *m = d->m;
	uint32_t i;

	write_line(d, json_pack("{ss,si,ss,sI,sI,sb}", "define", "trace", "version", HYB_JSON_VERSION, "creator",
				"hybmon " PACKAGE_VERSION, "start", (json_int_t)d->sink->start, "length",
				(json_int_t)hyb_ns_sub(m->last, d->sink->start), "complete", d->sink->m->complete));
	for (i = 0; i < m->hosts.table.count; i++)
		write_line(d, json_pack("{ss,so,so}", "define", "host", "id", number(i), "name",
					text(hyb_names_text(&m->hosts, i))));
	for (i = 0; i < m->family.count; i++)
		write_line(d, json_pack("{ss,so,so,so}", "define", "job", "id", number(i), "name",
					text(hyb_model_job_name(m, i)), "first_rank", number(m->jobs[i].base)));
}

static void define_processes(struct define *d)
{
	const struct hyb_model_process *p;
	int64_t pid;
	size_t i;

	for (i = 0; i < d->m->process_count; i++) {
		p = &d->m->processes[i];
		pid = p->source->manifest.pid;
		write_line(d,
			   json_pack("{ss,so,so,so,so*,so,so*,so*,so*}", "define", "process", "id", number(i), "host",
				     number(p->host), "job", number(p->job), "rank", number_if(p->ranked, p->group),
				     "program", text(hyb_names_text(&d->m->names, p->program)), "pid",
				     number_if(pid >= 0, (uint64_t)pid), "status",
				     number_if(p->has_status, (uint64_t)p->status), "ended",
				     text_if(p->end != HYB_END_NORMAL, p->ended)));
	}
}

static void define_thread(struct define *d, const struct hyb_track_info *info)
{
	const struct hyb_model_process *p = &d->m->processes[info->track.process];
	const struct hyb_model_thread *t = &p->threads[info->track.thread];
	bool stood = p->end != HYB_END_NORMAL && t->in;

	write_line(d, json_pack("{ss,so,ss,so,so,so,so*,so*,so}", "define", "track", "id", number(info->track.index),
				"kind", "thread", "location", number(info->track.location), "process",
				number(info->track.process), "thread", number(t->number), "tid",
				number_if(t->tid, t->tid), "stood_in", text_if(stood, stood ? t->in->name : ""),
				"events", number(info->events)));
}

static void define_tracks(struct define *d)
{
	const struct hyb_track_info *info;
	const struct hyb_model_node *node;
	size_t i;

	for (i = 0; i < d->sink->count; i++) {
		info = &d->sink->infos[i];
		if (info->track.kind == HYB_TRACK_THREAD) {
			define_thread(d, info);
			continue;
		}
		node = &d->m->nodes[info->track.node];
		write_line(d, json_pack("{ss,so,ss,so,so,so,so}", "define", "track", "id", number(info->track.index),
					"kind", "cpu", "location", number(info->track.location), "host",
					number(node->host), "cpu", number(node->cpus[info->track.cpu].number),
					"events", number(info->events)));
	}
}

static void define_region(struct define *d, const struct hyb_gregion *r)
{
	const char *role = r->kernel == HYB_REGION_TASK ? "task" : hyb_role_word(r->role);
	const char *paradigm = hyb_paradigm_word(hyb_region_paradigm(r));
	const char *operation = hyb_coll_word(r->coll);

	write_line(d, json_pack("{ss,so,so,so*,ss,ss,ss*,so*,so*}", "define", "region", "id", number(r->id), "name",
				text(r->name), "plain", text_if(strcmp(r->name, r->plain), r->plain), "paradigm",
				paradigm, "role", role, "operation", operation, "file", text_if(r->file, r->file),
				"line", number_if(r->file, r->line)));
}

static void define_regions(struct define *d)
{
	const struct hyb_regions *r = &d->m->regions;
	const struct hyb_gregion **by_id = calloc(r->next + 1, sizeof(*by_id));
	uint32_t i;

	d->no_memory |= !by_id;
	for (i = 0; by_id && i < r->table.count; i++)
		if (hyb_regions_at(r, i)->id != HYB_REGION_UNUSED)
			by_id[hyb_regions_at(r, i)->id] = hyb_regions_at(r, i);
	for (i = 0; by_id && i < r->next; i++)
		define_region(d, by_id[i]);
	free(by_id);
}

static void define_comm(struct define *d, const struct hyb_gcomm *g)
{
	static const char *const kinds[] = { [HYB_COMM_WORLD] = "world",
					     [HYB_COMM_SELF] = "self",
					     [HYB_COMM_INTRA] = "intra",
					     [HYB_COMM_INTER] = "inter" };
	const struct hyb_gcomm *parent = g->parent == HYB_COMM_NONE ? NULL : hyb_comms_at(&d->m->comms, g->parent);
	bool known = parent && parent->state == HYB_GCOMM_KNOWN;

	write_line(d, json_pack("{ss,so,ss,so*,so*,so*,so*,so*,so*}", "define", "communicator", "id", number(g->id),
				"kind", kinds[g->kind], "name", text_if(g->name, g->name), "group",
				number_if(g->kind != HYB_COMM_SELF, g->group[0]), "remote_group",
				number_if(g->kind == HYB_COMM_INTER, g->group[1]), "parent",
				number_if(known, known ? parent->id : 0), "extents",
				g->dims ? list(g->extents, g->dims) : NULL, "periodic",
				g->dims ? list(g->extents + g->dims, g->dims) : NULL));
}

static void define_comms(struct define *d)
{
	const struct hyb_comms *c = &d->m->comms;
	const struct hyb_wins *w = &d->m->wins;
	const struct hyb_group *group;
	const struct hyb_gwin *win;
	uint32_t i;

	for (i = 0; d->m->ranks && i < c->groups.count; i++) {
		group = hyb_comms_group(c, i);
		write_line(d, json_pack("{ss,so,so}", "define", "group", "id", number(i), "members",
					list(group->members, group->count)));
	}
	for (i = 0; d->m->ranks && i < c->table.count; i++)
		if (hyb_comms_at(c, i)->state == HYB_GCOMM_KNOWN)
			define_comm(d, hyb_comms_at(c, i));
	for (i = 0; i < w->table.count; i++) {
		win = hyb_wins_at(w, i);
		if (win->id != HYB_COMM_NONE)
			write_line(d, json_pack("{ss,so,so*,so}", "define", "window", "id", number(win->id), "name",
						text_if(win->name, win->name), "communicator",
						number(hyb_comms_at(c, win->comm)->id)));
	}
}

static void define_files(struct define *d)
{
	const struct hyb_files *f = &d->m->files;
	const struct hyb_ghandle *h;
	const struct hyb_gcomm *g;
	bool known;
	uint32_t i;

	for (i = 0; i < f->files.count; i++)
		write_line(d, json_pack("{ss,so,so}", "define", "file", "id", number(i), "name",
					text(hyb_names_text(&d->m->names, hyb_files_at(f, i)->name))));
	for (i = 0; i < f->handles.count; i++) {
		h = hyb_files_handle(f, i);
		g = h->comm == HYB_COMM_NONE ? NULL : hyb_comms_at(&d->m->comms, h->comm);
		known = g && g->state == HYB_GCOMM_KNOWN;
		write_line(d, json_pack("{ss,so,so,so*}", "define", "handle", "id", number(i), "file",
					number(h->file), "communicator", number_if(known, known ? g->id : 0)));
	}
}

static void define_teams(struct define *d)
{
	const struct hyb_team_group *g;
	json_t *members;
	uint32_t i, k;

	for (i = 0; i < d->m->teams.groups.count; i++) {
		g = hyb_teams_group(&d->m->teams, i);
		members = json_array();
		for (k = 0; k < g->count; k++)
			json_array_append_new(members, number(g->locations[k]));
		write_line(d, json_pack("{ss,so,so}", "define", "team", "id", number(i), "members", members));
	}
}

static void define_metric(struct define *d, const struct hyb_gmetric *g)
{
	const struct hyb_metric *m = &g->def;
	const bool scaled = m->flags & HYB_METRIC_SCALED;

	write_line(d, json_pack("{ss,so,so,so,so,ss,ss,si,si,so*}", "define", "metric", "id", number(g->id), "name",
				text(m->name), "unit", text(m->unit), "description", text(m->description), "type",
				hyb_metric_type_word(m->type), "mode", hyb_metric_mode_word(m->mode), "base", m->base,
				"exponent", m->exponent, "scaled", scaled ? json_true() : NULL));
}

static void define_class(struct define *d, const struct hyb_gmetric_class *class)
{
	static const char *const of[] = { "thread", "process", "node" };
	json_t *members = json_array();
	uint32_t i;

	for (i = 0; i < class->count; i++)
		json_array_append_new(members, number(class->members[i]->id));
	write_line(d, json_pack("{ss,so,ss,so}", "define", "metric_class", "id", number(class->id), "of",
				of[class->scope], "metrics", members));
}

/* Those that are used, in the order of their numbers. */
static void define_metrics(struct define *d)
{
	const struct hyb_gmetrics *g = &d->m->metrics;
	const struct hyb_gmetric **by_id = calloc(g->next_metric + 1, sizeof(*by_id));
	uint32_t i;

	d->no_memory |= !by_id;
	for (i = 0; by_id && i < g->metrics.count; i++)
		if (hyb_gmetrics_at(g, i)->used)
			by_id[hyb_gmetrics_at(g, i)->id] = hyb_gmetrics_at(g, i);
	for (i = 0; by_id && i < g->next_metric; i++)
		if (by_id[i])
			define_metric(d, by_id[i]);
	for (i = 0; i < g->classes.count; i++)
		if (hyb_gmetrics_class(g, i)->used)
			define_class(d, hyb_gmetrics_class(g, i));
	free(by_id);
}

static void define_attributes(struct define *d)
{
	struct hyb_field_info info;
	const char *type;
	uint32_t i;

	for (i = 0; i < HYB_ATTRIBUTES; i++) {
		info = hyb_field_info(HYB_FIELDS + i);
		type = info.type == HYB_FIELD_TIME ? "time" : info.type == HYB_FIELD_TEXT ? "text" : "number";
		write_line(d, json_pack("{ss,ss,ss,ss}", "define", "attribute", "name", info.name, "type", type,
					"description", hyb_attribute_info(i)->description));
	}
}

static void define_parameters(struct define *d)
{
	static const char *const types[] = { [HYB_METRIC_UINT64] = "unsigned", [HYB_METRIC_INT64] = "int",
					     [HYB_METRIC_DOUBLE] = "double", [HYB_PARAMETER_TEXT] = "text" };
	const struct hyb_parameters *p = &d->m->parameters;
	uint32_t i;

	for (i = 0; i < p->count; i++)
		write_line(d, json_pack("{ss,so,so,ss}", "define", "parameter", "id", number(i), "name",
					text(hyb_names_text(&d->m->names, p->list[i].name)), "type",
					types[p->list[i].type]));
}

static void define_frame(struct define *d, const struct hyb_kernel_node *node, uint32_t i)
{
	static const char *const kinds[] = {
		[HYB_FRAME_USER] = "user",	     [HYB_FRAME_KERNEL] = "kernel",   [HYB_FRAME_HYBMON] = "hybmon",
		[HYB_FRAME_GENERATED] = "generated", [HYB_FRAME_UNKNOWN] = "unknown",
	};
	const struct hyb_frame *f = hyb_table_at(&node->chains.frames, i);
	const bool line = f->file != HYB_NAME_NONE, path = f->path != HYB_NAME_NONE;

	write_line(d, json_pack("{ss,so,ss,so,so*,so*,so*}", "define", "frame", "id", number(node->first_frame + i), "kind",
				kinds[f->kind], "name", text(hyb_chains_text(&node->chains, f->function)), "source",
				text_if(line, line ? hyb_chains_text(&node->chains, f->file) : ""), "line",
				number_if(line, f->line), "path",
				text_if(path, path ? hyb_chains_text(&node->chains, f->path) : "")));
}

static void define_chain(struct define *d, const struct hyb_kernel_node *node, uint32_t i)
{
	const struct hyb_chain *chain = hyb_chains_at(&node->chains, i);
	json_t *frames = json_array();

	for (uint32_t k = 0; k < chain->count; k++)
		json_array_append_new(frames, number(node->first_frame + node->chains.numbers[chain->first + k]));
	write_line(d, json_pack("{ss,so,so}", "define", "chain", "id", number(node->first_chain + i), "frames", frames));
}

static void define_samples(struct define *d)
{
	const struct hyb_kernel *kernel = &d->sink->m->kernel;
	const struct hyb_kernel_node *node;
	size_t n, i;
	uint32_t k;

	for (n = 0; n < kernel->node_count; n++) {
		node = &kernel->nodes[n];
		/* The last one stands for none. */
		for (i = 0; i + 1 < node->metric_count; i++)
			write_line(d, json_pack("{ss,so,so,so,si,si}", "define", "sampled", "id",
						number(node->first_metric + i), "name", text(node->metrics[i].name), "unit",
						text(node->metrics[i].unit), "base", node->metrics[i].base, "exponent",
						node->metrics[i].exponent));
		for (k = 0; k < node->chains.frames.count; k++)
			define_frame(d, node, k);
		for (k = 0; k < node->chains.chains.count; k++)
			define_chain(d, node, k);
	}
}

static void define_texts(struct define *d)
{
	uint32_t i;

	for (i = 0; i < d->m->names.table.count; i++)
		write_line(d, json_pack("{ss,so,so}", "define", "text", "id", number(i), "text",
					text(hyb_names_text(&d->m->names, i))));
}

int hyb_json_define(const struct hyb_sink *sink, FILE *to)
{
	struct define d = { .m = &sink->m->model, .sink = sink, .to = to };

	define_places(&d);
	define_processes(&d);
	define_tracks(&d);
	define_regions(&d);
	define_comms(&d);
	define_files(&d);
	define_teams(&d);
	define_metrics(&d);
	define_attributes(&d);
	define_parameters(&d);
	define_samples(&d);
	define_texts(&d);
	return d.no_memory ? -ENOMEM : 0;
}
