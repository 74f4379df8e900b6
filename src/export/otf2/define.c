/* SPDX-License-Identifier: BSD-3-Clause */
/* The definitions of the archive, each string right before the first definition that needs it. */
#include "export/otf2/define.h"

#include <errno.h>
#include <stdlib.h>

#define GROUP_LOCATIONS 0u /* ids of the groups of paradigm MPI */
#define GROUP_SELF 1u

static uint32_t name_number(struct hyb_define *d, const char *before, uint64_t number)
{
	return hyb_define_format(d, "%s%llu", before, (unsigned long long)number);
}

static void define_clock(struct hyb_define *d)
{
	int64_t first = hyb_merge_first(d->m), length = hyb_ns_sub(hyb_merge_last(d->m), first);

	hyb_define_check(d, OTF2_GlobalDefWriter_WriteClockProperties(d->writer, 1000000000, (uint64_t)first,
								      (uint64_t)length, (uint64_t)first));
}

static void define_paradigm(struct hyb_define *d)
{
	OTF2_AttributeValue value;

	if (d->m->model.teams.used || d->m->counts.tasks)
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteParadigm(d->writer, OTF2_PARADIGM_OPENMP,
							    hyb_define_name(d, "OpenMP"),
							    OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN));
	if (!d->m->model.ranks)
		return;
	hyb_define_check(d, OTF2_GlobalDefWriter_WriteParadigm(d->writer, OTF2_PARADIGM_MPI, hyb_define_name(d, "MPI"),
						    OTF2_PARADIGM_CLASS_PROCESS));
	value.stringRef = hyb_define_name(d, "MPI communicator ${id}");
	hyb_define_check(d, OTF2_GlobalDefWriter_WriteParadigmProperty(
			 d->writer, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE,
			 OTF2_TYPE_STRING, value));
	value.stringRef = hyb_define_name(d, "MPI window ${id}");
	hyb_define_check(d, OTF2_GlobalDefWriter_WriteParadigmProperty(
			 d->writer, OTF2_PARADIGM_MPI,
			 OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE, OTF2_TYPE_STRING, value));
}

static void define_nodes(struct hyb_define *d)
{
	const struct hyb_merge *m = d->m;
	uint32_t i, count = m->model.hosts.table.count;

	hyb_define_node(d, NODE_MACHINE, "machine", "Linux", OTF2_UNDEFINED_SYSTEM_TREE_NODE,
		    OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
	for (i = 0; i < count; i++)
		hyb_define_node(d, NODE_FIRST + i, "node", hyb_names_text(&m->model.hosts, i), NODE_MACHINE,
			    OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
	d->unknown_node = NODE_FIRST + count;
	if (m->model.absent || m->model.comms.holes)
		hyb_define_node(d, d->unknown_node, "node", "not recorded", NODE_MACHINE,
			    OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
	hyb_define_cpus(d, d->unknown_node + (m->model.absent || m->model.comms.holes));
}

static void define_location(struct hyb_define *d, uint64_t id, uint64_t events)
{
	char title[HYB_TITLE_SIZE];

	hyb_title_thread(&d->m->model, id, title);
	hyb_define_check(d, OTF2_GlobalDefWriter_WriteLocation(
			 d->writer, id, hyb_define_name(d, title), OTF2_LOCATION_TYPE_CPU_THREAD, events, (uint32_t)id));
}

/* "solver pid 4711 on node3" */
static uint32_t name_process(struct hyb_define *d, const struct hyb_model_process *p)
{
	const struct hyb_manifest *mf = &p->source->manifest;
	uint32_t number;

	if (!p->source->has_manifest)
		return hyb_define_name(d, p->source->name);
	return hyb_define_format(d, "%s pid %lld on %s", mf->program,
				  (long long)mf->pid, mf->host);
	return number;
}

static void define_absent_group(struct hyb_define *d, uint32_t place)
{
	const struct hyb_merge *m = d->m;
	uint32_t text;

	if (m->model.share_absent)
		text = hyb_define_name(d, "MPI ranks not recorded");
	else if (place < m->model.ranks)
		text = name_number(d, "MPI Rank ", place);
	else
		text = name_number(d, "Unknown member ", place - m->model.ranks);
	hyb_define_location_group(d, place, text, d->unknown_node);
}

static void define_rank(struct hyb_define *d, const struct hyb_model_process *p)
{
	hyb_define_location_group(d, p->group, name_number(d, "MPI Rank ", p->group), NODE_FIRST + p->host);
}

/* In the order of their ids, which readers insist on. */
static void define_ranks(struct hyb_define *d)
{
	const struct hyb_merge *m = d->m;
	size_t i;

	for (i = 0; m->model.share_absent && i < m->model.process_count; i++)
		if (m->model.processes[i].ranked)
			define_rank(d, &m->model.processes[i]);
	if (m->model.share_absent)
		define_absent_group(d, m->model.ranks + m->model.comms.holes);
	for (i = 0; !m->model.share_absent && i < m->model.ranks + m->model.comms.holes; i++)
		if (i < m->model.ranks && m->model.rank_process[i] != UINT32_MAX)
			define_rank(d, &m->model.processes[m->model.rank_process[i]]);
		else
			define_absent_group(d, (uint32_t)i);
}

static void define_groups(struct hyb_define *d)
{
	const struct hyb_merge *m = d->m;
	const struct hyb_model_process *p;
	uint32_t i;

	define_ranks(d);
	for (i = 0; i < m->model.process_count; i++) {
		p = &m->model.processes[i];
		if (!p->ranked)
			hyb_define_location_group(d, p->group, name_process(d, p), NODE_FIRST + p->host);
	}
}

static int define_absent_location(void *arg, uint32_t place)
{
	define_location(arg, place, 0);
	return 0;
}

/*
 * Each group has a location of thread 0, also where that thread recorded nothing or nobody knows
 * it.
 */
static void define_locations(struct hyb_define *d)
{
	const struct hyb_merge *m = d->m;
	const struct hyb_model_process *p;
	uint32_t i;
	size_t k;

	hyb_model_each_absent(&m->model, define_absent_location, d);
	for (i = 0; i < m->model.process_count; i++) {
		p = &m->model.processes[i];
		if (!p->thread_count || p->threads[0].number)
			define_location(d, p->group, 0);
		for (k = 0; k < p->thread_count; k++)
			define_location(d, p->threads[k].location, d->sink->events[p->first_track + k]);
	}
}

/* Of several jobs: which one a rank is of, and its rank there. */
static void define_jobs(struct hyb_define *d)
{
	const struct hyb_merge *m = d->m;
	const struct hyb_model_process *p;
	uint32_t experiment, rank;
	OTF2_AttributeValue value;
	size_t i;

	if (m->model.family.count < 2)
		return;
	experiment = hyb_define_name(d, "hybmon::experiment");
	rank = hyb_define_name(d, "hybmon::rank");
	for (i = 0; i < m->model.process_count; i++) {
		p = &m->model.processes[i];
		if (!p->ranked)
			continue;
		value.stringRef = hyb_define_name(d, hyb_model_job_name(&m->model, p->job));
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteLocationGroupProperty(d->writer, p->group, experiment,
									 OTF2_TYPE_STRING, value));
		value.uint32 = p->group - m->model.jobs[p->job].base;
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteLocationGroupProperty(d->writer, p->group, rank,
									 OTF2_TYPE_UINT32, value));
	}
}

/* Where each thread of a process stood that did not end normally. */
static void define_ends(struct hyb_define *d)
{
	const struct hyb_merge *m = d->m;
	const struct hyb_model_process *p;
	OTF2_AttributeValue value;
	uint32_t how, where;
	size_t i, k;

	for (i = 0; i < m->model.process_count; i++) {
		p = &m->model.processes[i];
		if (p->end == HYB_END_NORMAL)
			continue;
		how = hyb_define_name(d, "hybmon::ended");
		where = hyb_define_name(d, "hybmon::stood in");
		value.stringRef = hyb_define_name(d, p->ended);
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteLocationGroupProperty(d->writer, p->group, how,
									 OTF2_TYPE_STRING, value));
		for (k = 0; k < p->thread_count; k++) {
			if (!p->threads[k].timed)
				continue;
			value.stringRef = hyb_define_name(d, p->threads[k].in ? p->threads[k].in->name : "");
			hyb_define_check(d, OTF2_GlobalDefWriter_WriteLocationProperty(
					 d->writer, p->threads[k].location, where, OTF2_TYPE_STRING,
					 value));
		}
	}
}

static OTF2_RegionRole role_of(const struct hyb_gregion *r)
{
	static const OTF2_RegionRole roles[] = {
		[HYB_ROLE_FUNCTION] = OTF2_REGION_ROLE_FUNCTION,
		[HYB_ROLE_P2P] = OTF2_REGION_ROLE_POINT2POINT,
		[HYB_ROLE_BARRIER] = OTF2_REGION_ROLE_BARRIER,
		[HYB_ROLE_ONE2ALL] = OTF2_REGION_ROLE_COLL_ONE2ALL,
		[HYB_ROLE_ALL2ONE] = OTF2_REGION_ROLE_COLL_ALL2ONE,
		[HYB_ROLE_ALL2ALL] = OTF2_REGION_ROLE_COLL_ALL2ALL,
		[HYB_ROLE_COLL_OTHER] = OTF2_REGION_ROLE_COLL_OTHER,
		[HYB_ROLE_RMA] = OTF2_REGION_ROLE_RMA,
		[HYB_ROLE_FILE_IO] = OTF2_REGION_ROLE_FILE_IO,
		[HYB_ROLE_FILE_META] = OTF2_REGION_ROLE_FILE_IO_METADATA,
		[HYB_ROLE_PARALLEL] = OTF2_REGION_ROLE_PARALLEL,
		[HYB_ROLE_LOOP] = OTF2_REGION_ROLE_LOOP,
		[HYB_ROLE_SECTIONS] = OTF2_REGION_ROLE_SECTIONS,
		[HYB_ROLE_SINGLE] = OTF2_REGION_ROLE_SINGLE,
		[HYB_ROLE_WORKSHARE] = OTF2_REGION_ROLE_WORKSHARE,
		[HYB_ROLE_MASTER] = OTF2_REGION_ROLE_MASTER,
		[HYB_ROLE_CRITICAL] = OTF2_REGION_ROLE_CRITICAL,
		[HYB_ROLE_ATOMIC] = OTF2_REGION_ROLE_ATOMIC,
		[HYB_ROLE_ORDERED] = OTF2_REGION_ROLE_ORDERED,
		[HYB_ROLE_IMPLICIT_BARRIER] = OTF2_REGION_ROLE_IMPLICIT_BARRIER,
		[HYB_ROLE_TASK] = OTF2_REGION_ROLE_TASK,
		[HYB_ROLE_TASK_WAIT] = OTF2_REGION_ROLE_TASK_WAIT,
		[HYB_ROLE_LOCK] = OTF2_REGION_ROLE_FUNCTION,
		[HYB_ROLE_WRAPPER] = OTF2_REGION_ROLE_WRAPPER,
		[HYB_ROLE_SECTION] = OTF2_REGION_ROLE_SECTION,
		[HYB_ROLE_FLUSH] = OTF2_REGION_ROLE_FLUSH,
		[HYB_ROLE_TRANSFER] = OTF2_REGION_ROLE_DATA_TRANSFER,
		[HYB_ROLE_ALLOCATE] = OTF2_REGION_ROLE_ALLOCATE,
		[HYB_ROLE_FREE] = OTF2_REGION_ROLE_DEALLOCATE,
		[HYB_ROLE_PHASE] = OTF2_REGION_ROLE_CODE,
		[HYB_ROLE_ITERATION] = OTF2_REGION_ROLE_CODE,
	};

	if (r->paradigm == HYB_PARADIGM_MEASUREMENT)
		return OTF2_REGION_ROLE_ARTIFICIAL;
	return (unsigned int)r->role < sizeof(roles) / sizeof(roles[0]) ? roles[r->role]
									: OTF2_REGION_ROLE_FUNCTION;
}

/* As Score-P has it, for profiles that are made of the trace. */
static OTF2_RegionFlag flag_of(const struct hyb_gregion *r)
{
	return r->role == HYB_ROLE_PHASE     ? OTF2_REGION_FLAG_PHASE
	       : r->role == HYB_ROLE_ITERATION ? OTF2_REGION_FLAG_DYNAMIC
					       : OTF2_REGION_FLAG_NONE;
}

static OTF2_Paradigm paradigm_of(const struct hyb_gregion *r)
{
	switch (r->paradigm) {
	case HYB_PARADIGM_MPI:
		return OTF2_PARADIGM_MPI;
	case HYB_PARADIGM_OPENMP:
		return OTF2_PARADIGM_OPENMP;
	case HYB_PARADIGM_MEASUREMENT:
		return OTF2_PARADIGM_MEASUREMENT_SYSTEM;
	case HYB_PARADIGM_USER:
	case HYB_PARADIGM_KERNEL:
		break;
	}
	return r->paradigm == HYB_PARADIGM_USER ? OTF2_PARADIGM_USER : OTF2_PARADIGM_UNKNOWN;
}

/* Scalasca's reports know the routines of locks by their names alone. */
static uint32_t name_of(struct hyb_define *d, const struct hyb_gregion *r)
{
	return hyb_define_name(d, d->m->options.scalasca && r->role == HYB_ROLE_LOCK ? r->plain : r->name);
}

/* As Score-P has it: what readers (Scalasca) tell OpenMP's regions by, and its kinds of barriers. */
static uint32_t canonical_of(struct hyb_define *d, const struct hyb_gregion *r)
{
	uint32_t number;

	if (r->paradigm != HYB_PARADIGM_OPENMP)
		return hyb_define_name(d, r->plain);
	number = hyb_define_format(d, "!$omp %s", r->plain);
	return number;
}

/* As Score-P has it: whose a region is that has no place in the program's source. Scalasca tells MPI's by it. */
static uint32_t file_of(struct hyb_define *d, const struct hyb_gregion *r)
{
	if (r->paradigm == HYB_PARADIGM_MPI)
		return hyb_define_name(d, "MPI");
	if (r->file)
		return hyb_define_name(d, r->file);
	return hyb_define_name(d, r->paradigm == HYB_PARADIGM_OPENMP ? "OMP" : "");
}

/*
 * OTF2 has no paradigm for the kernel. Its regions are of none that is known, say in their description what they are,
 * and are in groups that readers take for groups of functions.
 */
static void define_regions(struct hyb_define *d)
{
	const uint32_t kernel[] = { [HYB_REGION_NO_KERNEL] = hyb_define_name(d, ""),
				    [HYB_REGION_EVENT] = hyb_define_name(d, "kernel"),
				    [HYB_REGION_TASK] = hyb_define_name(d, "task") };
	const struct hyb_gregion **by_id = calloc(d->m->model.regions.next + 1, sizeof(*by_id)), *r;
	uint32_t i, text, plain, file;

	if (!by_id) {
		d->no_memory = true;
		return;
	}
	for (i = 0; i < d->m->model.regions.table.count; i++) {
		r = hyb_regions_at(&d->m->model.regions, i);
		if (r->id != HYB_REGION_UNUSED)
			by_id[r->id] = r;
	}
	for (i = 0; i < d->m->model.regions.next; i++) {
		r = by_id[i];
		text = name_of(d, r);
		plain = canonical_of(d, r);
		file = file_of(d, r);
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteRegion(d->writer, r->id, text, plain, kernel[r->kernel],
							  role_of(r), paradigm_of(r),
							  flag_of(r), file, r->line, 0));
	}
	free(by_id);
}

static void define_members(struct hyb_define *d, uint32_t id, OTF2_GroupType type, uint32_t text,
			   uint32_t count, const uint32_t *members)
{
	uint64_t *wide = malloc((count ? count : 1) * sizeof(*wide));
	uint32_t i;

	if (!wide) {
		d->no_memory = true;
		return;
	}
	/*
	 * Locations of thread 0 have the id of their group, which is their index in COMM_LOCATIONS.
	 */
	for (i = 0; i < count; i++)
		wide[i] = members ? members[i] : hyb_model_place(&d->m->model, i);
	hyb_define_check(d, OTF2_GlobalDefWriter_WriteGroup(d->writer, id, text, type, OTF2_PARADIGM_MPI,
						 OTF2_GROUP_FLAG_NONE, count, wide));
	free(wide);
}

static void define_comm(struct hyb_define *d, const struct hyb_gcomm *g)
{
	const struct hyb_comms *c = &d->m->model.comms;
	uint32_t parent = OTF2_UNDEFINED_COMM, text;
	const char *title = hyb_title_comm(g);

	if (g->parent != HYB_COMM_NONE && hyb_comms_at(c, g->parent)->state == HYB_GCOMM_KNOWN)
		parent = hyb_comms_at(c, g->parent)->id;
	text = hyb_define_name(d, title ? title : "");
	if (g->kind == HYB_COMM_INTER)
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteInterComm(
				 d->writer, g->id, text, hyb_otf2_group(g->group[0]),
				 hyb_otf2_group(g->group[1]), parent, OTF2_COMM_FLAG_NONE));
	else
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteComm(
				 d->writer, g->id, text,
				 g->kind == HYB_COMM_SELF ? GROUP_SELF : hyb_otf2_group(g->group[0]),
				 parent, OTF2_COMM_FLAG_NONE));
}

/* OpenMP's communicators and groups have the ids behind those of MPI. */
static uint32_t first_team_group(const struct hyb_merge *m)
{
	return m->model.ranks ? hyb_otf2_group(m->model.comms.groups.count) : 0;
}

/* Behind those of the communicators and teams. */
static uint32_t first_free_group(const struct hyb_merge *m)
{
	return first_team_group(m) + (m->model.teams.used || m->counts.tasks ? 2 + m->model.teams.groups.count : 0);
}

static void write_group(struct hyb_define *d, uint32_t id, OTF2_GroupType type, uint32_t count,
			const uint64_t *members)
{
	hyb_define_check(d, OTF2_GlobalDefWriter_WriteGroup(d->writer, id, hyb_define_name(d, ""), type,
						 OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, count,
						 members));
}

/* Members as indexes into the list of OpenMP's locations, which is sorted. */
static void define_team(struct hyb_define *d, uint32_t i)
{
	const struct hyb_teams *t = &d->m->model.teams;
	const struct hyb_team_group *g = hyb_teams_group(t, i);
	uint64_t *members = malloc((g->count ? g->count : 1) * sizeof(*members));
	uint32_t k, text = hyb_define_name(d, "OpenMP team"), id = first_team_group(d->m) + 2 + i;

	if (!members) {
		d->no_memory = true;
		return;
	}
	for (k = 0; k < g->count; k++)
		members[k] = hyb_teams_index(t, g->locations[k]);
	write_group(d, id, OTF2_GROUP_TYPE_COMM_GROUP, g->count, members);
	hyb_define_check(d, OTF2_GlobalDefWriter_WriteComm(d->writer, hyb_otf2_team(d->sink, i), text, id,
						OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
	free(members);
}

static void define_teams(struct hyb_define *d)
{
	const struct hyb_teams *t = &d->m->model.teams;
	uint32_t i, first = first_team_group(d->m), text;

	if (!t->used && !d->m->counts.tasks)
		return;
	write_group(d, first, OTF2_GROUP_TYPE_COMM_LOCATIONS, t->location_count, t->locations);
	write_group(d, first + 1, OTF2_GROUP_TYPE_COMM_SELF, 0, NULL);
	text = hyb_define_name(d, "OpenMP thread alone");
	hyb_define_check(d, OTF2_GlobalDefWriter_WriteComm(d->writer, d->m->model.teams.first_comm, text, first + 1,
						OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
	for (i = 0; i < t->groups.count; i++)
		define_team(d, i);
}

static void define_wins(struct hyb_define *d)
{
	const struct hyb_wins *w = &d->m->model.wins;
	const struct hyb_gwin *g;
	uint32_t i, text;

	for (i = 0; i < w->table.count; i++) {
		g = hyb_wins_at(w, i);
		if (g->id == HYB_COMM_NONE)
			continue;
		text = hyb_define_name(d, g->name ? g->name : "");
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteRmaWin(
				 d->writer, g->id, text, hyb_comms_at(&d->m->model.comms, g->comm)->id,
				 OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
	}
}

static void define_comms(struct hyb_define *d)
{
	const struct hyb_comms *c = &d->m->model.comms;
	uint32_t i, empty = hyb_define_name(d, "");

	if (!d->m->model.ranks)
		return;
	define_members(d, GROUP_LOCATIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS, empty,
		       d->m->model.ranks + c->holes, NULL);
	define_members(d, GROUP_SELF, OTF2_GROUP_TYPE_COMM_SELF, empty, 0, NULL);
	for (i = 0; i < c->groups.count; i++)
		define_members(d, hyb_otf2_group(i), OTF2_GROUP_TYPE_COMM_GROUP, empty,
			       hyb_comms_group(c, i)->count, hyb_comms_group(c, i)->members);
	for (i = 0; i < c->table.count; i++)
		if (hyb_comms_at(c, i)->state == HYB_GCOMM_KNOWN)
			define_comm(d, hyb_comms_at(c, i));
}

static uint32_t handle_comm(const struct hyb_define *d, const struct hyb_ghandle *h)
{
	const struct hyb_gcomm *g;

	if (h->comm == HYB_COMM_NONE)
		return OTF2_UNDEFINED_COMM;
	g = hyb_comms_at(&d->m->model.comms, h->comm);
	return g->state == HYB_GCOMM_KNOWN ? g->id : OTF2_UNDEFINED_COMM;
}

/* Names say nothing of file systems: the same name is taken for the same file on all hosts. */
static void define_files(struct hyb_define *d)
{
	const struct hyb_files *f = &d->m->model.files;
	const struct hyb_ghandle *h;
	uint32_t i, text;

	if (!f->files.count)
		return;
	text = hyb_define_name(d, "MPI-IO");
	hyb_define_check(d, OTF2_GlobalDefWriter_WriteIoParadigm(d->writer, 0, text, text,
						      OTF2_IO_PARADIGM_CLASS_PARALLEL,
						      OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL,
						      NULL));
	for (i = 0; i < f->files.count; i++)
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteIoRegularFile(
				 d->writer, i, hyb_files_at(f, i)->name, NODE_MACHINE));
	for (i = 0; i < f->handles.count; i++) {
		h = hyb_files_handle(f, i);
		hyb_define_check(d, OTF2_GlobalDefWriter_WriteIoHandle(
				 d->writer, i, hyb_files_at(f, h->file)->name, h->file, 0,
				 OTF2_IO_HANDLE_FLAG_NONE, handle_comm(d, h),
				 OTF2_UNDEFINED_IO_HANDLE));
	}
}

static bool threads_complete(const struct hyb_merge *m)
{
	return !m->counts.lost_records && !m->counts.lost_chunks && !m->counts.unplaced_tasks && !m->model.running;
}

static void define_properties(struct hyb_define *d)
{
	OTF2_Archive *archive = d->sink->archive.otf2;

	hyb_define_check(d, OTF2_Archive_SetMachineName(archive, "Linux"));
	hyb_define_check(d, OTF2_Archive_SetCreator(archive, "hybmon " PACKAGE_VERSION));
	hyb_define_check(d, OTF2_Archive_SetBoolProperty(archive, "OTF2::MPI_COMMUNICATION_COMPLETE",
					      d->m->complete && !d->sink->samples, true));
	if (!d->m->model.teams.used || d->sink->samples)
		return;
	hyb_define_check(d, OTF2_Archive_SetBoolProperty(archive, "OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE",
					      threads_complete(d->m), true));
	hyb_define_check(d, OTF2_Archive_SetBoolProperty(archive, "OTF2::THREAD_LOCK_EVENT_COMPLETE",
					      threads_complete(d->m), true));
}

/* What events name, besides regions. */
static void define_events(struct hyb_define *d)
{
	define_comms(d);
	hyb_define_topologies(d);
	define_teams(d);
	define_wins(d);
	define_files(d);
	hyb_define_metrics(d);
	hyb_define_kernel(d, first_free_group(d->m));
}

int hyb_otf2_define(struct hyb_sink *sink)
{
	struct hyb_archive *a = &sink->archive;
	struct hyb_define d = { .m = sink->m, .sink = sink };

	d.writer = OTF2_Archive_GetGlobalDefWriter(a->otf2);
	if (!d.writer)
		return hyb_archive_check(a, OTF2_ERROR_INVALID);
	hyb_names_init(&d.own);
	define_clock(&d);
	define_paradigm(&d);
	define_nodes(&d);
	define_groups(&d);
	define_locations(&d);
	hyb_define_cpu_locations(&d);
	define_jobs(&d);
	define_ends(&d);
	define_regions(&d);
	if (sink->samples)
		hyb_define_samples(&d);
	else
		define_events(&d);
	define_properties(&d);
	hyb_names_free(&d.own);
	if (d.writer)
		hyb_define_check(&d, OTF2_Archive_CloseGlobalDefWriter(a->otf2, d.writer));
	if (d.no_memory)
		return -ENOMEM;
	return hyb_archive_check(a, d.code);
}
