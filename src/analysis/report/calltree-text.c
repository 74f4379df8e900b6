/* SPDX-License-Identifier: BSD-3-Clause */
/* A call tree as text. */
#include "analysis/report/calltree-text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/calltree.h"
#include "analysis/profile/events.h"
#include "merge/merge.h"
#include "reader/streams/printable.h"

#define COLUMNS 80

/* The line that is being written. */
struct line {
	int at;	    /* column */
	int indent; /* of what goes on below */
};

struct show {
	const struct hyb_profile_options *options;
	const struct hyb_model *model;
	const struct hyb_calltree *tree;
	uint32_t *first; /* child of each path, in the order in which they are shown; 0: none */
	uint32_t *next;	 /* of the same parent */
	FILE *to;
};

/* A number with at most four digits and its factor: 12.3k, 456M. */
static const char *amount(double value, char *buf, size_t size)
{
	static const char units[] = " kMGTPE";
	size_t unit = 0;

	while (value >= 999.5 && units[unit + 1]) {
		value /= 1000;
		unit++;
	}
	if (!unit)
		snprintf(buf, size, "%.0f", value);
	else
		snprintf(buf, size, "%.*f%c", value < 9.95 ? 2 : value < 99.5 ? 1 : 0, value, units[unit]);
	return buf;
}

static void name_of(const struct show *s, const struct hyb_call_path *p, char *buf, size_t size)
{
	switch (p->kind) {
	case HYB_SPOT_TOP:
		snprintf(buf, size, "%" PRIu32 " thread%s", s->tree->threads, s->tree->threads == 1 ? "" : "s");
		return;
	case HYB_SPOT_PAUSED:
		snprintf(buf, size, "(not recorded: recording was paused)");
		return;
	case HYB_SPOT_REGION:
	case HYB_SPOT_BEFORE: /* none of a call tree */
		break;
	}
	snprintf(buf, size, "%s%s%s", p->region->name, p->site ? " at " : "", p->site ? p->site : "");
}

/* One thing more that is known of a path: behind what is on the line, or on a new one where that would be too long. */
__attribute__((format(printf, 3, 4))) static void add(const struct show *s, struct line *line, const char *format, ...)
{
	char text[512];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (n >= (int)sizeof(text))
		n = sizeof(text) - 1;
	if (line->at + 2 + n > COLUMNS && line->at > line->indent) {
		fprintf(s->to, ",\n%*s", line->indent, "");
		line->at = line->indent;
	} else {
		fputs(", ", s->to);
		line->at += 2;
	}
	hyb_show(s->to, "%s", text);
	line->at += n;
}

/* By how much a counter grew there. */
static void add_metric(const struct show *s, struct line *line, const struct hyb_call_metric *m, uint32_t path)
{
	const struct hyb_metric *def = &m->metric->def;
	double value = def->type == HYB_METRIC_INT64 ? (double)(int64_t)m->inclusive[path] : (double)m->inclusive[path];
	char buf[32];

	if (!m->inclusive[path])
		return;
	for (int i = 0; i < def->exponent; i++)
		value *= def->base;
	for (int i = 0; i > def->exponent; i--)
		value /= def->base;
	if (!strcmp(def->unit, "s"))
		hyb_span_text(value * 1e9, buf, sizeof(buf));
	else
		amount(value, buf, sizeof(buf));
	add(s, line, "%s %s", def->name, buf);
}

/* What went through it, and which rank had most of it. */
static void add_more(const struct show *s, struct line *line, const struct hyb_call_path *p)
{
	char buf[32], who[64];

	if (p->sent)
		add(s, line, "sent %sB", amount((double)p->sent, buf, sizeof(buf)));
	if (p->received)
		add(s, line, "received %sB", amount((double)p->received, buf, sizeof(buf)));
	if (p->errors)
		add(s, line, "%" PRIu64 " error%s", p->errors, p->errors == 1 ? "" : "s");
	for (size_t i = 0; i < s->tree->metric_count; i++)
		add_metric(s, line, &s->tree->metrics[i], (uint32_t)(p - s->tree->paths));
	if (!s->options->times || s->tree->processes < 2 || p->kind != HYB_SPOT_REGION)
		return;
	/* Where one has half more than the mean of all. */
	if ((double)p->most * s->tree->processes > 1.5 * (double)p->inclusive)
		add(s, line, "most in %s: %s",
		    hyb_model_who(s->model, &s->model->processes[p->most_in], who, sizeof(who)),
		    hyb_span_text((double)p->most, buf, sizeof(buf)));
}

static void put_path(const struct show *s, const struct hyb_call_path *p)
{
	int deep = 2 * (int)(p->depth < 1000 ? p->depth : 1000);
	char calls[32], mean[32], name[512];
	struct line line;
	int head;

	amount((double)p->visits, calls, sizeof(calls));
	if (s->options->times) {
		hyb_span_text(p->visits ? (double)p->inclusive / (double)p->visits : 0, mean, sizeof(mean));
		head = fprintf(s->to, "%12.6f %12.6f %6s %7s  ", (double)p->inclusive / 1e9, (double)p->exclusive / 1e9,
			       calls, p->kind == HYB_SPOT_TOP ? "" : mean);
	} else {
		head = fprintf(s->to, "%10" PRIu64 "  ", p->visits);
	}
	name_of(s, p, name, sizeof(name));
	fprintf(s->to, "%*s", deep, "");
	hyb_show(s->to, "%s", name);
	line.indent = head + deep + 2;
	line.at = head + deep + (int)strlen(name);
	add_more(s, &line, p);
	putc('\n', s->to);
}

static const struct hyb_calltree *sorted;

/* Of one parent, the longest first; without times in the order in which they were found. */
static int by_time(const void *a, const void *b)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct hyb_call_path *x = &sorted->paths[i], *y = &sorted->paths[k];

	if (x->inclusive != y->inclusive)
		return x->inclusive < y->inclusive ? -1 : 1;
	return i < k ? 1 : -1;
}

/* Links the paths of one parent; 0 or -ENOMEM. */
static int sort(struct show *s)
{
	uint32_t count = s->tree->count, *order = calloc(count, sizeof(*order));

	s->first = calloc(count, sizeof(*s->first));
	s->next = calloc(count, sizeof(*s->next));
	if (!order || !s->first || !s->next) {
		free(order);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++)
		order[i] = s->options->times ? i : count - 1 - i;
	sorted = s->tree;
	if (s->options->times)
		qsort(order, count, sizeof(*order), by_time);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = s->tree->paths[order[i]].parent;

		if (!order[i])
			continue;
		s->next[order[i]] = s->first[parent];
		s->first[parent] = order[i];
	}
	free(order);
	return 0;
}

/* Depth first, without recursion: a tree may be as deep as the program recurses. */
static void put_paths(const struct show *s)
{
	uint32_t at = 0;

	for (;;) {
		put_path(s, &s->tree->paths[at]);
		if (s->first[at]) {
			at = s->first[at];
			continue;
		}
		while (at && !s->next[at])
			at = s->tree->paths[at].parent;
		if (!at)
			return;
		at = s->next[at];
	}
}

/* How much of it is known what the kernel did, where there is no trace. */
static void put_kernel(const struct show *s)
{
	const struct hyb_calltree *t = s->tree;

	if (s->options->times && t->covered)
		fprintf(s->to, "what the kernel did is known of %.1f %% of the threads' time\n",
			100 * (double)t->covered / (double)t->lasted);
	if (t->own)
		fprintf(s->to, "of the kernel, %" PRIu32 " thread%s waiting, and page faults without their time\n", t->own,
			t->own == 1 ? " told itself:" : "s told themselves:");
	if (t->crowded)
		fprintf(s->to, "%" PRIu64 " events of the kernel are not told apart from what they were in\n", t->crowded);
}

static void put_head(const struct show *s)
{
	const struct hyb_calltree *t = s->tree;

	fprintf(s->to, "call tree of %" PRIu32 " process%s", t->processes, t->processes == 1 ? "" : "es");
	if (s->options->times && t->running)
		fprintf(s->to, "; %" PRIu32 " thread%s not ended, in %" PRIu32 " region%s that %s counted up to now",
			t->running, t->running == 1 ? " has" : "s have", t->open, t->open == 1 ? "" : "s",
			t->open == 1 ? "is" : "are");
	putc('\n', s->to);
	if (t->lost || t->gaps)
		fprintf(s->to, "incomplete: %" PRIu64 " records were lost for want of space, chunks are missing in %" PRIu64
			" place%s\n", t->lost, t->gaps, t->gaps == 1 ? "" : "s");
	if (t->torn)
		fprintf(s->to, "%" PRIu32 " thread%s killed while adding up: one call of each may be counted twice\n",
			t->torn, t->torn == 1 ? " was" : "s were");
	put_kernel(s);
	if (s->options->times)
		fprintf(s->to, "%12s %12s %6s %7s  %s\n", "inclusive s", "exclusive s", "calls", "mean", "path");
	else
		fprintf(s->to, "%10s  %s\n", "calls", "path");
}

static int put_text(struct show *s)
{
	int err = sort(s);

	if (err)
		return err;
	put_head(s);
	put_paths(s);
	return 0;
}

/* After the tree was made, or not: err says so. */
static int put_tree(const struct hyb_profile_options *options, const struct hyb_model *model,
		    const struct hyb_calltree *tree, FILE *to)
{
	struct show s = { .options = options, .model = model, .tree = tree, .to = to };
	int err = options->write ? options->write(tree, model, to) : put_text(&s);

	free(s.first);
	free(s.next);
	return err;
}

/* A trace with what the kernel did; a thread's own profile has no place for that. */
static bool has_kernel(const struct hyb_model *model)
{
	const char *mode;

	for (size_t i = 0; i < model->process_count; i++) {
		mode = hyb_manifest_get(&model->processes[i].source->manifest, "mode", 0);
		if (mode && !strcmp(mode, "profile"))
			return false;
	}
	return hyb_model_has_kernel(model);
}

static int show_merged(const char *dir, const struct hyb_profile_options *options, FILE *to)
{
	const struct hyb_calltree_selection selection = { .rank = options->rank, .thread = options->thread };
	struct hyb_merge merge;
	struct hyb_calltree tree;
	int err = hyb_calltree_merge(&tree, &merge, dir, options->place, &selection, options->diag, options->stop);

	if (!err)
		err = put_tree(options, &merge.model, &tree, to);
	hyb_calltree_free(&tree);
	hyb_merge_free(&merge);
	return err;
}

static int show_profiles(struct hyb_model *model, const struct hyb_profile_options *options, FILE *to)
{
	const struct hyb_calltree_selection selection = { .rank = options->rank, .thread = options->thread };
	struct hyb_calltree tree;
	int err = hyb_calltree_read(&tree, model, &selection);

	if (!err)
		err = put_tree(options, model, &tree, to);
	hyb_calltree_free(&tree);
	return err;
}

int hyb_profile_show(const char *dir, const struct hyb_profile_options *options, FILE *to)
{
	const struct hyb_model_options of_model = {
		.dirs = &dir, .dir_count = 1, .collectors = true, .diag = options->diag, .stop = options->stop,
	};
	struct hyb_model model;
	int err = hyb_model_init(&model, &of_model);
	bool merge;

	if (!err)
		err = hyb_model_survey(&model);
	merge = !err && has_kernel(&model);
	if (!err && !merge)
		err = show_profiles(&model, options, to);
	hyb_model_free(&model);
	return merge ? show_merged(dir, options, to) : err;
}
