/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each thread waits for becomes a graph of who waits for whom. A wait is put into it only where nothing else can
 * end it; whatever is not known for sure is taken for a thread that can go on. So what is stuck in the end is stuck for
 * sure.
 * The streams are as if each process had stood still since its own last record: nothing of what one received is missing
 * with the one that sent it, so it does not matter that they were killed one after the other.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/check/check.h"
#include "reader/containers/array.h"
#include "reader/containers/search.h"

#define SLACK_NS 1000000000 /* clocks of other hosts may be wrong by so much */

/* Who lacks in something that many wait for. */
struct lack {
	enum hyb_need_kind kind;
	uint32_t comm;
	uint64_t nth;
	uint32_t set;
	bool any;
};

struct waits {
	struct hyb_check *c;
	struct hyb_table lacks;
	const struct hyb_channel *
		*pending; /* that have messages nobody has received, by destination */
	size_t pending_count;
	uint32_t *places; /* those that lack, of the need at hand */
	size_t count, room;
	int err;
};

static void lack(struct waits *w, uint32_t place)
{
	uint32_t *grown = hyb_array_room(w->places, &w->room, w->count, sizeof(*grown));

	if (!grown) {
		w->err = -ENOMEM;
		return;
	}
	w->places = grown;
	w->places[w->count++] = place;
}

static const struct hyb_group *group_of(const struct hyb_check *c, uint32_t comm, int side)
{
	const struct hyb_gcomm *g = hyb_comms_at(&c->model.comms, comm);

	if (g->kind == HYB_COMM_SELF || g->state != HYB_GCOMM_KNOWN ||
	    (side && g->kind != HYB_COMM_INTER))
		return NULL;
	return hyb_comms_group(&c->model.comms, g->group[side]);
}

static const struct hyb_group *win_group(const struct hyb_check *c, uint32_t win)
{
	return group_of(c, hyb_wins_at(&c->model.wins, win)->comm, 0);
}

/* Those of whom a message may come, as the process sees them: an intercommunicator's other group. */
static const struct hyb_group *peers_of(const struct hyb_check *c, uint32_t comm, uint32_t own)
{
	const struct hyb_group *group = group_of(c, comm, 0), *other = group_of(c, comm, 1);
	uint32_t i;

	for (i = 0; other && i < other->count; i++)
		if (other->members[i] == own)
			return group;
	return other ? other : group;
}

static bool is_for(const struct hyb_need *n, const struct hyb_channel *channel)
{
	return channel->comm == n->comm && (n->tag == HYB_ANY || n->tag == channel->tag) &&
	       (n->peer == HYB_CHECK_ANY || n->peer == channel->source);
}

/* Whether a message that it may receive is on its way. */
static bool is_sent(const struct waits *w, uint32_t own, const struct hyb_need *n)
{
	const struct hyb_check *c = w->c;
	size_t i = HYB_SEARCH(k, c->pending_count, c->pending[k]->destination < own);
	uint64_t messages = 0;

	for (; i < c->pending_count && c->pending[i]->destination == own; i++)
		if (is_for(n, c->pending[i]))
			messages += c->pending[i]->sends - c->pending[i]->receives;
	return messages > n->ahead;
}

/* It has no other thread that could do something for this one. */
static bool is_alone(const struct hyb_check *c, uint32_t place)
{
	const struct hyb_model_process *p = hyb_check_process_of(c, place);

	return p && p->thread_count == 1;
}

static void lack_of_message(struct waits *w, uint32_t own, const struct hyb_need *n)
{
	const struct hyb_group *peers;
	uint32_t i;

	if (is_sent(w, own, n))
		return;
	if (n->peer != HYB_CHECK_ANY) {
		if (!hyb_check_is_blurred_in(w->c, n->peer, HYB_GROUP_P2P))
			lack(w, n->peer);
		return;
	}
	peers = peers_of(w->c, n->comm, own);
	for (i = 0; peers && i < peers->count; i++) {
		lack(w, peers->members[i]);
		if (hyb_check_is_blurred_in(w->c, peers->members[i], HYB_GROUP_P2P)) {
			w->count = 0;
			return;
		}
	}
}

/* Whether so many receives are begun at the destination that this send is among those that get one. */
static bool is_awaited(const struct hyb_check *c, uint32_t own, const struct hyb_need *n)
{
	const struct hyb_channel key = {
		.comm = n->comm, .source = own, .destination = n->peer, .tag = n->tag
	};
	const struct hyb_channel *channel = hyb_tally_find_channel(&c->tally, &key);
	const struct hyb_model_process *p = hyb_check_process_of(c, n->peer);
	uint64_t begun = c->processes[p - c->model.processes].begun_receives,
		 before = channel ? channel->receives : 0;
	const struct hyb_check_receive *r;
	size_t i;

	if (c->processes[p - c->model.processes].errors || c->sums.unreported)
		return true;
	i = HYB_SEARCH(k, c->receive_count, c->receives[k].process < n->peer);
	for (; i < c->receive_count && c->receives[i].process == n->peer; i++) {
		r = &c->receives[i];
		begun += r->comm == n->comm && (r->source == HYB_CHECK_ANY || r->source == own) &&
			 (r->tag == HYB_ANY || r->tag == n->tag);
	}
	return n->nth ? before + begun >= n->nth : begun > 0;
}

static void lack_of_receive(struct waits *w, uint32_t own, const struct hyb_need *n)
{
	const bool may_be_buffered =
		n->bytes == HYB_BYTES_UNKNOWN || n->bytes <= w->c->options.buffered;

	if (n->buffered || (!n->synchronous && may_be_buffered) ||
	    hyb_check_is_blurred_in(w->c, n->peer, HYB_GROUP_P2P) || is_awaited(w->c, own, n))
		return;
	lack(w, n->peer);
}

/* The group of a function that creates a communicator, a window or a topology, and has no record of its own. */
static uint32_t group_of_create(const struct hyb_gregion *region)
{
	if (region->kind == HYB_REGION_OF_WINDOWS)
		return HYB_GROUP_RMA;
	return region->kind == HYB_REGION_OF_COMMS ? HYB_GROUP_COMM : HYB_GROUP_TOPO;
}

/* Whether a member has come to the operation, or may have. */
static bool has_begun(const struct waits *w, const struct hyb_check_thread *t,
		      const struct hyb_need *n, uint32_t member)
{
	const struct hyb_sequence *s = hyb_tally_find_sequence(&w->c->tally, n->comm, member);
	const uint32_t group = n->kind == HYB_NEED_COLL ? HYB_GROUP_COLL : group_of_create(n->region);
	const struct hyb_last_call *call;
	int64_t slack = 0;

	if (hyb_check_is_blurred_in(w->c, member, group))
		return true;
	if (n->kind == HYB_NEED_COLL)
		return s && s->count + s->stands >= n->nth;
	call = hyb_tally_find_call(&w->c->tally, member, n->region);
	if (hyb_check_process_of(w->c, member)->clock != w->c->model.processes[t->process].clock)
		slack = SLACK_NS;
	return (s && s->creating == n->region) ||
	       (call && call->time > hyb_ns_sub(t->since, slack));
}

static void lack_of_members(struct waits *w, const struct hyb_check_thread *t,
			    const struct hyb_need *n)
{
	const struct hyb_group *group;
	uint32_t i;
	int side;

	for (side = 0; side < 2; side++) {
		group = group_of(w->c, n->comm, side);
		for (i = 0; group && i < group->count; i++)
			if (!has_begun(w, t, n, group->members[i]) &&
			    group->members[i] != w->c->model.processes[t->process].group)
				lack(w, group->members[i]);
	}
}

static bool finalizes(const struct hyb_check *c, const struct hyb_model_process *p)
{
	const struct hyb_check_process *s = &c->processes[p - c->model.processes];
	size_t i;

	if (hyb_check_is_over(c, p) || !(s->groups & HYB_GROUP_ENV))
		return true;
	for (i = s->first; i < s->first + s->count; i++)
		if (c->threads[i].need_count == 1 &&
		    c->threads[i].needs[0].kind == HYB_NEED_FINALIZE)
			return true;
	return false;
}

static void lack_of_finalize(struct waits *w, const struct hyb_check_thread *t)
{
	const struct hyb_model *m = &w->c->model;
	size_t i;

	for (i = 0; i < m->process_count; i++)
		if (m->processes[i].ranked && m->processes[i].job == m->processes[t->process].job &&
		    !finalizes(w->c, &m->processes[i]))
			lack(w, m->processes[i].group);
}

static void lack_of_fence(struct waits *w, uint32_t own, const struct hyb_need *n)
{
	const struct hyb_group *group = win_group(w->c, n->comm);
	const struct hyb_fences *f;
	uint32_t i;

	for (i = 0; group && i < group->count; i++) {
		f = hyb_tally_find_fences(&w->c->tally, n->comm, group->members[i]);
		if (group->members[i] != own && !hyb_check_is_blurred_in(w->c, group->members[i], HYB_GROUP_RMA) &&
		    (f ? f->count + f->stands : 0) < n->nth)
			lack(w, group->members[i]);
	}
}

/* One who gives up the lock, or does not have it yet. */
static bool gives_up(const struct hyb_check *c, uint32_t place, const struct hyb_need *n)
{
	const struct hyb_check_process *p =
		&c->processes[hyb_check_process_of(c, place) - c->model.processes];
	const struct hyb_need *other;
	size_t i;

	for (i = p->first; i < p->first + p->count; i++) {
		other = c->threads[i].needs;
		if (c->threads[i].need_count == 1 && other->kind == HYB_NEED_LOCK &&
		    other->comm == n->comm &&
		    (other->peer == n->peer || other->peer == HYB_CHECK_ANY ||
		     n->peer == HYB_CHECK_ANY))
			return true;
	}
	return false;
}

static void lack_of_lock(struct waits *w, uint32_t own, const struct hyb_need *n)
{
	const struct hyb_check *c = w->c;
	const struct hyb_check_lock *l;
	bool shared = n->shared;

	for (l = c->locks; l < c->locks + c->lock_count; l++)
		if (l->win == n->comm && l->holder == own && l->target == n->peer)
			shared = l->shared;
	for (l = c->locks; l < c->locks + c->lock_count; l++) {
		if (l->win != n->comm || l->holder == own || (shared && l->shared) ||
		    (l->target != n->peer && l->target != HYB_CHECK_ANY &&
		     n->peer != HYB_CHECK_ANY))
			continue;
		if (!hyb_check_is_blurred(c, l->holder) && !gives_up(c, l->holder, n))
			lack(w, l->holder);
	}
}

/* Whether `other` has opened its window to this process, or is through with this process's window. */
static bool has_opened(const struct hyb_check *c, uint32_t own, const struct hyb_need *n,
		       uint32_t other)
{
	const bool post = n->kind == HYB_NEED_POST;
	const struct hyb_access *a =
		hyb_tally_find_access(&c->tally, n->comm, post ? own : other, post ? other : own);

	if (hyb_check_is_blurred_in(c, other, HYB_GROUP_RMA))
		return true;
	return a && (post ? a->posts > a->completes : a->completes > a->waits);
}

/* MPI_Win_start does not tell its group: then one of all has to open its window. True: one of these is enough. */
static bool lack_of_access(struct waits *w, uint32_t own, const struct hyb_need *n)
{
	const bool told = n->group != HYB_COMM_NONE;
	const struct hyb_group *group =
		told ? hyb_comms_group(&w->c->model.comms, n->group) : win_group(w->c, n->comm);
	uint32_t i;

	for (i = 0; group && i < group->count; i++) {
		if (!told && group->members[i] == own && is_alone(w->c, own))
			continue;
		if (!has_opened(w->c, own, n, group->members[i])) {
			lack(w, group->members[i]);
		} else if (!told) {
			w->count = 0;
			return true;
		}
	}
	return !told;
}

/* Who lacks for a need goes to w->places. True: one of them is enough. */
static bool find_lack(struct waits *w, const struct hyb_check_thread *t, const struct hyb_need *n)
{
	uint32_t own = w->c->model.processes[t->process].group;

	w->count = 0;
	switch (n->kind) {
	case HYB_NEED_UNKNOWN:
		break;
	case HYB_NEED_SEND:
		lack_of_receive(w, own, n);
		break;
	case HYB_NEED_RECV:
		lack_of_message(w, own, n);
		return true;
	case HYB_NEED_COLL:
	case HYB_NEED_CREATE:
		if (!hyb_check_is_blurred(w->c, own))
			lack_of_members(w, t, n);
		break;
	case HYB_NEED_FINALIZE:
		lack_of_finalize(w, t);
		break;
	case HYB_NEED_FENCE:
		if (!hyb_check_is_blurred(w->c, own))
			lack_of_fence(w, own, n);
		break;
	case HYB_NEED_LOCK:
		lack_of_lock(w, own, n);
		break;
	case HYB_NEED_POST:
	case HYB_NEED_COMPLETE:
		if (!hyb_check_is_blurred(w->c, own))
			return lack_of_access(w, own, n);
		break;
	}
	return false;
}

/* What many wait for alike is looked at once: by which key, false: it is nothing of that kind. */
static bool lack_key(const struct hyb_check *c, const struct hyb_check_thread *t,
		     const struct hyb_need *n, struct lack *key)
{
	const struct hyb_model_process *p = &c->model.processes[t->process];

	*key = (struct lack){ .kind = n->kind, .comm = n->comm, .set = HYB_GRAPH_NONE };
	switch (n->kind) {
	case HYB_NEED_COLL:
	case HYB_NEED_FENCE:
		key->nth = n->nth;
		return true;
	case HYB_NEED_FINALIZE:
		key->comm = p->job;
		return true;
	case HYB_NEED_RECV:
		/* from either group of an intercommunicator */
		key->nth = peers_of(c, n->comm, p->group) == group_of(c, n->comm, 0);
		return n->peer == HYB_CHECK_ANY;
	default:
		return false;
	}
}

static struct lack *known_lack(struct waits *w, const struct hyb_check_thread *t,
			       const struct hyb_need *n, bool *found)
{
	const uint32_t before = w->lacks.count;
	struct lack key, *l;

	*found = false;
	if (!lack_key(w->c, t, n, &key))
		return NULL;
	l = hyb_table_get(&w->lacks, &key);
	*found = l && w->lacks.count == before;
	return l;
}

/* The set of those that lack, HYB_GRAPH_NONE: nobody; *any: one of them is enough. */
static uint32_t set_of(struct waits *w, const struct hyb_check_thread *t, const struct hyb_need *n,
		       bool *any)
{
	uint32_t set = HYB_GRAPH_NONE;
	struct lack *l;
	bool found;

	/* One that cannot be judged itself must not answer for the others. */
	if (hyb_check_is_blurred(w->c, w->c->model.processes[t->process].group)) {
		*any = find_lack(w, t, n);
		return w->count ? hyb_graph_set(&w->c->graph, w->places, w->count) : HYB_GRAPH_NONE;
	}
	*any = true;
	if (n->kind == HYB_NEED_RECV && is_sent(w, w->c->model.processes[t->process].group, n))
		return HYB_GRAPH_NONE;
	l = known_lack(w, t, n, &found);
	if (found) {
		*any = l->any;
		return l->set;
	}
	*any = find_lack(w, t, n);
	if (w->count && (set = hyb_graph_set(&w->c->graph, w->places, w->count)) == HYB_GRAPH_NONE)
		w->err = -ENOMEM;
	if (l) {
		l->set = set;
		l->any = *any;
	}
	return set;
}

/* One of several is enough: all that lack for any of them are one set. */
static int wait_for_any(struct waits *w, struct hyb_check_thread *t)
{
	uint32_t *all = NULL, set;
	size_t count = 0, room = 0, i, k;
	bool any;

	for (i = 0; i < t->need_count; i++) {
		t->needs[i].set = set_of(w, t, &t->needs[i], &any);
		t->needs[i].one = any;
		if (t->needs[i].set == HYB_GRAPH_NONE) {
			free(all);
			return w->err;
		}
		const struct hyb_graph_set *s = &w->c->graph.sets[t->needs[i].set];
		uint32_t *grown = hyb_array_hold(all, &room, count + s->count, sizeof(*grown));

		if (!grown) {
			free(all);
			return -ENOMEM;
		}
		all = grown;
		for (k = 0; k < s->count; k++)
			all[count++] = w->c->graph.members[s->first + k];
	}
	set = count ? hyb_graph_set(&w->c->graph, all, count) : HYB_GRAPH_NONE;
	free(all);
	return set == HYB_GRAPH_NONE ? w->err : hyb_graph_wait(&w->c->graph, t->node, set, false);
}

static int wait_for_all(struct waits *w, struct hyb_check_thread *t)
{
	struct hyb_need *n;
	int ret = 0;
	bool any;

	for (n = t->needs; !ret && n < t->needs + t->need_count; n++) {
		n->set = set_of(w, t, n, &any);
		n->one = any;
		if (n->set != HYB_GRAPH_NONE)
			ret = hyb_graph_wait(&w->c->graph, t->node, n->set, !any);
	}
	return ret ? ret : w->err;
}

static int add_thread(struct hyb_check *c, struct hyb_check_thread *t)
{
	const struct hyb_model_process *p = &c->model.processes[t->process];
	enum hyb_graph_state state = HYB_GRAPH_FREE;

	if (hyb_check_is_over(c, p))
		state = HYB_GRAPH_ENDED;
	else if (t->need_count && !t->polls)
		state = HYB_GRAPH_WAITS;
	t->node = hyb_graph_add(&c->graph, p->group, state);
	return t->node == HYB_GRAPH_NONE ? -ENOMEM : 0;
}

static int add_nodes(struct hyb_check *c)
{
	const struct hyb_model *m = &c->model;
	uint32_t place;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < c->thread_count; i++) {
		c->threads[i].node = HYB_GRAPH_NONE;
		if (m->processes[c->threads[i].process].ranked && !c->threads[i].held)
			ret = add_thread(c, &c->threads[i]);
	}
	/* Nobody knows what those do of whom there is no trace. */
	for (place = 0; !ret && place < c->graph.process_count; place++)
		if (c->graph.processes[place].nodes == HYB_GRAPH_NONE &&
		    hyb_graph_add(
			    &c->graph, place,
			    hyb_check_process_of(c, place) &&
					    hyb_check_is_over(c, hyb_check_process_of(c, place))
				    ? HYB_GRAPH_ENDED
				    : HYB_GRAPH_FREE) == HYB_GRAPH_NONE)
			ret = -ENOMEM;
	return ret;
}

static int by_destination(const void *a, const void *b)
{
	const struct hyb_channel *x = *(const struct hyb_channel *const *)a,
				 *y = *(const struct hyb_channel *const *)b;

	return (x->destination > y->destination) - (x->destination < y->destination);
}

static int find_pending(struct hyb_check *c)
{
	const struct hyb_table *channels = &c->tally.channels;
	const struct hyb_channel *channel;
	uint32_t i;

	c->pending = calloc(channels->count + 1, sizeof(*c->pending));
	if (!c->pending)
		return -ENOMEM;
	for (i = 0; i < channels->count; i++) {
		channel = hyb_table_at(channels, i);
		if (channel->sends > channel->receives)
			c->pending[c->pending_count++] = channel;
	}
	qsort(c->pending, c->pending_count, sizeof(*c->pending), by_destination);
	return 0;
}

int hyb_check_wait(struct hyb_check *c)
{
	struct waits w = { .c = c };
	struct hyb_check_thread *t;
	size_t i;
	int ret = hyb_graph_init(&c->graph, (size_t)c->model.ranks + c->model.comms.holes + 1);

	HYB_TABLE_KEYED(&w.lacks, struct lack, nth);
	if (!ret)
		ret = find_pending(c);
	if (!ret)
		ret = add_nodes(c);
	for (i = 0; !ret && i < c->thread_count; i++) {
		t = &c->threads[i];
		for (size_t k = 0; k < t->need_count; k++)
			t->needs[k].set = HYB_GRAPH_NONE;
		if (t->node == HYB_GRAPH_NONE || c->graph.nodes[t->node].state == HYB_GRAPH_ENDED)
			continue;
		ret = t->any ? wait_for_any(&w, t) : wait_for_all(&w, t);
	}
	if (!ret)
		ret = hyb_graph_settle(&c->graph);
	free(w.places);
	hyb_table_free(&w.lacks);
	return ret;
}
