/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads' times by the host they ran on, and as text. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/report/report-lines.h"

int hyb_report_sum_hosts(struct hyb_report *r)
{
	const struct hyb_model *m = &r->merge.model;

	r->host_count = m->hosts.table.count;
	r->hosts = calloc(r->host_count + 1, sizeof(*r->hosts));
	if (!r->hosts)
		return -ENOMEM;
	for (size_t i = 0; i < m->process_count; i++) {
		const struct hyb_model_process *p = &m->processes[i];
		struct hyb_report_host *host = &r->hosts[p->host];
		const uint64_t before = host->threads;

		for (size_t k = p->first_track; k < p->first_track + p->thread_count; k++) {
			const struct hyb_step_sums *s = &r->steps.tracks[k];

			if (!s->told)
				continue;
			host->threads++;
			host->time = hyb_ns_add(host->time, hyb_ns_sub(s->last, s->first));
			for (int n = 0; n < HYB_TIMES; n++)
				host->in[n] = hyb_ns_add(host->in[n], s->in[n]);
			for (int n = 0; n < HYB_WAITS; n++)
				host->waited = hyb_ns_add(host->waited, s->waited[n]);
		}
		host->processes += host->threads > before;
	}
	return 0;
}

void hyb_report_print_hosts(const struct hyb_report *r, FILE *to)
{
	uint32_t shown = 0, told = 0;

	for (uint32_t i = 0; i < r->host_count; i++)
		told += r->hosts[i].threads != 0;
	if (told < 2)
		return;
	fputs("\nBy node, in % of its threads' time; waiting is for others, in MPI and OpenMP\n", to);
	fprintf(to, "%8s %8s %8s %8s %10s  %s\n", "comput.", "MPI", "waiting", "kernel", "pre-empted", "node");
	for (uint32_t i = 0; i < r->host_count; i++) {
		const struct hyb_report_host *h = &r->hosts[i];

		if (!h->threads || (!r->options.all && shown == SHOWN))
			continue;
		shown++;
		fprintf(to, "%8.2f %8.2f %8.2f %8.2f %10.2f  ", percent(h->in[HYB_TIME_COMPUTE], h->time),
			percent(h->in[HYB_TIME_MPI], h->time), percent(h->waited, h->time),
			percent(h->in[HYB_TIME_KERNEL] + h->in[HYB_TIME_VOLUNTARY], h->time),
			percent(h->in[HYB_TIME_INVOLUNTARY], h->time));
		hyb_show(to, "%s", hyb_names_text(&r->merge.model.hosts, i));
		fprintf(to, ", %" PRIu64 " process%s\n", h->processes, h->processes == 1 ? "" : "es");
	}
	if (shown < told)
		fprintf(to, "%48s%" PRIu32 " more: --all\n", "", told - shown);
}
