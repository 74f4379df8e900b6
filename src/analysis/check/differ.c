/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What members of a communicator did differently: the n-th collective operation of each is the same one. Hashes of the
 * first n operations tell whether there is a difference; where it begins is found by reading the streams again, with
 * hashes that lie closer together. What a member stands in counts, too.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/check/check.h"

#define COMMS_SHOWN 4u

static bool is_sure(const struct hyb_check *c, const struct hyb_sequence *s)
{
	return !s->shared && !hyb_check_is_blurred_in(c, s->member, HYB_GROUP_COLL);
}

/* The operation that a member stands in. False: in none, or not all of it is known. */
static bool stands_in(const struct hyb_check *c, uint32_t comm, uint32_t member,
		      struct hyb_operation *o)
{
	const struct hyb_check_process *p =
		&c->processes[hyb_check_process_of(c, member) - c->model.processes];
	const struct hyb_check_thread *t;
	const struct hyb_need *n;

	for (t = &c->threads[p->first]; t < &c->threads[p->first + p->count]; t++) {
		n = t->needs;
		if (t->need_count != 1 || n->kind != HYB_NEED_COLL || n->begun || n->comm != comm)
			continue;
		*o = (struct hyb_operation){
			.member = member,
			.op = n->op,
			.root = n->root,
			.sent = n->sent,
			.received = n->received,
		};
		return hyb_operation_settle(&c->model.comms, comm, o);
	}
	return false;
}

/* With what a member stands in. */
static struct hyb_sequence with_last(const struct hyb_check *c, const struct hyb_sequence *s)
{
	struct hyb_sequence whole = *s;
	struct hyb_operation o;

	if (stands_in(c, s->comm, s->member, &o))
		hyb_sequence_add(&whole, hyb_operation_hash(&o));
	return whole;
}

/* Between which numbers the first difference between the first member and any other lies. False: there is none. */
static bool find_window(const struct hyb_check *c, struct hyb_probe *probe)
{
	struct hyb_sequence first, other;
	uint64_t same, differs;
	bool any = false, found = false;
	size_t i;

	for (i = 0; i < probe->sequence_count; i++) {
		if (!is_sure(c, probe->sequences[i]))
			continue;
		other = with_last(c, probe->sequences[i]);
		if (!any)
			first = other;
		any = true;
		if (!hyb_sequence_differs(&first, &other, &same, &differs) ||
		    (found && differs >= probe->to))
			continue;
		found = true;
		probe->from = same;
		probe->to = differs;
		probe->member = other.member;
		probe->first = first.member;
	}
	return found;
}

static int add_last(struct hyb_check *c, struct hyb_probe *probe, const struct hyb_sequence *read)
{
	struct hyb_sequence *s;
	struct hyb_operation o;

	if (read->comm != probe->comm || !is_sure(c, read) ||
	    !stands_in(c, read->comm, read->member, &o))
		return 0;
	s = hyb_tally_sequence(&probe->marks, read->comm, read->member);
	return s ? hyb_probe_add(probe, s, &o) : -ENOMEM;
}

static int read_all(struct hyb_check *c, struct hyb_probe *probe)
{
	int ret = 0;
	size_t i;

	hyb_tally_free(&probe->marks);
	probe->operation_count = 0;
	probe->stride = (probe->to - probe->from + HYB_SEQUENCE_MARKS - 1) / HYB_SEQUENCE_MARKS;
	for (i = 0; !ret && i < c->model.process_count; i++)
		if (c->model.processes[i].ranked)
			ret = hyb_check_read(c, i, probe);
	for (i = 0; !ret && i < probe->sequence_count; i++)
		ret = add_last(c, probe, probe->sequences[i]);
	return ret;
}

/* One reading with marks that lie closer; the window becomes smaller. */
static int narrow(struct hyb_check *c, struct hyb_probe *probe)
{
	const uint64_t from = probe->from;
	const struct hyb_sequence *a, *b;
	uint64_t n;
	int ret = read_all(c, probe);

	a = hyb_tally_find_sequence(&probe->marks, probe->comm, probe->first);
	b = hyb_tally_find_sequence(&probe->marks, probe->comm, probe->member);
	if (ret || !a || !b)
		return ret;
	for (n = 1; n <= HYB_SEQUENCE_MARKS && from + n * probe->stride < probe->to; n++) {
		if (from + n * probe->stride > a->count || from + n * probe->stride > b->count)
			break;
		if (a->marks[n - 1] != b->marks[n - 1]) {
			probe->to = from + n * probe->stride;
			return 0;
		}
		probe->from = from + n * probe->stride;
	}
	return 0;
}

static bool same_op(const struct hyb_operation *a, const struct hyb_operation *b)
{
	return a->op == b->op && a->root == b->root && a->bytes == b->bytes &&
	       a->nonblocking == b->nonblocking;
}

static void put_op(FILE *to, const struct hyb_operation *op)
{
	fprintf(to, op->nonblocking ? "%s, non-blocking" : "%s", hyb_say_operation(op->op));
	if (op->root >= 0)
		fprintf(to, ", root %" PRId32, op->root);
	if (op->op == HYB_COLL_BCAST && !op->nonblocking)
		fprintf(to, ", %" PRIu64 " bytes", op->bytes);
}

/* Each kind with its members. */
static void put_ops(const struct hyb_check *c, const struct hyb_probe *probe, FILE *to,
		    uint32_t *places)
{
	size_t i, k, n;

	for (i = 0; i < probe->operation_count; i++) {
		for (k = 0; k < i && !same_op(&probe->operations[k], &probe->operations[i]); k++)
			;
		if (k < i)
			continue;
		for (n = 0, k = i; k < probe->operation_count; k++)
			if (same_op(&probe->operations[k], &probe->operations[i]))
				places[n++] = probe->operations[k].member;
		fputs("  ", to);
		hyb_say_ranks(c, to, places, n);
		fputs(": ", to);
		put_op(to, &probe->operations[i]);
		fputc('\n', to);
	}
}

static int tell(struct hyb_check *c, const struct hyb_probe *probe)
{
	uint32_t *places = calloc(probe->operation_count + 1, sizeof(*places));
	char *text = NULL, comm[128];
	size_t size;
	FILE *to = places ? open_memstream(&text, &size) : NULL;

	if (!to) {
		free(places);
		return -ENOMEM;
	}
	fprintf(to, "collective operation %" PRIu64 " on %s is not the same in all members\n",
		probe->to, hyb_say_comm(c, probe->comm, comm, sizeof(comm)));
	put_ops(c, probe, to, places);
	free(places);
	if (fclose(to) || !text)
		return -ENOMEM;
	return hyb_check_add(c, HYB_FOUND_OPERATIONS, text);
}

static int differ(struct hyb_check *c, const struct hyb_sequence *const *sequences, size_t count)
{
	struct hyb_probe probe = { .comm = sequences[0]->comm,
				   .sequences = sequences,
				   .sequence_count = count };
	uint64_t width;
	int ret = 0;

	if (!find_window(c, &probe))
		return 0;
	hyb_tally_init(&probe.marks);
	while (!ret && probe.to - probe.from > 1) {
		width = probe.to - probe.from;
		ret = narrow(c, &probe);
		/* What grew meanwhile, or was overwritten. */
		if (probe.to - probe.from >= width)
			break;
	}
	if (!ret)
		ret = read_all(c, &probe);
	if (!ret && probe.operation_count)
		ret = tell(c, &probe);
	hyb_tally_free(&probe.marks);
	free(probe.operations);
	return ret ? ret : 1;
}

/* The operation that a member came to last: it stands in it, or has done it. */
static uint64_t last_of(const struct hyb_check *c, const struct hyb_sequence *s,
			struct hyb_operation *o)
{
	if (stands_in(c, s->comm, s->member, o))
		return s->count + 1;
	*o = s->last_operation;
	return s->stands ? 0 : s->count;
}

/* What a member deals with each other one, in bytes: one of two numbers, since its own part may stay in place. */
static bool amounts(const struct hyb_check *c, uint32_t comm, const struct hyb_operation *o,
		    uint64_t *amount)
{
	const struct hyb_gcomm *g = hyb_comms_at(&c->model.comms, comm);
	const struct hyb_group *group = g->kind == HYB_COMM_INTRA || g->kind == HYB_COMM_WORLD
						? hyb_comms_group(&c->model.comms, g->group[0])
						: NULL;
	const bool root = group && o->root >= 0 && (uint32_t)o->root < group->count &&
			  group->members[o->root] == o->member;
	uint64_t all = o->sent;

	if (!group || group->count < 2 || o->sent == HYB_BYTES_UNKNOWN ||
	    o->received == HYB_BYTES_UNKNOWN)
		return false;
	switch (o->op) {
	case HYB_COLL_ALLREDUCE:
	case HYB_COLL_ALLGATHER:
	case HYB_COLL_ALLTOALL:
	case HYB_COLL_REDUCE_SCATTER_BLOCK:
		break;
	case HYB_COLL_REDUCE:
	case HYB_COLL_GATHER:
		all = root ? o->received : o->sent * group->count;
		break;
	case HYB_COLL_SCATTER:
		all = root ? o->sent : o->received * group->count;
		break;
	default:
		return false;
	}
	amount[0] = all % group->count ? UINT64_MAX : all / group->count;
	amount[1] = all % (group->count - 1) ? UINT64_MAX : all / (group->count - 1);
	if (amount[0] == UINT64_MAX)
		amount[0] = amount[1];
	if (amount[1] == UINT64_MAX)
		amount[1] = amount[0];
	return amount[0] != UINT64_MAX;
}

static bool fit(const uint64_t *a, const uint64_t *b)
{
	return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

static int tell_amounts(struct hyb_check *c, const struct hyb_operation *a,
			const struct hyb_operation *b, uint32_t comm, uint64_t number)
{
	const struct hyb_operation *const both[] = { a, b };
	char *text = NULL, name[128];
	size_t size, i;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return -ENOMEM;
	fprintf(to, "collective operation %" PRIu64 " on %s has different sizes\n", number,
		hyb_say_comm(c, comm, name, sizeof(name)));
	for (i = 0; i < 2; i++)
		fprintf(to,
			"  rank %" PRIu32 ": %s, %" PRIu64 " bytes sent, %" PRIu64 " received\n",
			both[i]->member, hyb_say_operation(both[i]->op), both[i]->sent,
			both[i]->received);
	if (fclose(to) || !text)
		return -ENOMEM;
	return hyb_check_add(c, HYB_FOUND_SIZES, text);
}

/* Of the last operation that any member came to. */
static int compare_amounts(struct hyb_check *c, const struct hyb_sequence *const *sequences,
			   size_t count)
{
	uint64_t first[2], other[2], number = 0;
	struct hyb_operation a, b;
	bool any = false;
	size_t i;

	for (i = 0; i < count; i++)
		if (last_of(c, sequences[i], &b) > number)
			number = last_of(c, sequences[i], &b);
	for (i = 0; number && i < count; i++) {
		if (!is_sure(c, sequences[i]) || last_of(c, sequences[i], &b) != number ||
		    !amounts(c, sequences[i]->comm, &b, other))
			continue;
		if (any && a.op == b.op && a.nonblocking == b.nonblocking && !fit(first, other))
			return tell_amounts(c, &a, &b, sequences[i]->comm, number);
		if (!any)
			memcpy(first, other, sizeof(first));
		a = any ? a : b;
		any = true;
	}
	return 0;
}

/* Of members that have all come to their ends: how many operations they had. */
static int compare_counts(struct hyb_check *c, const struct hyb_sequence *const *sequences,
			  size_t count)
{
	const struct hyb_sequence *few = sequences[0], *many = few;
	const struct hyb_model_process *p;
	char *text = NULL, name[128];
	size_t size, i;
	FILE *to;

	for (i = 0; i < count; i++) {
		p = hyb_check_process_of(c, sequences[i]->member);
		if (p->end != HYB_END_NORMAL || !is_sure(c, sequences[i]) ||
		    c->processes[p - c->model.processes].errors)
			return 0;
		few = sequences[i]->count < few->count ? sequences[i] : few;
		many = sequences[i]->count > many->count ? sequences[i] : many;
	}
	if (few->count == many->count)
		return 0;
	to = open_memstream(&text, &size);
	if (!to)
		return -ENOMEM;
	fprintf(to,
		"rank %" PRIu32 " had %" PRIu64 " collective operations on %s, rank %" PRIu32
		" %" PRIu64 "\n",
		many->member, many->count, hyb_say_comm(c, many->comm, name, sizeof(name)),
		few->member, few->count);
	if (fclose(to) || !text)
		return -ENOMEM;
	return hyb_check_add(c, HYB_FOUND_COUNTS, text);
}

static int by_comm(const void *a, const void *b)
{
	const struct hyb_sequence *x = *(const struct hyb_sequence *const *)a,
				  *y = *(const struct hyb_sequence *const *)b;

	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	return (x->member > y->member) - (x->member < y->member);
}

int hyb_check_differ(struct hyb_check *c)
{
	const size_t count = c->tally.sequences.count;
	const struct hyb_sequence **s = calloc(count + 1, sizeof(*s));
	size_t i, k, told = 0;
	int ret = s ? 0 : -ENOMEM;

	for (i = 0; s && i < count; i++)
		s[i] = hyb_table_at(&c->tally.sequences, (uint32_t)i);
	if (s)
		qsort(s, count, sizeof(*s), by_comm);
	for (i = 0; ret >= 0 && i < count && (told < COMMS_SHOWN || c->options.all); i = k) {
		for (k = i + 1; k < count && s[k]->comm == s[i]->comm; k++)
			;
		ret = differ(c, s + i, k - i);
		told += ret > 0;
		if (!ret)
			ret = compare_amounts(c, s + i, k - i);
		if (!ret)
			ret = compare_counts(c, s + i, k - i);
	}
	free(s);
	return ret < 0 ? ret : 0;
}
