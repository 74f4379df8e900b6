/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of processes, threads and of what events have numbers of; see title.h. */
#include "merge/sink/title.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader/streams/printable.h"

#define PID_LIMIT (1 << 22) /* Linux gives out less */

struct told {
	void (*tell)(void *to, enum hyb_field_type type, uint32_t id, const char *name);
	void *to;
};

char *hyb_title_process(const struct hyb_model *m, const struct hyb_model_process *p)
{
	const char *program = hyb_names_text(&m->names, p->program), *slash = strrchr(program, '/');
	bool nodes = m->hosts.table.count > 1;
	const char *on = nodes ? " on " : "", *host = nodes ? hyb_names_text(&m->hosts, p->host) : "";
	char *name;
	int ret;

	program = slash ? slash + 1 : program;
	if (p->ranked)
		ret = asprintf(&name, "MPI Rank %u (%s)%s%s", p->group, program, on, host);
	else
		ret = asprintf(&name, "%s%s%s", *program ? program : p->source->name, on, host);
	if (ret < 0)
		return NULL;
	hyb_make_utf8(name);
	return name;
}

void hyb_title_thread(const struct hyb_model *m, uint64_t location, char text[HYB_TITLE_SIZE])
{
	bool omp = hyb_teams_index(&m->teams, location) != HYB_TEAMS_NONE;
	uint32_t number = (uint32_t)(location >> 32);

	if (number)
		snprintf(text, HYB_TITLE_SIZE, "%s %u", omp ? "OMP thread" : "Thread", number);
	else
		strcpy(text, "Master thread");
}

/* A bit for each number that is taken. */
static int32_t take_number(unsigned char *taken, int64_t number, int32_t *next)
{
	unsigned char bit = (unsigned char)(1u << (number & 7));

	if (number <= 0 || number >= PID_LIMIT || taken[number / 8] & bit)
		return (*next)++;
	taken[number / 8] |= bit;
	return (int32_t)number;
}

static void take_numbers(const struct hyb_model *m, unsigned char *taken, int32_t *pids)
{
	int32_t *tids = pids + m->process_count, next = PID_LIMIT;
	const struct hyb_model_thread *t;
	size_t i, k;

	for (i = 0; i < m->process_count; i++)
		pids[i] = take_number(taken, m->processes[i].source->manifest.pid, &next);
	for (i = 0; i < m->process_count; i++)
		for (k = 0; k < m->processes[i].thread_count; k++) {
			t = &m->processes[i].threads[k];
			tids[m->processes[i].first_track + k] =
				t->number ? take_number(taken, (int64_t)t->tid, &next) : pids[i];
		}
}

int32_t *hyb_title_pids(const struct hyb_model *m)
{
	int32_t *pids = calloc(m->process_count + m->track_count + 1, sizeof(*pids));
	unsigned char *taken = pids ? calloc(PID_LIMIT / 8, 1) : NULL;

	if (taken) {
		take_numbers(m, taken, pids);
	} else {
		free(pids);
		pids = NULL;
	}
	free(taken);
	return pids;
}

const char *hyb_title_comm(const struct hyb_gcomm *g)
{
	if (g->name)
		return g->name;
	return g->kind == HYB_COMM_WORLD ? "MPI_COMM_WORLD" : g->kind == HYB_COMM_SELF ? "MPI_COMM_SELF" : NULL;
}

/* What has no name of its own is told by its number. */
static void tell_named(const struct told *t, enum hyb_field_type type, uint32_t id, const char *what, const char *name)
{
	char text[HYB_TITLE_SIZE];

	snprintf(text, sizeof(text), "%s %u", what, id);
	t->tell(t->to, type, id, name ? name : text);
}

static void tell_comms(const struct hyb_model *m, const struct told *t)
{
	const struct hyb_gcomm *g;
	const struct hyb_gwin *win;
	uint32_t i;

	for (i = 0; m->ranks && i < m->comms.table.count; i++) {
		g = hyb_comms_at(&m->comms, i);
		if (g->state == HYB_GCOMM_KNOWN)
			tell_named(t, HYB_FIELD_COMM, g->id, "communicator", hyb_title_comm(g));
	}
	for (i = 0; i < m->wins.table.count; i++) {
		win = hyb_wins_at(&m->wins, i);
		if (win->id != HYB_COMM_NONE)
			tell_named(t, HYB_FIELD_WINDOW, win->id, "window", win->name);
	}
}

static const char *file_name(const struct hyb_model *m, uint32_t file)
{
	return hyb_names_text(&m->names, hyb_files_at(&m->files, file)->name);
}

void hyb_title_all(const struct hyb_model *m,
		   void (*tell)(void *to, enum hyb_field_type type, uint32_t id, const char *name), void *to)
{
	const struct told t = { tell, to };
	const struct hyb_gregion *region;
	uint32_t i;

	for (i = 0; i < m->regions.table.count; i++) {
		region = hyb_regions_at(&m->regions, i);
		if (region->id != HYB_REGION_UNUSED)
			tell(to, HYB_FIELD_REGION, region->id, region->name);
	}
	tell_comms(m, &t);
	for (i = 0; i < m->files.files.count; i++)
		tell(to, HYB_FIELD_FILE, i, file_name(m, i));
	for (i = 0; i < m->files.handles.count; i++)
		tell(to, HYB_FIELD_HANDLE, i, file_name(m, hyb_files_handle(&m->files, i)->file));
	for (i = 0; i < m->names.table.count; i++)
		tell(to, HYB_FIELD_TEXT, i, hyb_names_text(&m->names, i));
}
