/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "export/text/records.h"
#include "reader/streams/word.h"

static const char *const flags[] = { "scaled", "process", "node" };

static void print_metric_def(const struct print_options *o, const struct hyb_metric *m)
{
	fputs(" metric ", stdout);
	print_put_word(m->name);
	if (o->times)
		printf(" id=%" PRIu64, m->id);
	printf(" type=%s mode=%s base=%u exponent=%d unit=", hyb_metric_type_word(m->type),
	       hyb_metric_mode_word(m->mode), m->base, m->exponent);
	print_put_word(m->unit);
	if (m->flags) {
		fputs(" flags=", stdout);
		print_put_bits(flags, PRINT_COUNT_OF(flags), m->flags, ",");
	}
	fputs(" description=", stdout);
	print_put_word(m->description);
}

static void print_set_def(const struct print_process *p, const struct hyb_metric_set *set)
{
	printf(" metric-set %" PRIu64 " count=%u metrics=", set->id, set->count);
	for (uint32_t i = 0; i < set->count; i++) {
		if (i)
			putchar(',');
		print_put_word(p->defs->metrics.metrics[set->metric[i]].name);
	}
}

bool print_metric_definition(const struct print_line *line, uint32_t type)
{
	const struct hyb_metric_defs *defs = line->process->defs ? &line->process->defs->metrics : NULL;
	const struct hyb_metric_set *set =
		defs && type == HYB_DEF_METRIC_SET ? hyb_metric_defs_set(defs, line->id) : NULL;
	const struct hyb_metric *m = defs && type == HYB_DEF_METRIC ? hyb_metric_defs_find(defs, line->id) : NULL;

	if (m)
		print_metric_def(line->options, m);
	else if (set)
		print_set_def(line->process, set);
	return m || set;
}

static double real_of(uint64_t value)
{
	double real;

	memcpy(&real, &value, sizeof(real));
	return real;
}

/* The value and, where one was read before, how much more it is than that. */
static void put_value(enum hyb_metric_type type, const struct hyb_metric_reading *r, uint32_t i)
{
	const uint64_t value = r->values[i];
	const int64_t grown = r->before ? (int64_t)(value - r->before[i]) : 0;

	if (type == HYB_METRIC_DOUBLE)
		printf("%.17g", real_of(value));
	else if (type == HYB_METRIC_INT64)
		printf("%" PRId64, (int64_t)value);
	else
		printf("%" PRIu64, value);
	if (r->before && type == HYB_METRIC_DOUBLE)
		printf(" (%+.17g)", real_of(value) - real_of(r->before[i]));
	else if (r->before)
		printf(" (%+" PRId64 ")", grown);
}

void print_metric(const struct print_line *line, struct hyb_metric_reader *reader, const struct hyb_event *e)
{
	const struct hyb_metric_defs *defs = line->process->defs ? &line->process->defs->metrics : NULL;
	const struct hyb_metric_set *set = NULL;
	const struct hyb_metric *m = NULL;
	struct hyb_metric_reading r;

	if (hyb_metric_read(reader, e, &r)) {
		fputs("metric damaged", stdout);
		return;
	}
	if (defs)
		set = hyb_metric_defs_set(defs, r.set);
	if (set && set->count != r.count)
		set = NULL;
	fputs(r.alone ? "metric alone" : "metric", stdout);
	if (!set)
		printf(" set?%" PRIu64, r.set);
	for (uint32_t i = 0; i < r.count; i++) {
		m = set ? &defs->metrics[set->metric[i]] : NULL;
		putchar(' ');
		if (m)
			print_put_word(m->name);
		else
			printf("metric?%u", i);
		if (!line->options->times)
			continue;
		putchar('=');
		put_value(m ? m->type : HYB_METRIC_UINT64, &r, i);
	}
}

void print_sums(const struct print_options *o, const struct hyb_event *e)
{
	static const char *const kinds[] = { "?", "syscall", "fault", "irq", "softirq", "off" };
	const uint64_t crowded = e->words[1] & HYB_SUMS_CROWDED_MASK;

	fputs(e->words[1] >> HYB_SUMS_BEGIN_SHIFT ? "kernel from here on" : "kernel", stdout);
	for (uint32_t i = 2; i + HYB_SUMS_WORDS <= e->head; i += HYB_SUMS_WORDS) {
		const uint64_t *w = e->words + i;
		const uint64_t kind = (uint32_t)w[0] >> 24;

		printf(" %.*s%s-%" PRIu64, (int)(w[0] >> HYB_SUMS_DEPTH_SHIFT) & 31, "+++++++++++++++++++++++++++++++",
		       kinds[kind < PRINT_COUNT_OF(kinds) ? kind : 0], w[0] & 0xffffff);
		if (o->times)
			printf("=%" PRIu64 "/%" PRIu64 "ns", w[1], w[2]);
	}
	if (crowded)
		printf(" crowded=%" PRIu64, crowded);
}
