/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective operation of one member, to be compared with those of others. */
#include <errno.h>

#include "analysis/check/check.h"
#include "reader/containers/array.h"

bool hyb_operation_settle(const struct hyb_comms *comms, uint32_t comm, struct hyb_operation *o)
{
	const struct hyb_gcomm *g = hyb_comms_at(comms, comm);
	const struct hyb_group *group;

	if (g->kind == HYB_COMM_INTER)
		o->root = -1;
	if (g->kind == HYB_COMM_INTER || o->op != HYB_COLL_BCAST || o->nonblocking)
		return true;
	group = hyb_comms_group(comms, g->group[0]);
	if (o->root >= 0 && (uint32_t)o->root < group->count &&
	    group->members[o->root] == o->member)
		o->bytes = o->sent / group->count;
	else
		o->bytes = o->received;
	return o->sent != HYB_BYTES_UNKNOWN && o->received != HYB_BYTES_UNKNOWN;
}

uint64_t hyb_operation_hash(const struct hyb_operation *o)
{
	return hyb_mix((uint64_t)o->op << 33 | (uint64_t)o->nonblocking << 32 | (uint32_t)o->root) +
	       o->bytes;
}

int hyb_probe_add(struct hyb_probe *p, struct hyb_sequence *s, const struct hyb_operation *o)
{
	struct hyb_operation *grown;
	uint64_t at;

	s->hash = hyb_mix(hyb_mix(s->hash) + hyb_operation_hash(o));
	s->count++;
	at = s->count > p->from ? s->count - p->from : 0;
	if (at && at % p->stride == 0 && at / p->stride <= HYB_SEQUENCE_MARKS)
		s->marks[at / p->stride - 1] = s->hash;
	if (s->count != p->to)
		return 0;
	grown = hyb_array_room(p->operations, &p->operation_room, p->operation_count,
			       sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	p->operations = grown;
	grown[p->operation_count++] = *o;
	return 0;
}
