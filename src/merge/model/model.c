/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of the model, and what to call its members; see model.h. */
#include "merge/model/model.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hyb_model_init(struct hyb_model *m, const struct hyb_model_options *options)
{
	memset(m, 0, sizeof(*m));
	m->options = *options;
	hyb_names_init(&m->names);
	hyb_parameters_init(&m->parameters);
	hyb_wins_init(&m->wins);
	hyb_teams_init(&m->teams);
	m->sources = hyb_sources_new(options->diag, options->dirs, options->dir_count);
	hyb_names_init(&m->hosts);
	hyb_files_init(&m->files);
	hyb_regions_init(&m->regions);
	hyb_gmetrics_init(&m->metrics);
	return m->sources ? 0 : -ENOMEM;
}

void hyb_model_free(struct hyb_model *m)
{
	size_t i;

	for (i = 0; i < m->process_count; i++) {
		free(m->processes[i].threads);
		free(m->processes[i].args);
		free(m->processes[i].usages);
		hyb_process_teams_free(&m->processes[i].teams);
		free(m->processes[i].files.ids);
	}
	for (i = 0; i < m->node_count; i++) {
		free(m->nodes[i].cpus);
		free(m->nodes[i].samples);
	}
	free(m->nodes);
	free(m->processes);
	free(m->rank_process);
	free(m->process_of);
	hyb_regions_free(&m->regions);
	hyb_gmetrics_free(&m->metrics);
	hyb_files_free(&m->files);
	hyb_names_free(&m->names);
	hyb_parameters_free(&m->parameters);
	hyb_names_free(&m->hosts);
	hyb_comms_free(&m->comms);
	hyb_wins_free(&m->wins);
	hyb_teams_free(&m->teams);
	hyb_sources_free(m->sources);
	hyb_clocks_free(m->clocks);
	free(m->syncs);
	hyb_links_free(&m->links);
	hyb_family_close(&m->family);
	free(m->jobs);
}

const char *hyb_model_who(const struct hyb_model *m, const struct hyb_model_process *p, char *buf,
		       size_t size)
{
	if (p->ranked && m->family.count > 1)
		snprintf(buf, size, "rank %" PRIu32 " (%" PRIu32 " of %s)", p->group,
			 p->group - m->jobs[p->job].base, hyb_model_job_name(m, p->job));
	else if (p->ranked)
		snprintf(buf, size, "rank %" PRIu32, p->group);
	else if (p->source->has_manifest)
		snprintf(buf, size, "%s (pid %" PRId64 ", no rank)", p->source->manifest.program,
			 p->source->manifest.pid);
	else
		snprintf(buf, size, "%s", p->source->name);
	return buf;
}

const char *hyb_model_job_name(const struct hyb_model *m, uint32_t job)
{
	const char *path = m->family.members[job]->path;
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

int hyb_model_each_absent(const struct hyb_model *m, int (*visit)(void *arg, uint32_t place), void *arg)
{
	uint32_t i;
	int ret = 0;

	if (m->share_absent)
		return visit(arg, m->ranks + m->comms.holes);
	for (i = 0; !ret && i < m->ranks + m->comms.holes; i++)
		if (i >= m->ranks || m->rank_process[i] == UINT32_MAX)
			ret = visit(arg, i);
	return ret;
}
