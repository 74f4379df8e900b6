/* SPDX-License-Identifier: BSD-3-Clause */
/* What each region cost, and which to leave out, as one document. */
#include "export/documents/filter.h"

#include "analysis/filter/proposal.h"
#include "export/documents/document.h"
#include "export/json/value.h"

#define VERSION 1 /* of the schema: changes when what was there means something else */

static json_t *pack_sum(const struct hyb_proposal_sum *s)
{
	return json_pack("{so,so,sf}", "visits", number(s->visits), "bytes", number(s->bytes), "overhead", s->overhead);
}

static json_t *pack_rule(const struct hyb_region_cost *c)
{
	char *pattern = hyb_rule_pattern(c->name);
	json_t *rule = pattern ? text(pattern) : NULL;

	free(pattern);
	return json_pack("{ss,so}", "kind", hyb_rule_word(c->kind), "pattern", rule);
}

static json_t *pack_cost(const struct hyb_proposal *p, const struct hyb_region_cost *c)
{
	return json_pack("{ss,so,so*,ss,so,so,so,so,sf,sf,so,so}", "kind", hyb_rule_word(c->kind), "name", text(c->shown),
			 "rule", c->kind == HYB_RULE_NONE ? NULL : pack_rule(c), "verdict", hyb_verdict_word(c->verdict),
			 "visits", number(c->visits), "bytes", number(c->bytes), "time", number((uint64_t)c->time), "own",
			 number((uint64_t)c->own), "mean", c->visits ? (double)c->all / (double)c->visits : 0.0, "overhead",
			 (double)c->visits * p->options->price, "messages", number(c->messages), "collectives",
			 number(c->collectives));
}

int hyb_json_filter(const struct hyb_proposal *p, FILE *to)
{
	json_t *regions = json_array(), *document;

	for (size_t i = 0; i < p->count; i++)
		append(&regions, pack_cost(p, &p->costs[i]));
	document = json_pack("{si,ss,so,so,so,so,sf,so,so,so,so,sb,so}", "version", VERSION, "creator",
			     "hybmon " PACKAGE_VERSION, "processes", number(p->processes), "threads", number(p->threads),
			     "lost", number(p->lost), "gaps", number(p->gaps), "price", p->options->price, "time",
			     number((uint64_t)p->time), "before", pack_sum(&p->before), "after", pack_sum(&p->after),
			     "target", number(p->options->target), "met", hyb_proposal_meets(p), "regions", regions);
	return hyb_json_document(document, to);
}
