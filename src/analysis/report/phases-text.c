/* SPDX-License-Identifier: BSD-3-Clause */
/* The efficiencies of the run and of its phases, as text. */
#include "analysis/report/report-lines.h"
#include "reader/streams/printable.h"

/* In a column; below 0: it has no meaning here. */
static void put_part(double part, FILE *to)
{
	if (part < 0)
		fprintf(to, " %7s", "-");
	else
		fprintf(to, " %5.1f %%", 100 * part);
}

static void put_phase(const struct hyb_report *r, const struct hyb_phase *p, FILE *to)
{
	const struct hyb_phases *all = &r->steps.phases;
	int64_t begin = hyb_phases_begin(all, p->from), end = hyb_phases_begin(all, p->to), time = 0;
	bool ranks = all->ranks > 1 && p->most_useful > 0;
	double elapsed = (double)(end - begin), mean = all->ranks ? (double)p->useful / (double)all->ranks : elapsed,
	       both = r->openmp.threads ? (double)p->sums.useful / (double)r->openmp.threads : mean;

	for (int k = 0; k < HYB_TIMES; k++)
		time += p->sums.in[k];
	fprintf(to, "%10.6f to %10.6f s ", (double)(begin - all->first) / 1e9, (double)(end - all->first) / 1e9);
	put_part(mean > 0 ? both / elapsed : -1, to);
	put_part(ranks ? mean / (double)p->most_useful : -1, to);
	put_part(ranks ? (double)p->most_useful / elapsed : -1, to);
	if (r->openmp.threads)
		put_part(mean > 0 ? both / mean : -1, to);
	put_part(percent(p->sums.in[HYB_TIME_MPI], time) / 100, to);
	put_part(percent(p->sums.waited, time) / 100, to);
	putc('\n', to);
}

int hyb_report_print_phases(const struct hyb_report *r, FILE *to)
{
	const struct hyb_phases *p = &r->steps.phases;

	if (p->count < 2 || (p->ranks < 2 && !r->openmp.threads))
		return 0;
	fprintf(to, "\nPhases, where the run changes its character\n%26s%9s%8s%8s%s%8s%8s\n", "", "parallel", "balance",
		"commun.", r->openmp.threads ? "  OpenMP" : "", "in MPI", "waiting");
	for (uint32_t i = 0; i < p->count; i++)
		put_phase(r, &p->list[i], to);
	return 0;
}
