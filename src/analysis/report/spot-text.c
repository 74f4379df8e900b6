/* SPDX-License-Identifier: BSD-3-Clause */
/* What a thread was in, as text: the innermost first. */
#include <string.h>

#include "analysis/report/report-lines.h"
#include "analysis/report/report.h"

static const char *detail(const struct hyb_report *r, const struct hyb_spot *s)
{
	return s->detail >= HYB_SPOT_STOPPED ? NULL : hyb_names_text(&r->merge.model.names, s->detail);
}

static void tell_kernel(const struct hyb_report *r, const struct hyb_spot *s, FILE *to)
{
	const char *who = detail(r, s);
	enum hyb_time_class class = hyb_kernel_class(s->region);

	if (class == HYB_TIME_INVOLUNTARY && who && !strcmp(who, hyb_label_idle))
		fprintf(to, "kept from an idle CPU (a quota?)");
	else if (class == HYB_TIME_INVOLUNTARY && !who)
		fputs("pre-empted (by whom is not recorded)", to);
	else if (class == HYB_TIME_INVOLUNTARY)
		fprintf(to, "pre-empted by %s", !strcmp(who, hyb_label_other) ? "other programs" : who);
	else if (class == HYB_TIME_VOLUNTARY)
		fputs(s->detail == HYB_SPOT_STOPPED ? "stopped (SIGSTOP, a debugger)" : "waiting off the CPU", to);
	else
		fprintf(to, "%s", s->region->name);
}

void hyb_report_tell_spot(const struct hyb_report *r, uint32_t spot, FILE *to)
{
	const char *before = "";

	for (const struct hyb_spot *s; spot != HYB_SPOT_ROOT; spot = s->parent, before = " in ") {
		const char *where;

		s = hyb_spots_at(&r->steps.spots, spot);
		where = detail(r, s);
		fputs(before, to);
		if (s->kind == HYB_SPOT_PAUSED)
			fputs("not recorded", to);
		else if (s->kind == HYB_SPOT_BEFORE)
			fprintf(to, "computation before %s%s%s", s->region->name, where ? " at " : "", where ? where : "");
		else if (hyb_spot_is_kernel(s))
			tell_kernel(r, s, to);
		else
			fprintf(to, "%s%s%s", s->region->name, where ? " at " : "", where ? where : "");
	}
	if (!*before)
		fputs("computation", to);
}
