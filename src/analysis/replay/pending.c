/* SPDX-License-Identifier: BSD-3-Clause */
/* The outcome of a call that did not come back: what MPI had put into the stream's file (format/order.h). */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "analysis/replay/replay.h"

#define LARGEST_STATUS 256
#define MOST_NOS (UINT64_C(1) << 48)	/* more is damaged */

/* The k-th status, if MPI has filled it, is of request i. */
static bool is_filled(const struct hyb_order_pending *p, uint32_t k, int32_t *source, int32_t *tag)
{
	const unsigned char *status = p->statuses + (size_t)k * p->status_size;

	memcpy(source, status + p->source_at, sizeof(*source));
	memcpy(tag, status + p->tag_at, sizeof(*tag));
	return *source >= 0 && *tag >= 0;
}

static int match(struct hyb_replay_order *order, const struct hyb_order_pending *p, uint32_t k, uint32_t i, bool *any)
{
	int32_t source, tag;

	if (!is_filled(p, k, &source, &tag))
		return 0;
	*any = true;
	return p->posts[i] ? hyb_replay_order_matched(order, p->posts[i] - 1, source, tag) : 0;
}

/* What tests found nothing since the last entry: the program was told, and may have sent something for it. */
static int tell_nos(struct hyb_replay_order *order, const struct hyb_order_pending *p)
{
	const uint64_t left = p->nos - order->nos;
	const uint64_t nos = (left - 1) << HYB_ORDER_KIND_BITS | HYB_ORDER_NO;

	if (p->nos <= order->nos || left > MOST_NOS)
		return 0;
	return hyb_replay_order_told(order, &nos, 1);
}

static int take_all(struct hyb_replay_order *order, const struct hyb_order_pending *p)
{
	const uint64_t yes = HYB_ORDER_YES << HYB_ORDER_KIND_BITS | HYB_ORDER_OTHER;
	bool any = false;
	int err = 0;

	for (uint32_t i = 0; !err && i < p->requests; i++)
		err = match(order, p, i, i, &any);
	return !err && any && p->way == HYB_ORDER_PENDING_TEST ? hyb_replay_order_told(order, &yes, 1) : err;
}

/* Some, by their indices; all or none of them are believed. */
static int take_some(struct hyb_replay_order *order, const struct hyb_order_pending *p, uint32_t done)
{
	uint64_t numbers[HYB_ORDER_PENDING_REQUESTS + 1];
	int32_t source, tag;
	bool any = false;
	int err = 0;

	for (uint32_t k = 0; k < done; k++) {
		if (p->indices[k] < 0 || (uint32_t)p->indices[k] >= p->requests || !is_filled(p, k, &source, &tag))
			return 0;
		numbers[k + 1] = (uint64_t)p->indices[k] + 1;
	}
	for (uint32_t k = 0; !err && k < done; k++)
		err = match(order, p, k, (uint32_t)p->indices[k], &any);
	if (err || !any)
		return err;
	if (p->way == HYB_ORDER_PENDING_ANY) {
		numbers[0] = numbers[1] << HYB_ORDER_KIND_BITS | HYB_ORDER_INDEX;
		return hyb_replay_order_told(order, numbers, 1);
	}
	numbers[0] = (uint64_t)(done + 1) << HYB_ORDER_KIND_BITS | HYB_ORDER_SOME;
	return hyb_replay_order_told(order, numbers, done + 1);
}

static int take(struct hyb_replay_order *order, const struct hyb_order_pending *p)
{
	const uint32_t statuses = p->way == HYB_ORDER_PENDING_ANY ? 1 : p->requests;

	if (p->requests > HYB_ORDER_PENDING_REQUESTS || p->status_size < 8 || p->status_size > LARGEST_STATUS ||
	    statuses * p->status_size > sizeof(p->statuses) || p->source_at > p->status_size - 4 || p->tag_at > p->status_size - 4)
		return 0;
	switch (p->way) {
	case HYB_ORDER_PENDING_ALL:
	case HYB_ORDER_PENDING_TEST:
		return take_all(order, p);
	case HYB_ORDER_PENDING_ANY:
		return take_some(order, p, 1);
	case HYB_ORDER_PENDING_SOME:
		return p->done > 0 && (uint32_t)p->done <= p->requests ? take_some(order, p, (uint32_t)p->done) : 0;
	}
	return 0;
}

int hyb_replay_order_pending(struct hyb_replay_order *order, const char *path, uid_t owner)
{
	struct hyb_order_pending pending;
	const int fd = hyb_file_open(path, owner, INT64_MAX);
	ssize_t n;
	int err;

	if (fd < 0)
		return fd;
	n = pread(fd, &pending, sizeof(pending), HYB_ORDER_PENDING_AT);
	close(fd);
	if (n != sizeof(pending))
		return 0;
	err = tell_nos(order, &pending);
	if (!err)
		err = take(order, &pending);
	return err == -EINVAL ? 0 : err;
}
