/* SPDX-License-Identifier: BSD-3-Clause */
/* From rows of a tally to functions, lines and regions; see profile.h. */
#include "export/samples/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_row(const void *entry, const void *key)
{
	const struct hyb_samples_row *a = entry, *b = key;

	return a->kind == b->kind && a->line == b->line && same_text(a->function, b->function) &&
	       same_text(a->file, b->file) && same_text(a->path, b->path);
}

void hyb_samples_profile_init(struct hyb_samples_profile *p)
{
	memset(p, 0, sizeof(*p));
	hyb_table_init(&p->functions, sizeof(struct hyb_samples_row), same_row);
	hyb_table_init(&p->lines, sizeof(struct hyb_samples_row), same_row);
	hyb_table_init(&p->regions, sizeof(struct hyb_samples_row), same_row);
}

void hyb_samples_profile_free(struct hyb_samples_profile *p)
{
	hyb_table_free(&p->functions);
	hyb_table_free(&p->lines);
	hyb_table_free(&p->regions);
}

static const char *text_or_null(const struct hyb_chains *c, uint32_t number)
{
	return number == HYB_NAME_NONE ? NULL : hyb_chains_text(c, number);
}

/* NULL without memory. */
static struct hyb_samples_row *find(struct hyb_table *table, const struct hyb_samples_row *key)
{
	const uint64_t hash = hyb_mix(hyb_hash_bytes(key->function, strlen(key->function)) ^ key->line);
	struct hyb_samples_row *row = hyb_table_find(table, hash, key);

	if (!row) {
		row = hyb_table_add(table, hash);
		if (row)
			*row = *key;
	}
	return row;
}

/* Adds a tally's row to one of the profile's: as its own, and once with what it called, also if it calls itself. */
static int count(struct hyb_table *table, const struct hyb_samples_row *key, const struct hyb_samples_tally_row *from,
		 uint32_t number, bool own)
{
	struct hyb_samples_row *row = find(table, key);

	if (!row)
		return -ENOMEM;
	if (own) {
		row->count += from->count;
		row->weight += from->weight;
	}
	if (row->seen != number) {
		row->all_count += from->count;
		row->all_weight += from->weight;
	}
	row->seen = number;
	return 0;
}

static int add_frame(struct hyb_samples_profile *p, const struct hyb_chains *c, const struct hyb_frame *frame,
		     const struct hyb_samples_tally_row *from, uint32_t number, bool own)
{
	struct hyb_samples_row key = {
		.kind = frame->kind,
		.function = hyb_chains_text(c, frame->function),
		.path = text_or_null(c, frame->path),
	};
	int ret = count(&p->functions, &key, from, number, own);

	key.file = text_or_null(c, frame->file);
	key.line = frame->line;
	return ret ? ret : count(&p->lines, &key, from, number, own);
}

/* What the kernel does is no region of the program. */
static int add_regions(struct hyb_samples_profile *p, const struct hyb_samples_tally *tally,
		       const struct hyb_samples_tally_row *from, uint32_t number)
{
	struct hyb_samples_row key = { .function = "" };
	bool own = true;
	int ret = 0;

	for (uint32_t at = from->stack; at && !ret; at = hyb_samples_tally_stack(tally, at)->outer) {
		const struct hyb_gregion *region = hyb_samples_tally_stack(tally, at)->region;

		if (region->kernel)
			continue;
		key.function = region->name;
		ret = count(&p->regions, &key, from, number, own);
		own = false;
	}
	key.function = "";
	return ret || !own ? ret : count(&p->regions, &key, from, number, true);
}

int hyb_samples_profile_add(struct hyb_samples_profile *p, const struct hyb_samples_tally *tally, const char *metric)
{
	const struct hyb_samples_row unknown = { .kind = HYB_FRAME_UNKNOWN, .function = "[unknown]" };
	static const struct hyb_chain none = { 0, 0 };
	int ret = 0;

	for (uint32_t i = 0; !ret && i < tally->rows.count; i++) {
		const struct hyb_samples_tally_row *from = hyb_table_at(&tally->rows, i);
		const struct hyb_chains *c = &from->node->chains;
		const struct hyb_chain *chain = from->chain == UINT32_MAX ? &none : hyb_chains_at(c, from->chain);

		if (strcmp(from->node->metrics[from->metric].name, metric))
			continue;
		p->count += from->count;
		p->weight += from->weight;
		for (uint32_t k = 0; !ret && k < chain->count; k++)
			ret = add_frame(p, c, hyb_chains_frame(c, chain, k), from, i + 1, !k);
		if (!chain->count)
			ret = count(&p->functions, &unknown, from, i + 1, true);
		if (!ret)
			ret = add_regions(p, tally, from, i + 1);
	}
	return ret;
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_weight(const void *a, const void *b)
{
	const struct hyb_samples_row *x = *(const struct hyb_samples_row *const *)a;
	const struct hyb_samples_row *y = *(const struct hyb_samples_row *const *)b;
	int order;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->all_weight != y->all_weight)
		return x->all_weight > y->all_weight ? -1 : 1;
	order = compare_text(x->function, y->function);
	order = order ? order : compare_text(x->file, y->file);
	order = order ? order : compare_text(x->path, y->path);
	return order ? order : (int)x->line - (int)y->line;
}

const struct hyb_samples_row **hyb_samples_profile_sort(const struct hyb_table *table)
{
	const struct hyb_samples_row **rows = malloc((table->count + (size_t)1) * sizeof(*rows));

	for (uint32_t i = 0; rows && i < table->count; i++)
		rows[i] = hyb_table_at(table, i);
	if (rows && table->count)
		qsort(rows, table->count, sizeof(*rows), by_weight);
	return rows;
}
