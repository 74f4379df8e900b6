/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which threads come to what they compete for; see turns.h. */
#include "record/turns.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "base/log.h"
#include "record/order.h"

#define PATIENCE 10 /* s, until a thread that waits for its turn says so */

bool hyb_turns_on;
bool hyb_turns_openmp;
struct hyb_turns_followed hyb_turns_followed;

static struct {
	pthread_mutex_t lock;
	pthread_cond_t next_one;
	uint64_t taken; /* in a replay changed with the lock only */
	const struct hyb_replay_turn *turns;
	uint64_t count;
	uint64_t at; /* of turns: whose it is */
	uint64_t all;
	bool said;
} turns = { .lock = PTHREAD_MUTEX_INITIALIZER, .next_one = PTHREAD_COND_INITIALIZER };

void hyb_turns_start(const struct hyb_replay_turn *recorded, uint64_t count, uint64_t all, bool mpi)
{
	turns.turns = recorded;
	turns.count = count;
	turns.all = all;
	hyb_turns_on = mpi;
	__atomic_store_n(&hyb_turns_openmp, true, __ATOMIC_RELEASE);
}

uint64_t hyb_turns_taken(void)
{
	return __atomic_load_n(&turns.taken, __ATOMIC_RELAXED);
}

/* Whose turn it is: number of the thread as it was recorded. */
static uint32_t whose(void)
{
	while (turns.at + 1 < turns.count && turns.turns[turns.at + 1].first <= turns.taken)
		turns.at++;
	return turns.turns[turns.at].thread;
}

/* Threads that the recording does not know, and all after its end, are free. */
static bool is_free(const struct hyb_order *order)
{
	return order->recorded_as == HYB_ORDER_NOBODY || turns.taken >= turns.all || !turns.count;
}

static void say(const struct hyb_order *order)
{
	turns.said = true;
	hyb_log(HYB_LOG_WARNING, "replay: thread %u waits for thread %u to send, receive or take a lock or chunk of OpenMP's, as it "
		"did when this was recorded; if that does other work now (tasks, locks of others), it waits for ever",
		order->recorded_as, whose());
}

static void wait_for_turn(const struct hyb_order *order)
{
	uint64_t seen = turns.taken;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE;
	while (!is_free(order) && whose() != order->recorded_as) {
		if (pthread_cond_timedwait(&turns.next_one, &turns.lock, &until) != ETIMEDOUT)
			continue;
		if (seen == turns.taken && !turns.said)
			say(order);
		seen = turns.taken;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += PATIENCE;
	}
}

void hyb_turn_begin(struct hyb_order *order)
{
	pthread_mutex_lock(&turns.lock);
	if (order->replays)
		wait_for_turn(order);
}

/* A turn is taken. What comes after the same thread's last one goes without saying. */
static void record(struct hyb_order *order)
{
	const uint64_t number = __atomic_fetch_add(&turns.taken, 1, __ATOMIC_RELAXED);
	const bool follows = order->turns_end && number == order->turns_end;

	order->turns_end = number + 1;
	if (hyb_likely(follows))
		return;
	hyb_order_number(order, HYB_ORDER_TURN << HYB_ORDER_KIND_BITS | HYB_ORDER_OTHER);
	hyb_order_number(order, number - order->turn + 1);
	order->turn = number;
}

/* In a replay, with the lock held. */
static void follow(const struct hyb_order *order)
{
	if (order->recorded_as == HYB_ORDER_NOBODY)
		return;
	__atomic_store_n(&turns.taken, turns.taken + 1, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&turns.next_one);
}

void hyb_turn_end(struct hyb_order *order, bool taken)
{
	if (taken && !order->replays)
		record(order);
	else if (taken)
		follow(order);
	pthread_mutex_unlock(&turns.lock);
}

void hyb_turn_await(struct hyb_order *order)
{
	if (!order->replays)
		return;
	pthread_mutex_lock(&turns.lock);
	wait_for_turn(order);
	pthread_mutex_unlock(&turns.lock);
}

void hyb_turn_take(struct hyb_order *order)
{
	if (!order->replays) {
		record(order);
		return;
	}
	pthread_mutex_lock(&turns.lock);
	follow(order);
	pthread_mutex_unlock(&turns.lock);
}
