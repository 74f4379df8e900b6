/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon-print: what the program itself tells, as lines. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "export/text/print.h"

static void put_text(const struct print_process *p, uint64_t id)
{
	const char *text = p->defs ? hyb_texts_find(&p->defs->texts, id) : NULL;

	if (text)
		print_put_word(text);
	else
		printf("text?%" PRIu64, id);
}

void print_parameter(const struct print_stream *s, const struct hyb_attached *a)
{
	const uint32_t type = (uint32_t)(a->words[0] >> HYB_PARAMETER_TYPE_SHIFT) & HYB_PARAMETER_TYPE_MASK;
	double value;

	fputs("  parameter ", stdout);
	put_text(s->process, (uint32_t)a->words[0]);
	switch (type) {
	case HYB_METRIC_UINT64:
		printf(" unsigned=%" PRIu64, a->words[1]);
		break;
	case HYB_METRIC_INT64:
		printf(" int=%" PRId64, (int64_t)a->words[1]);
		break;
	case HYB_METRIC_DOUBLE:
		memcpy(&value, &a->words[1], sizeof(value));
		printf(" double=%.17g", value);
		break;
	case HYB_PARAMETER_TEXT:
		fputs(" string=", stdout);
		put_text(s->process, a->words[1]);
		break;
	default:
		printf(" type%u=%" PRIu64, type, a->words[1]);
	}
}

void print_put_source(const struct hyb_region *region)
{
	const char *slash = region->file ? strrchr(region->file, '/') : NULL;
	const char *file = slash ? slash + 1 : region->file;

	if (!file || !(*file || region->line))
		return;
	fputs(" @", stdout);
	hyb_printable_put(stdout, file, strlen(file), "\"\\");
	if (region->line)
		printf(":%u", region->line);
}

bool print_told_def(const struct print_options *o, const struct print_process *p, const struct hyb_event *e)
{
	const struct hyb_region *region;

	if (e->type == HYB_DEF_TEXT && e->count >= 2) {
		fputs(" text ", stdout);
		put_text(p, e->id);
		if (o->times)
			printf(" id=%" PRIu64, e->id);
		return true;
	}
	if (e->type != HYB_DEF_SOURCE || e->count <= sizeof(struct hyb_def_source) / 8)
		return false;
	region = p->defs ? hyb_defs_region(p->defs, e->id) : NULL;
	fputs(" source ", stdout);
	if (!region) {
		printf("region?%" PRIu64, e->id);
		return true;
	}
	print_put_word(region->name);
	fputs(" file=", stdout);
	print_put_word(region->file ? region->file : "");
	printf(" line=%u", region->line);
	return true;
}
