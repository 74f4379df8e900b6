/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first lines of a report: which processes did not end well, and which of the kernel's events were asked for but are
 * not recorded. Processes that ended alike share a line. The smallest group comes first, since the launcher kills the
 * others after one has crashed. hybmon check says what they waited for.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/report/report-lines.h"
#include "analysis/report/report.h"

#define GROUPS 3 /* to be shown */

struct ending {
	const struct hyb_model_process *first;
	const struct hyb_gregion *in; /* the MPI call in which the first one was, or NULL */
	bool same;	/* so were all others */
	size_t outside; /* how many were in none */
	size_t count;
	int64_t since; /* the earliest */
};

static bool ended_badly(const struct hyb_model_process *p)
{
	return p->end == HYB_END_FAILED || p->end == HYB_END_LOST;
}

/* The MPI call in which its first thread was. */
static const struct hyb_gregion *call_of(const struct hyb_model_process *p)
{
	const struct hyb_gregion *in = p->thread_count ? p->threads[0].in : NULL;

	return in && in->paradigm == HYB_PARADIGM_MPI ? in : NULL;
}

static int by_count(const void *a, const void *b)
{
	const struct ending *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return x->first < y->first ? -1 : 1;
}

/* Those that are alike, in `endings`, which has room for all; how many there are. */
static size_t group(const struct hyb_report *r, struct ending *endings)
{
	const struct hyb_model *m = &r->merge.model;
	size_t count = 0, k;

	for (size_t i = 0; i < m->process_count; i++) {
		const struct hyb_model_process *p = &m->processes[i];

		if (!ended_badly(p))
			continue;
		for (k = 0; k < count && strcmp(endings[k].first->ended, p->ended); k++)
			;
		if (k == count)
			endings[count++] = (struct ending){ .first = p, .in = call_of(p), .same = true, .since = INT64_MAX };
		endings[k].count++;
		endings[k].same = endings[k].same && endings[k].in == call_of(p);
		endings[k].outside += !call_of(p);
		if (p->thread_count && p->threads[0].since < endings[k].since)
			endings[k].since = p->threads[0].since;
	}
	qsort(endings, count, sizeof(*endings), by_count);
	return count;
}

static void tell(const struct hyb_report *r, const struct ending *e, FILE *to)
{
	const struct hyb_model *m = &r->merge.model;
	char who[128];

	if (e->count == 1)
		fprintf(to, "%s ", hyb_model_who(m, e->first, who, sizeof(who)));
	else
		fprintf(to, "%zu processes ", e->count);
	fputs(e->first->ended, to);
	if (e->first->until != INT64_MIN)
		fprintf(to, " at %.3f s", (double)hyb_ns_sub(e->first->until, r->first) / 1e9);
	if (e->same && !e->in)
		fputs(", in no MPI call", to);
	else if (!e->outside)
		fprintf(to, ", in %s since %.3f s", e->same ? e->in->name : "MPI calls",
			(double)hyb_ns_sub(e->since, r->first) / 1e9);
}

/* Each node may say the same. */
static bool said_before(const struct hyb_model *m, size_t node, const char *text)
{
	const char *other;

	for (size_t i = 0; i < node; i++)
		for (size_t k = 0; (other = hyb_manifest_get(&m->nodes[i].source->manifest, "missing", k)); k++)
			if (!strcmp(other, text))
				return true;
	return false;
}

/* Where another source took its place, what the first one lacks is enough: hybmon merge lists all. */
static void put_missing(const struct hyb_model *m, int indent, FILE *to)
{
	static const char first[] = "bpf: ";

	for (size_t i = 0; i < m->node_count; i++) {
		const char *source = hyb_model_kernel_source(&m->nodes[i]), *text;
		char line[1024];

		for (size_t k = 0; (text = hyb_manifest_get(&m->nodes[i].source->manifest, "missing", k)); k++) {
			if (said_before(m, i, text) || (source && strncmp(text, first, strlen(first))))
				continue;
			if (source)
				snprintf(line, sizeof(line), "The kernel's events are from %s, not from %s", source, text);
			else
				snprintf(line, sizeof(line), "The kernel's events are not recorded: %s", text);
			fprintf(to, "%*s", indent, "");
			fill(to, indent, indent, line);
		}
	}
}

int hyb_report_print_end(const struct hyb_report *r, int indent, FILE *to)
{
	struct ending *endings = calloc(r->merge.model.process_count + 1, sizeof(*endings));
	size_t count = endings ? group(r, endings) : 0, size;
	char *text = NULL;
	FILE *line;

	if (!endings)
		return -ENOMEM;
	for (size_t i = 0; i < count && i < GROUPS; i++) {
		line = open_memstream(&text, &size);
		if (!line)
			break;
		tell(r, &endings[i], line);
		if (i + 1 == count || i + 1 == GROUPS)
			fputs("; see hybmon check", line);
		fclose(line);
		fprintf(to, "%*s", indent, "");
		fill(to, indent, indent, text);
		free(text);
	}
	free(endings);
	put_missing(&r->merge.model, indent, to);
	return 0;
}
