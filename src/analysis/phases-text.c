/* SPDX-License-Identifier: BSD-3-Clause */
/* The efficiencies of the run and of its phases, as text. */
#include "analysis/report-lines.h"
#include "analysis/span.h"

static void put_phase(const struct hyb_report *r, const struct hyb_phase *p, FILE *to)
{
	const struct hyb_phases *all = &r->steps.phases;
	int64_t begin = hyb_phases_begin(all, p->from), end = hyb_phases_begin(all, p->to),
		time = 0;
	double elapsed = (double)(end - begin),
	       mean = all->ranks ? (double)p->useful / (double)all->ranks : 0;

	for (int k = 0; k < HYB_TIMES; k++)
		time += p->sums.in[k];
	fprintf(to, "%10.6f to %10.6f s ", (double)(begin - all->first) / 1e9,
		(double)(end - all->first) / 1e9);
	if (all->ranks > 1 && p->most_useful > 0)
		fprintf(to, " %6.1f %% %6.1f %% %6.1f %%", 100 * mean / elapsed,
			100 * mean / (double)p->most_useful,
			100 * (double)p->most_useful / elapsed);
	else
		fprintf(to, " %8s %8s %8s", "-", "-", "-");
	fprintf(to, "  %5.1f %%   %5.1f %%\n", percent(p->sums.in[HYB_TIME_MPI], time),
		percent(p->sums.waited, time));
}

int hyb_report_print_phases(const struct hyb_report *r, FILE *to)
{
	const struct hyb_phases *p = &r->steps.phases;

	if (p->count < 2 || p->ranks < 2)
		return 0;
	fputs("\nPhases, where the run changes its character\n"
	      "                           parallel  balance   commun.   in MPI   waiting\n",
	      to);
	for (uint32_t i = 0; i < p->count; i++)
		put_phase(r, &p->list[i], to);
	return 0;
}
