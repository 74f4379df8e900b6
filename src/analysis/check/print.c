/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found, then where all stand; lines of 80 columns. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/check/check.h"
#include "reader/streams/printable.h"

#define WIDTH 80u
#define GROUPS_SHOWN 20u
#define DETAILS_SHOWN 3u
#define FINDINGS_SHOWN 20u

/* A thread's state in words. */
struct state {
	char *call;
	char *needs;
	uint32_t place;
	uint32_t thread;
	int64_t since;
	size_t order;	     /* of the first one with that call */
	size_t detail_order; /* and with these needs */
};

/* One paragraph, broken at blanks; lines after the first are indented further. */
static void fill(FILE *to, const char *text, size_t length, size_t indent, size_t hang)
{
	size_t at = 0, column = indent, word;

	fprintf(to, "%*s", (int)indent, "");
	while (at < length) {
		for (word = 0; at + word < length && text[at + word] != ' '; word++)
			;
		if (at && column + 1 + word > WIDTH) {
			fprintf(to, "\n%*s", (int)hang, "");
			column = hang;
		} else if (at) {
			fputc(' ', to);
			column++;
		}
		fprintf(to, "%.*s", (int)word, text + at);
		column += word;
		at += word + 1;
	}
	fputc('\n', to);
}

static void fill_text(FILE *to, const char *text, size_t indent)
{
	const char *end;
	size_t more;

	for (; *text; text = *end ? end + 1 : end) {
		end = text + strcspn(text, "\n");
		more = strspn(text, " ");
		fill(to, text + more, (size_t)(end - text) - more, indent + more,
		     indent + more + 4);
	}
}

static void print_findings(const struct hyb_check *c, FILE *to, enum hyb_finding_kind kind,
			   const char *title)
{
	size_t i, n = 0;

	for (i = 0; i < c->finding_count; i++) {
		if (hyb_finding_kind(&c->findings[i]) != kind)
			continue;
		if (!n++)
			fprintf(to, "\n%s\n", title);
		if (n <= FINDINGS_SHOWN || c->options.all)
			fill_text(to, c->findings[i].text, 2);
	}
	if (n > FINDINGS_SHOWN && !c->options.all)
		fprintf(to, "  ... %zu more\n", n - FINDINGS_SHOWN);
}

static int by_call(const void *a, const void *b)
{
	const struct state *x = a, *y = b;
	int order = strcmp(x->call, y->call);

	if (!order)
		order = strcmp(x->needs, y->needs);
	if (!order)
		order = (x->place > y->place) - (x->place < y->place);
	return order ? order : (x->thread > y->thread) - (x->thread < y->thread);
}

static int by_order(const void *a, const void *b)
{
	const struct state *x = a, *y = b;
	int order = (x->order > y->order) - (x->order < y->order);

	if (!order)
		order = (x->detail_order > y->detail_order) - (x->detail_order < y->detail_order);
	return order ? order : by_call(a, b);
}

/* Sorted by call and needs, states get the order of the first thread of each run. */
static void set_orders(struct state *s, size_t count)
{
	size_t i, k, m;

	for (i = 0; i < count; i = k) {
		for (k = i; k < count && !strcmp(s[k].call, s[i].call); k = m) {
			for (m = k; m < count && !strcmp(s[m].call, s[k].call) &&
				    !strcmp(s[m].needs, s[k].needs);
			     m++)
				s[m].detail_order = (size_t)s[k].place << 32 | s[k].thread;
			if (k == i || s[k].detail_order < s[i].order)
				s[i].order = s[k].detail_order;
		}
		for (m = i; m < k; m++)
			s[m].order = s[i].order;
	}
}

static bool say_state(const struct hyb_check *c, const struct hyb_check_thread *t, struct state *s)
{
	size_t size;
	FILE *to = open_memstream(&s->call, &size);

	if (!to)
		return false;
	hyb_say_call(c, to, t);
	if (fclose(to))
		return false;
	to = open_memstream(&s->needs, &size);
	if (!to)
		return false;
	hyb_say_needs(c, to, t);
	if (fclose(to))
		return false;
	s->place = c->model.processes[t->process].group;
	s->thread = t->number;
	s->since = t->since;
	return true;
}

/* Threads of processes that have not ended by themselves; NULL without memory. */
static struct state *list_states(const struct hyb_check *c, size_t *count)
{
	struct state *states = calloc(c->thread_count + 1, sizeof(*states));
	const struct hyb_check_thread *t;
	const struct hyb_model_process *p;
	size_t i, n = 0;

	for (i = 0; states && i < c->thread_count; i++) {
		t = &c->threads[i];
		p = &c->model.processes[t->process];
		if (p->ranked && t->read && !hyb_check_is_over(c, p) && say_state(c, t, &states[n]))
			n++;
	}
	if (!states)
		return NULL;
	qsort(states, n, sizeof(*states), by_call);
	set_orders(states, n);
	qsort(states, n, sizeof(*states), by_order);
	*count = n;
	return states;
}

/* Whose states these are. */
static void put_who(const struct hyb_check *c, FILE *to, const struct state *s, size_t count)
{
	uint32_t *places = calloc(count, sizeof(*places));
	bool others = false;
	size_t i;

	for (i = 0; places && i < count; i++) {
		places[i] = s[i].place;
		others |= s[i].thread != 0;
	}
	if (places)
		hyb_say_ranks(c, to, places, count);
	if (count == 1 && others)
		fprintf(to, " thread %" PRIu32, s->thread);
	else if (others)
		fprintf(to, " (%zu threads)", count);
	free(places);
}

static void put_since(const struct hyb_check *c, FILE *to, const struct state *s, size_t count)
{
	int64_t first = s->since, last = s->since;
	size_t i;

	for (i = 1; i < count; i++) {
		first = s[i].since < first ? s[i].since : first;
		last = s[i].since > last ? s[i].since : last;
	}
	fprintf(to, " since %.3f", (double)hyb_ns_sub(first, c->first) * 1e-9);
	if (hyb_ns_sub(last, first) >= 1000000)
		fprintf(to, "-%.3f", (double)hyb_ns_sub(last, c->first) * 1e-9);
	fputs(" s", to);
}

static void print_line(const struct hyb_check *c, FILE *to, const struct state *s, size_t count,
		       const char *call, const char *needs, size_t indent)
{
	char *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		return;
	put_who(c, line, s, count);
	fprintf(line, ": %s", call);
	if (*call)
		put_since(c, line, s, count);
	fputs(needs, line);
	if (!fclose(line))
		fill(to, text, size, indent, indent + 4);
	free(text);
}

/* Those who are in the same call at the same place. */
static void print_group(const struct hyb_check *c, FILE *to, const struct state *s, size_t count)
{
	size_t i, k, kinds = 0, shown = 0;

	for (i = 0; i < count; i++)
		kinds += !i || strcmp(s[i].needs, s[i - 1].needs);
	if (kinds == 1) {
		print_line(c, to, s, count, s->call, s->needs, 2);
		return;
	}
	print_line(c, to, s, count, s->call, "", 2);
	for (i = 0; i < count; i = k) {
		for (k = i + 1; k < count && !strcmp(s[k].needs, s[i].needs); k++)
			;
		if (shown++ < DETAILS_SHOWN || c->options.all || kinds == DETAILS_SHOWN + 1)
			print_line(c, to, s + i, k - i, "",
				   *s[i].needs ? s[i].needs + 2 : "can go on", 4);
	}
	if (kinds > DETAILS_SHOWN + 1 && !c->options.all)
		fprintf(to, "    ... %zu more\n", kinds - DETAILS_SHOWN);
}

static void print_states(const struct hyb_check *c, FILE *to)
{
	size_t count = 0, i, k, groups = 0;
	struct state *s = list_states(c, &count);

	for (i = 0; i < count; i = k) {
		for (k = i + 1; k < count && !strcmp(s[k].call, s[i].call); k++)
			;
		if (!groups++)
			fputs("\nWhere they stand\n", to);
		if (groups <= GROUPS_SHOWN || c->options.all)
			print_group(c, to, s + i, k - i);
	}
	if (groups > GROUPS_SHOWN && !c->options.all)
		fprintf(to, "  ... %zu more\n", groups - GROUPS_SHOWN);
	for (i = 0; i < count; i++) {
		free(s[i].call);
		free(s[i].needs);
	}
	free(s);
}

static const char *how(const struct hyb_model_process *p)
{
	if (p->end == HYB_END_RUNNING)
		return "still running";
	return *p->ended ? p->ended : "ended normally";
}

/* Processes that ended alike. */
static void print_ends(const struct hyb_check *c, FILE *to)
{
	const struct hyb_model *m = &c->model;
	size_t i, k, n;

	for (i = 0; i < m->process_count; i++) {
		for (k = 0; k < i && strcmp(m->processes[k].ended, m->processes[i].ended); k++)
			;
		if (k < i)
			continue;
		for (n = 0; k < m->process_count; k++)
			n += !strcmp(m->processes[k].ended, m->processes[i].ended);
		hyb_show(to, "  %zu process%s %s\n", n, n == 1 ? "" : "es:", how(&m->processes[i]));
	}
}

void hyb_check_print(const struct hyb_check *c, FILE *to)
{
	const struct hyb_model *m = &c->model;
	size_t i;

	for (i = 0; i < m->family.count; i++)
		hyb_show(to, i ? ", %s" : "%s", hyb_model_job_name(m, (uint32_t)i));
	fprintf(to, ": %" PRIu64 " records of %zu process%s\n", c->sums.records, m->process_count,
		m->process_count == 1 ? "" : "es");
	/* Of several jobs, ranks are counted through. */
	for (i = 1; i < m->family.count; i++)
		hyb_show(to, "  ranks of %s are counted from %" PRIu32 " on\n",
			 hyb_model_job_name(m, (uint32_t)i), m->jobs[i].base);
	print_ends(c, to);
	print_findings(c, to, HYB_FINDING_PROBLEM, "Found");
	print_findings(c, to, HYB_FINDING_RECORDING, "The recording");
	print_findings(c, to, HYB_FINDING_UNJUDGED, "Not judged");
	print_states(c, to);
	if (!hyb_check_found(c))
		fputs("nothing was found: the recording is whole, and all ended normally\n", to);
}
