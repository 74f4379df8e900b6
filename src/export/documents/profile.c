/* SPDX-License-Identifier: BSD-3-Clause */
/* A call tree as one document: its paths in an array, parents before their children, with all that is known of each. */
#include "export/documents/profile.h"

#include "analysis/profile/calltree.h"
#include "export/documents/document.h"
#include "export/json/value.h"

#define VERSION 1 /* of the schema: changes when what was there means something else */

static const char *kind_of(const struct hyb_call_path *p)
{
	switch (p->kind) {
	case HYB_SPOT_TOP:
		return "threads";
	case HYB_SPOT_PAUSED:
		return "paused";
	case HYB_SPOT_REGION:
	case HYB_SPOT_BEFORE: /* none of a call tree */
		break;
	}
	switch (p->region->paradigm) {
	case HYB_PARADIGM_USER:
		return "user";
	case HYB_PARADIGM_MPI:
		return "mpi";
	case HYB_PARADIGM_OPENMP:
		return "openmp";
	case HYB_PARADIGM_KERNEL:
		return "kernel";
	case HYB_PARADIGM_MEASUREMENT:
		return "measurement";
	}
	return "region";
}

/* The bins up to the last one that has a call. */
static json_t *list_bins(const struct hyb_call_path *p)
{
	json_t *bins = json_array();
	unsigned int i, count = HYB_PROFILE_BINS;

	while (count && !p->bins[count - 1])
		count--;
	for (i = 0; i < count; i++)
		append(&bins, number(p->bins[i]));
	return bins;
}

/* A process: its rank, or its place among the processes. */
static json_t *who(const struct hyb_model *m, uint32_t process)
{
	const struct hyb_model_process *p = &m->processes[process];

	return json_pack("{so,so*}", "process", number(process), "rank", number_if(p->ranked, p->group));
}

static json_t *pack_place(const struct hyb_call_path *p)
{
	const struct hyb_gregion *r = p->region;

	if (!r || !r->file)
		return NULL;
	return json_pack("{so,so*}", "file", text(r->file), "line", number_if(r->line, r->line));
}

/* What each counter grew by, where it did. */
static json_t *pack_metrics(const struct hyb_calltree *t, uint32_t path, bool inclusive)
{
	json_t *metrics = t->metric_count ? json_object() : NULL;

	for (size_t i = 0; metrics && i < t->metric_count; i++) {
		const struct hyb_call_metric *m = &t->metrics[i];
		uint64_t value = inclusive ? m->inclusive[path] : m->exclusive[path];
		char *name = strdup(m->metric->def.name);

		if (name)
			hyb_make_utf8(name);
		if (!name || json_object_set_new(metrics, name, number(value))) {
			json_decref(metrics);
			metrics = NULL;
		}
		free(name);
	}
	return metrics;
}

static json_t *pack_metric(const struct hyb_metric *m)
{
	return json_pack("{so,so,so,si,si,sb}", "name", text(m->name), "unit", text(m->unit), "description",
			 text(m->description), "base", (int)m->base, "exponent", (int)m->exponent, "estimated",
			 (m->flags & HYB_METRIC_SCALED) != 0);
}

static json_t *list_metrics(const struct hyb_calltree *t)
{
	json_t *metrics = json_array();

	for (size_t i = 0; i < t->metric_count; i++)
		append(&metrics, pack_metric(&t->metrics[i].metric->def));
	return metrics;
}

static json_t *pack_path(const struct hyb_calltree *t, const struct hyb_model *m, uint32_t i)
{
	const struct hyb_call_path *p = &t->paths[i];
	json_t *path = json_pack("{so,so*,ss,so*,so*,so*,so,so,so,so,so,so}", "id", number(i), "parent",
				 number_if(i, p->parent), "kind", kind_of(p), "name",
				 text_if(p->region, p->region ? p->region->name : ""), "at",
				 text_if(p->site, p->site ? p->site : ""), "source", pack_place(p), "calls",
				 number(p->visits), "inclusive", number((uint64_t)p->inclusive), "exclusive",
				 number((uint64_t)p->exclusive), "min", number((uint64_t)p->min), "max",
				 number((uint64_t)p->max), "bins", list_bins(p));
	json_t *more = json_pack("{so*,so*,so,so,so,so,so,so,so,so,so*,so,so*}", "metrics", pack_metrics(t, i, true),
				 "own_metrics", pack_metrics(t, i, false), "sends", number(p->sends), "sent",
				 number(p->sent), "receives", number(p->receives), "received", number(p->received),
				 "collectives", number(p->collectives), "errors", number(p->errors), "processes",
				 number(p->processes), "least", number((uint64_t)p->least), "least_in",
				 p->processes && p->processes == t->processes ? who(m, p->least_in) : NULL, "most",
				 number((uint64_t)p->most), "most_in", p->processes ? who(m, p->most_in) : NULL);

	if (!path || !more || json_object_update(path, more)) {
		json_decref(path);
		path = NULL;
	}
	json_decref(more);
	return path;
}

static json_t *list_paths(const struct hyb_calltree *t, const struct hyb_model *m)
{
	json_t *paths = json_array();
	uint32_t i;

	for (i = 0; i < t->count; i++)
		append(&paths, pack_path(t, m, i));
	return paths;
}

/* Of how much of the threads' time it is known what the kernel did. */
static json_t *pack_kernel(const struct hyb_calltree *t)
{
	if (!t->covered)
		return NULL;
	return json_pack("{so,so,so,so}", "time", number((uint64_t)t->lasted), "known", number((uint64_t)t->covered),
			 "own", number(t->own), "crowded", number(t->crowded));
}

int hyb_json_profile(const struct hyb_calltree *t, const struct hyb_model *m, FILE *to)
{
	json_t *document = json_pack("{si,ss,so,so,so,so,so,so,so,so,so*,so,so}", "version", VERSION, "creator",
				     "hybmon " PACKAGE_VERSION, "processes", number(t->processes), "threads",
				     number(t->threads), "running", number(t->running), "open", number(t->open), "torn",
				     number(t->torn), "unreadable", number(t->unreadable), "lost", number(t->lost),
				     "gaps", number(t->gaps), "kernel", pack_kernel(t), "metrics", list_metrics(t), "paths",
				     list_paths(t, m));

	return hyb_json_document(document, to);
}
