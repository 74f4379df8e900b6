/* SPDX-License-Identifier: BSD-3-Clause */
/* A proposal as a filter file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/filter/proposal.h"
#include "reader/streams/printable.h"

const char *hyb_rule_word(enum hyb_rule_kind kind)
{
	static const char *const words[] = {
		[HYB_RULE_NONE] = "other", [HYB_RULE_REGION] = "region", [HYB_RULE_FUNCTION] = "function",
		[HYB_RULE_MPI] = "mpi", [HYB_RULE_OPENMP] = "openmp",
	};

	return words[kind];
}

const char *hyb_verdict_word(enum hyb_verdict verdict)
{
	static const char *const words[] = {
		[HYB_VERDICT_OUT] = "out", [HYB_VERDICT_FEW] = "few", [HYB_VERDICT_LONG] = "long",
		[HYB_VERDICT_WISHED] = "keep", [HYB_VERDICT_MESSAGES] = "messages",
		[HYB_VERDICT_FOLLOWED] = "followed", [HYB_VERDICT_NAMELESS] = "nameless",
	};

	return words[verdict];
}

/*
 * What is special in a pattern is escaped. A byte that a line cannot hold, or that would be trimmed, becomes ?, which
 * fits it, too.
 */
char *hyb_rule_pattern(const char *name)
{
	const size_t length = strlen(name);
	char *pattern = malloc(2 * length + 1), *to = pattern;

	if (!pattern)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		const unsigned char c = (unsigned char)name[i];

		if (c < ' ' || c == 0x7f || (c == ' ' && (!i || i + 1 == length))) {
			*to++ = '?';
			continue;
		}
		if (strchr("*?[\\", c))
			*to++ = '\\';
		*to++ = (char)c;
	}
	*to = 0;
	return pattern;
}

/* A number with three digits and its factor. */
static const char *amount(double value, const char *unit, char *buf, size_t size)
{
	static const char factors[] = " kMGTPE";
	size_t i = 0;

	while (value >= 999.5 && factors[i + 1]) {
		value /= 1000;
		i++;
	}
	if (!i)
		snprintf(buf, size, "%.0f %s", value, unit);
	else
		snprintf(buf, size, "%.*f %c%s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, factors[i], unit);
	return buf;
}

static void put_sum(const struct hyb_proposal *p, const char *when, const struct hyb_proposal_sum *s, FILE *to)
{
	char bytes[32], cost[32];

	fprintf(to, "# %-6s %12" PRIu64 " visits, %10s, overhead %9s", when, s->visits,
		amount((double)s->bytes, "B", bytes, sizeof(bytes)), hyb_span_text(s->overhead, cost, sizeof(cost)));
	if (p->time > 0)
		fprintf(to, ", %.2f %% of %s", 100 * s->overhead / (double)p->time,
			hyb_span_text((double)p->time, cost, sizeof(cost)));
	putc('\n', to);
}

static void put_row(const struct hyb_proposal *p, const struct hyb_region_cost *c, FILE *to)
{
	char bytes[32], time[32], mean[32], cost[32];

	fprintf(to, "# %-8s %12" PRIu64 " %10s %9s %9s %9s  %-8s ", hyb_verdict_word(c->verdict), c->visits,
		amount((double)c->bytes, "B", bytes, sizeof(bytes)), hyb_span_text((double)c->time, time, sizeof(time)),
		hyb_span_text(c->visits ? (double)c->all / (double)c->visits : 0, mean, sizeof(mean)),
		hyb_span_text((double)c->visits * p->options->price, cost, sizeof(cost)), hyb_rule_word(c->kind));
	hyb_show(to, "%s\n", c->shown);
}

/* What the words in the first column mean, as far as they are there. */
static void put_words(const struct hyb_proposal *p, FILE *to)
{
	static const char *const texts[] = {
		[HYB_VERDICT_MESSAGES] = "communicates: without it others' halves of its messages and operations would be "
					 "unmatched; --messages proposes it, too",
		[HYB_VERDICT_FOLLOWED] = "MPI's objects and requests, or OpenMP's teams and tasks, are known by it: it is "
					 "recorded whatever a rule says",
		[HYB_VERDICT_NAMELESS] = "has no symbol that a rule could name",
	};
	bool is[HYB_VERDICT_NAMELESS + 1] = { false };

	for (size_t i = 0; i < p->count; i++)
		is[p->costs[i].verdict] = true;
	for (unsigned int v = 0; v <= HYB_VERDICT_NAMELESS; v++)
		if (is[v] && texts[v])
			fprintf(to, "# %s: %s\n", hyb_verdict_word((enum hyb_verdict)v), texts[v]);
}

static void put_head(const struct hyb_proposal *p, FILE *to)
{
	const struct hyb_proposal_options *o = p->options;
	char shortest[32], target[32];

	hyb_show(to, "# Proposed by hybmon filter for HYBMON_FILTER, from %s:\n", p->dir);
	fprintf(to, "# what has %" PRIu64 " visits or more that take less than %s each", o->visits,
		hyb_span_text((double)o->shortest, shortest, sizeof(shortest)));
	if (o->target)
		fprintf(to, ", and more for %s", amount((double)o->target, "B", target, sizeof(target)));
	fprintf(to, ".\n# %" PRIu32 " process%s, %" PRIu32 " thread%s; a visit costs %.1f ns.\n", p->processes,
		p->processes == 1 ? "" : "es", p->threads, p->threads == 1 ? "" : "s", o->price);
	if (p->lost || p->gaps)
		fprintf(to, "# The recording is incomplete: %" PRIu64 " records are lost, chunks are missing in %" PRIu64 " places.\n",
			p->lost, p->gaps);
	fputs("#\n", to);
	put_sum(p, "before", &p->before, to);
	put_sum(p, "after", &p->after, to);
	if (!hyb_proposal_meets(p))
		fprintf(to, "# This is more than %s: nothing else may be left out.\n", target);
}

static void put_table(const struct hyb_proposal *p, size_t most, FILE *to)
{
	size_t shown = 0, more = 0;

	fprintf(to, "#\n# %-8s %12s %10s %9s %9s %9s  %-8s %s\n", "verdict", "visits", "in stream", "time", "mean",
		"overhead", "kind", "name");
	for (size_t i = 0; i < p->count; i++) {
		const struct hyb_region_cost *c = &p->costs[i];

		if (c->verdict == HYB_VERDICT_OUT || shown < most)
			put_row(p, c, to);
		else
			more++;
		shown += c->verdict != HYB_VERDICT_OUT;
	}
	if (more)
		fprintf(to, "# and %zu more that are kept: --all shows them\n", more);
	put_words(p, to);
}

static void put_rule(const struct hyb_region_cost *c, FILE *to)
{
	char *pattern = hyb_rule_pattern(c->name);

	if (c->messages || c->collectives)
		fprintf(to, "# lost with it: %" PRIu64 " sends and receives, %" PRIu64 " parts in collective operations; what "
			"others record of these is unmatched\n", c->messages, c->collectives);
	if (pattern && c->kind == HYB_RULE_FUNCTION && strcmp(c->name, c->shown))
		hyb_show(to, "# %s\n", c->shown);
	if (pattern)
		fprintf(to, "exclude %s %s\n", hyb_rule_word(c->kind), pattern);
	free(pattern);
}

void hyb_proposal_print(const struct hyb_proposal *p, size_t most, FILE *to)
{
	put_head(p, to);
	put_table(p, most, to);
	putc('\n', to);
	for (size_t i = 0; i < p->count; i++)
		if (p->costs[i].verdict == HYB_VERDICT_OUT)
			put_rule(&p->costs[i], to);
}
