/* SPDX-License-Identifier: BSD-3-Clause */
/* All calls of a thread, of those that were written down; see replay.h. The rule is that of format/order.h. */
#include <errno.h>
#include <stdlib.h>

#include "reader/containers/table.h"
#include "analysis/replay/replay.h"
#include "pmpi/table/functions.h"

#define FOR_EVER UINT64_MAX

struct known {
	uint64_t hash;
	struct hyb_replay_call call;
};

struct hyb_replay_calls {
	const unsigned char *at;
	const unsigned char *end;
	uint64_t *expected;
	struct hyb_table known;	/* of all calls so far */
	uint64_t last;
	uint64_t before;
	uint64_t left;		/* expected ones before the next that was written down; FOR_EVER: after the last one */
	struct hyb_replay_call next;
	bool ends;		/* there is none after those that are left */
};

static uint64_t read_number(struct hyb_replay_calls *c)
{
	uint64_t number = 0;

	for (unsigned int shift = 0; c->at < c->end && shift < 64; shift += 7) {
		const unsigned char byte = *c->at++;

		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
	return 0;
}

/* The next entry. 0 or -EINVAL. */
static int read_entry(struct hyb_replay_calls *c)
{
	uint64_t function;

	if (c->at == c->end) {
		c->left = FOR_EVER;
		return 0;
	}
	c->left = read_number(c) - 1;
	function = read_number(c);
	c->ends = function == 1;
	if (c->ends)
		return 0;
	c->next = (struct hyb_replay_call){ .function = function - 1, .count = (unsigned int)read_number(c) - 1 };
	if (!function || c->next.count > HYB_ORDER_VALUES)
		return -EINVAL;
	for (unsigned int i = 0; i < c->next.count; i++) {
		const uint64_t folded = read_number(c) - 1;

		c->next.values[i] = (int64_t)(folded >> 1) ^ -(int64_t)(folded & 1);
	}
	return 0;
}

static uint64_t hash_of(const struct hyb_replay_call *call)
{
	const int64_t *v = call->values;

	return hyb_order_call_hash(call->function, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
}

struct hyb_replay_calls *hyb_replay_calls_open(const struct hyb_replay_order *order)
{
	struct hyb_replay_calls *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->expected = calloc(UINT64_C(1) << HYB_ORDER_EXPECTED_BITS, sizeof(*c->expected));
	if (!c->expected) {
		free(c);
		return NULL;
	}
	HYB_TABLE_KEYED(&c->known, struct known, hash);
	c->at = order->calls;
	c->end = order->calls ? order->calls + order->call_bytes : NULL;
	c->ends = !c->at;
	return c;
}

static int know(struct hyb_replay_calls *c, uint64_t hash)
{
	struct known *known = hyb_table_get(&c->known, &hash);

	if (!known)
		return -ENOMEM;
	*known = (struct known){ .hash = hash, .call = c->next };
	return 0;
}

/* One that was written down: `next`. */
static int take_entry(struct hyb_replay_calls *c, uint64_t *slot, struct hyb_replay_call *call)
{
	int err;

	*slot = hash_of(&c->next);
	*call = c->next;
	err = know(c, *slot);
	return err ? err : read_entry(c);
}

int hyb_replay_calls_next(struct hyb_replay_calls *c, struct hyb_replay_call *call)
{
	uint64_t *slot = &c->expected[hyb_order_expected_place(c->last, c->before)];
	const struct known *known;
	int err = 0;

	/* The very first */
	if (!c->known.count && !c->ends)
		err = read_entry(c);
	if (err)
		return err;
	if (!c->left && c->ends)
		return 0;
	if (!c->left) {
		err = take_entry(c, slot, call);
	} else {
		known = hyb_table_look(&c->known, slot);
		if (!known)
			return c->left == FOR_EVER ? 0 : -EINVAL;
		*call = known->call;
		c->left -= c->left != FOR_EVER;
	}
	c->before = c->last;
	c->last = *slot;
	return err ? err : 1;
}

void hyb_replay_calls_close(struct hyb_replay_calls *c)
{
	if (!c)
		return;
	hyb_table_free(&c->known);
	free(c->expected);
	free(c);
}

/* Places of the values: as src/pmpi/table/gen-calls.awk takes them from MPI's arguments. */
enum hyb_replay_posts hyb_replay_call_posts(const struct hyb_replay_call *call, int64_t *source, int64_t *tag,
					    const char **function)
{
	enum hyb_replay_posts posts = HYB_REPLAY_POSTS_NOW;
	unsigned int place;

	switch (call->function) {
#define RECEIVES(name, at) \
	case HYB_F_MPI_##name: \
	case HYB_F_MPI_##name##_c: \
		*function = call->function == HYB_F_MPI_##name ? "MPI_" #name : "MPI_" #name "_c"; \
		place = at; \
		break;
	RECEIVES(Recv, 2)
	RECEIVES(Irecv, 2)
	RECEIVES(Sendrecv, 6)
	RECEIVES(Sendrecv_replace, 4)
	RECEIVES(Recv_init, 2)
#undef RECEIVES
	default:
		return HYB_REPLAY_POSTS_NONE;
	}
	if (call->function == HYB_F_MPI_Recv_init || call->function == HYB_F_MPI_Recv_init_c)
		posts = HYB_REPLAY_POSTS_LATER;
	*source = call->values[place];
	*tag = call->values[place + 1];
	return posts;
}
