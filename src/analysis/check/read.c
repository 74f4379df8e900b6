/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the streams of a process: what is open at their ends, and whether they are whole. See reading.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/check/reading.h"
#include "reader/containers/array.h"
#include "merge/model/stack.h"

#define CHECK_EVENTS 65536u /* how often the stop flag is looked at */

/* Function's names, as they begin or are. What has a record of its own is not asked here. */
static const struct {
	const char *name;
	bool begins;
	uint32_t flags;
} functions[] = {
	{ "MPI_Ssend", true, HYB_KNOWN_SYNCHRONOUS },
	{ "MPI_Issend", true, HYB_KNOWN_SYNCHRONOUS },
	{ "MPI_Bsend", true, HYB_KNOWN_BUFFERED },
	{ "MPI_Ibsend", true, HYB_KNOWN_BUFFERED },
	{ "MPI_Start", true, HYB_KNOWN_STARTS },
	{ "MPI_Waitany", false, HYB_KNOWN_ANY },
	{ "MPI_Waitsome", false, HYB_KNOWN_ANY },
	{ "MPI_Testany", false, HYB_KNOWN_ANY },
	{ "MPI_Testsome", false, HYB_KNOWN_ANY },
	{ "MPI_Finalize", false, HYB_KNOWN_FINALIZE },
	{ "MPI_Grequest_start", false, HYB_KNOWN_UNRECORDED },
	{ "MPI_Comm_idup", true, HYB_KNOWN_UNRECORDED },
	{ "MPI_Comm_create", false, HYB_KNOWN_CREATE },
	{ "MPI_Comm_split", true, HYB_KNOWN_CREATE },
	{ "MPI_Comm_dup", true, HYB_KNOWN_CREATE },
	{ "MPI_Intercomm_merge", false, HYB_KNOWN_CREATE },
	{ "MPI_Cart_create", false, HYB_KNOWN_CREATE },
	{ "MPI_Cart_sub", false, HYB_KNOWN_CREATE },
	{ "MPI_Graph_create", false, HYB_KNOWN_CREATE },
	{ "MPI_Dist_graph_create", true, HYB_KNOWN_CREATE },
	{ "MPI_Win_create", true, HYB_KNOWN_CREATE },
	{ "MPI_Win_allocate", true, HYB_KNOWN_CREATE },
};

static void look_up(struct hyb_known *k)
{
	const char *name = k->region->name;
	size_t i, length;

	k->flags = HYB_KNOWN;
	if (k->region->paradigm != HYB_PARADIGM_MPI)
		return;
	k->flags |= HYB_KNOWN_MPI;
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		length = strlen(functions[i].name);
		if (strncmp(name, functions[i].name, length) ||
		    (!functions[i].begins && name[length]))
			continue;
		k->flags |= functions[i].flags;
		break;
	}
}

const struct hyb_known *hyb_check_known(struct hyb_check_reading *r, uint64_t id)
{
	size_t at = id < r->known_count ? (size_t)id : r->known_count;
	struct hyb_gregion *region = hyb_ids_region(&r->ids, id);
	struct hyb_known *known = &r->known[at];

	if (!region) {
		r->err = -ENOMEM;
		return NULL;
	}
	if (__builtin_expect(known->region != region, 0)) {
		*known = (struct hyb_known){ .region = region };
		look_up(known);
	}
	return known;
}

static void on_enter(struct hyb_check_reading *r, const struct hyb_event *event,
		     const struct hyb_known *known)
{
	void *stack = hyb_array_room(r->stack, &r->room, r->depth, sizeof(*r->stack));

	if (!stack) {
		r->err = -ENOMEM;
		return;
	}
	r->stack = stack;
	r->stack[r->depth].known = known;
	r->stack[r->depth].id = event->id;
	r->stack[r->depth].path = known->stack;
	r->stack[r->depth++].time = event->time;
}

/* Which stack an Enter or POLL has: what is told, or the last one of its region in the chunk. */
static void note_stack(struct hyb_check_reading *r, const struct hyb_event *event, const struct hyb_known *known)
{
	struct hyb_known *k = &r->known[known - r->known];
	uint64_t id;

	if (hyb_callers_told(event, &id))
		k->stack = id;
	else if (k->seq != event->seq || event->id >= r->known_count)
		k->stack = 0;
	k->seq = event->seq;
}

/* A thread begins: what the one before told is not its. */
static void forget_stacks(struct hyb_check_reading *r)
{
	for (size_t i = 0; i <= r->known_count; i++)
		r->known[i].stack = r->known[i].seq = 0;
}

static void on_leave(struct hyb_check_reading *r, const struct hyb_event *event,
		     const struct hyb_known *known)
{
	size_t depth = r->depth;

	if (known->flags & HYB_KNOWN_MPI) {
		r->t->left = known->region;
		r->known[known - r->known].last = event->time;
		r->p->finalized |= (known->flags & HYB_KNOWN_FINALIZE) != 0;
		r->p->unknown |= (known->flags & HYB_KNOWN_UNRECORDED) != 0;
	}
	while (depth && r->stack[depth - 1].id != event->id)
		depth--;
	if (!depth) {
		r->p->strays++;
		return;
	}
	r->depth = depth - 1;
}

/* Values of counters can be read, and are of a set that is defined so. */
static void on_metric(struct hyb_check_reading *r, const struct hyb_event *event)
{
	const struct hyb_metric_set *set = NULL;
	struct hyb_metric_reading reading;
	int ret;

	if (r->probe)
		return;
	ret = hyb_metric_read(&r->metrics, event, &reading);
	if (ret == -ENOMEM)
		r->err = ret;
	if (!ret && r->ids.defs)
		set = hyb_metric_defs_set(&r->ids.defs->metrics, reading.set);
	r->c->sums.bad_metrics += !set || set->count != reading.count;
}

static void on_event(struct hyb_check_reading *r, const struct hyb_event *event)
{
	const struct hyb_known *known;

	if (event->type == HYB_EVENT_GAP) {
		r->p->gaps++;
		r->depth = 0;
		r->t->worker = false;
		return;
	}
	if (event->type == HYB_MARK)
		r->p->paused = true;
	if (event->type == HYB_METRIC)
		on_metric(r, event);
	if (event->type != HYB_ENTER && event->type != HYB_LEAVE && event->type != HYB_POLL &&
	    event->type != HYB_MORE && event->type != HYB_POINT)
		return;
	known = hyb_check_known(r, event->id);
	if (!known)
		return;
	if (event->type == HYB_ENTER || event->type == HYB_POLL)
		note_stack(r, event, known);
	if (event->type == HYB_ENTER)
		on_enter(r, event, known);
	if (event->count > event->head)
		hyb_count_attached(r, event, known);
	if (event->type == HYB_LEAVE)
		on_leave(r, event, known);
}

static int read_events(struct hyb_check_reading *r, struct hyb_reader *reader)
{
	struct hyb_event event;
	uint32_t n = 0;
	int ret;

	while ((ret = hyb_reader_next(reader, &event)) > 0 && !r->err) {
		r->t->read = true;
		r->now = event.time;
		on_event(r, &event);
		if (++n == CHECK_EVENTS) {
			n = 0;
			if (*r->c->options.stop)
				return -EINTR;
		}
	}
	if (ret < 0)
		r->p->gaps++;
	return r->err;
}

/* The source line that a call returns to; NULL: it is not known. */
static char *where(const struct hyb_check_reading *r, uint64_t site, uint64_t time)
{
	const struct hyb_object *object =
		r->ids.defs && site ? hyb_defs_object_of(r->ids.defs, site - 1, time) : NULL;
	struct hyb_place place;
	const char *text;

	if (!object ||
	    hyb_sources_find(r->c->model.sources, object, site - object->base, &text, &place))
		return NULL;
	return strdup(text);
}

/* Where the thread stands. */
static void note_end(struct hyb_check_reading *r, struct hyb_reader *reader)
{
	struct hyb_check_reading_end *end = &r->ends[r->t - r->c->threads - r->p->first];
	struct hyb_standing *s = &end->standing;
	const struct hyb_known *known = r->depth ? r->stack[r->depth - 1].known : NULL;

	r->t->in = known ? known->region : NULL;
	for (size_t i = 0; i < r->depth; i++)
		r->t->forks |= r->stack[i].known->region->role == HYB_ROLE_PARALLEL;
	r->t->mpi = known && known->flags & HYB_KNOWN_MPI;
	r->t->since = hyb_clock_ns(r->clock, r->depth ? r->stack[r->depth - 1].time : r->now);
	if (r->depth && r->stack[r->depth - 1].path)
		r->t->path = hyb_stack_text(r->c->model.sources, r->ids.defs, r->stack[r->depth - 1].path);
	if (hyb_standing_read(reader, s) <= 0)
		return;
	hyb_standing_translate(r->ids.defs, s);
	r->t->told = true;
	r->t->polls = s->polls;
	r->t->where = where(r, s->site, s->time);
	if (s->polls || !known)
		known = hyb_check_known(r, s->region);
	if (s->polls && known) {
		free(r->t->path);
		r->t->path = known->stack ? hyb_stack_text(r->c->model.sources, r->ids.defs, known->stack) : NULL;
		r->t->in = known->region;
		r->t->since = hyb_clock_ns(r->clock, s->time);
	}
	end->known = known;
}

static void add_stats(struct hyb_check_sums *sums, const struct hyb_reader_stats *s)
{
	sums->records += s->events;
	sums->lost_records += s->lost_records;
	sums->lost_chunks += s->lost_chunks;
	sums->corrupt_chunks += s->corrupt_chunks;
	sums->unknown_records += s->unknown_records;
	sums->clamped += s->clamped;
}

static int read_thread(struct hyb_check_reading *r, const struct hyb_model_thread *mt)
{
	struct hyb_reader *reader;
	int ret = hyb_reader_open(mt->path, r->mp->source->owner,
				  r->probe ? NULL : r->c->options.diag, &reader);

	r->depth = 0;
	forget_stacks(r);
	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		/* Empty is what a writer leaves that died, or only just began. */
		r->c->sums.unreadable += ret != -ENODATA && !r->probe;
		r->p->gaps += ret != -ENODATA;
		return 0;
	}
	if (!r->p->timed)
		r->p->begun = hyb_clock_ns(r->clock, hyb_reader_header(reader)->start_time);
	r->p->timed = true;
	ret = read_events(r, reader);
	if (!ret && !r->probe) {
		note_end(r, reader);
		add_stats(&r->c->sums, hyb_reader_stats(reader));
	}
	hyb_reader_close(reader);
	hyb_metric_end(&r->metrics);
	return ret;
}

/* When it last came back from what has no records of its own. */
static int note_calls(struct hyb_check_reading *r)
{
	struct hyb_last_call *call;
	size_t i;

	for (i = 0; i <= r->known_count; i++) {
		if (!(r->known[i].flags & HYB_KNOWN_CREATE) || !r->known[i].last)
			continue;
		call = hyb_tally_call(&r->c->tally, r->mp->group, r->known[i].region);
		if (!call)
			return -ENOMEM;
		call->time = hyb_clock_ns(r->clock, r->known[i].last);
	}
	return 0;
}

static void free_reading(struct hyb_check_reading *r)
{
	size_t i;

	for (i = 0; r->ends && i < r->mp->thread_count; i++)
		hyb_standing_free(&r->ends[i].standing);
	free(r->ends);
	free(r->known);
	free(r->under_way);
	free(r->stack);
	hyb_key_map_free(&r->requests);
	hyb_ids_close(&r->ids);
}

int hyb_check_read(struct hyb_check *c, size_t process, struct hyb_probe *probe)
{
	struct hyb_check_reading r = { .c = c,
				 .p = &c->processes[process],
				 .mp = &c->model.processes[process],
				 .probe = probe };
	const struct hyb_check_process before = *r.p;
	size_t i;
	int ret;

	r.clock = hyb_clocks_get(c->model.clocks, (size_t)r.mp->clock);
	ret = hyb_ids_open(&r.ids, r.mp->source, r.mp->group, &c->model.links, r.mp->job,
			   &c->model.comms, &c->model.wins, &c->model.regions, c->model.sources,
			   &c->model.names, NULL);
	r.known_count = r.ids.region_room;
	r.known = calloc(r.known_count + 1, sizeof(*r.known));
	r.ends = calloc(r.mp->thread_count + 1, sizeof(*r.ends));
	if (!ret && (!r.known || !r.ends))
		ret = -ENOMEM;
	if (!ret && r.ids.defs && r.ids.defs->mark_count)
		r.p->paused = true;
	for (i = 0; !ret && i < r.mp->thread_count; i++) {
		r.t = &c->threads[r.p->first + i];
		ret = read_thread(&r, &r.mp->threads[i]);
	}
	if (!ret && probe)
		*r.p = before;
	if (!ret && !probe)
		ret = hyb_stand_settle(&r);
	if (!ret && !probe)
		ret = note_calls(&r);
	free_reading(&r);
	return ret;
}
