/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which threads come to what they compete for; see turns.h. */
#include "core/outcomes/turns.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "core/sys/alive.h"
#include "core/config/config.h"
#include "core/sys/log.h"
#include "core/outcomes/order.h"

#define PATIENCE 10 /* s, until a thread that waits for its turn says so */

#define LEAST_NS 100000000 /* of CPU time, while others waited for so long: it does not wait itself */

bool hyb_turns_on;
bool hyb_turns_openmp;

static struct {
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t next_one;
	struct hyb_turns known;
	uint64_t taken;
	uint64_t at; /* of known.recorded: whose turn it is */
	struct hyb_order *threads; /* in a replay: those that have asked for a turn */
	bool said;
} turns = { .lock = PTHREAD_MUTEX_INITIALIZER, .next_one = PTHREAD_COND_INITIALIZER };

void hyb_turns_start(const struct hyb_turns *known)
{
	turns.known = *known;
	hyb_turns_on = known->mpi;
	__atomic_store_n(&hyb_turns_openmp, known->openmp, __ATOMIC_RELEASE);
}

void hyb_turns_join(void)
{
	turns.known.join();
}

/* Whoever ends the process may do it in a turn, as where MPI aborts in a send: nobody waits for the lock then. */
uint64_t hyb_turns_end(void)
{
	const bool locked = !pthread_mutex_trylock(&turns.lock);
	const uint64_t taken = __atomic_load_n(&turns.taken, __ATOMIC_RELAXED);

	__atomic_store_n(&hyb_turns_openmp, false, __ATOMIC_RELAXED);
	if (locked)
		pthread_mutex_unlock(&turns.lock);
	return taken;
}

/* Whose turn it is: number of the thread as it was recorded. */
static uint32_t whose(void)
{
	const struct hyb_replay_turn *recorded = turns.known.recorded;

	while (turns.at + 1 < turns.known.count && recorded[turns.at + 1].first <= turns.taken)
		turns.at++;
	return recorded[turns.at].thread;
}

/* Threads that the recording does not know, and all after its end, are free. */
static bool is_free(const struct hyb_order *order)
{
	return order->recorded_as == HYB_ORDER_NOBODY || turns.taken >= turns.known.all || !turns.known.count;
}

/* CPU time of the thread whose turn it is, or of the process if it has not come so far; ns. */
static uint64_t its_time(void)
{
	const struct hyb_order *order = turns.threads;
	clockid_t clock = CLOCK_PROCESS_CPUTIME_ID;
	struct timespec time = { 0 };

	while (order && order->recorded_as != whose())
		order = order->next;
	/* As pthread_getcpuclockid makes it: the thread's number, then that it is a thread's, and what it ran. */
	if (order)
		clock = (clockid_t)(~(unsigned int)order->tid << 3 | 4 | 2);
	if (clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static void say(const struct hyb_order *order)
{
	turns.said = true;
	hyb_log(HYB_LOG_WARNING, "replay: thread %u waits for thread %u to send, receive or take a lock or chunk of OpenMP's, as it "
		"did when this was recorded", order->recorded_as, whose());
}

/* Who waits for another thread cannot be waited for. */
static void give_up(void)
{
	hyb_log(HYB_LOG_WARNING, "replay: thread %u, whose turn it is, does something else than when this was recorded, and waits "
		"(tasks, or locks that are not OpenMP's): from here on threads run freely", whose());
	turns.known.all = turns.taken;
	pthread_cond_broadcast(&turns.next_one);
}

static void set_patience(struct timespec *until)
{
	clock_gettime(CLOCK_REALTIME, until);
	until->tv_sec += PATIENCE;
}

/* It is long after the time for which somebody waited. */
static bool was_stopped(const struct timespec *until)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec > until->tv_sec + 1;
}

static void wait_for_turn(struct hyb_order *order)
{
	uint64_t seen = turns.taken, time = 0;
	struct timespec until;

	if (!order->waits) {
		order->waits = true;
		order->next = turns.threads;
		turns.threads = order;
	}
	if (is_free(order) || whose() == order->recorded_as)
		return;
	time = its_time();
	set_patience(&until);
	while (!is_free(order) && whose() != order->recorded_as) {
		if (pthread_cond_timedwait(&turns.next_one, &turns.lock, &until) != ETIMEDOUT)
			continue;
		/*
		 * A debugger may have stopped all threads meanwhile, or hold the one whose turn it is, or another rank from
		 * which that one waits for a message. That may take as long as its user likes.
		 */
		if (*hyb_config.replay_gdb || hyb_alive_tracer() || was_stopped(&until))
			seen = UINT64_MAX;
		if (seen == turns.taken && its_time() - time < LEAST_NS)
			give_up();
		else if (seen == turns.taken && !turns.said)
			say(order);
		seen = turns.taken;
		time = its_time();
		set_patience(&until);
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
	const uint64_t number = turns.taken++;
	const bool follows = order->turns_end && number == order->turns_end;

	order->turns_end = number + 1;
	if (hyb_likely(follows))
		return;
	hyb_order_number(order, HYB_ORDER_TURN << HYB_ORDER_KIND_BITS | HYB_ORDER_OTHER);
	hyb_order_number(order, number - order->turn + 1);
	order->turn = number;
}

static void take(struct hyb_order *order)
{
	if (!order->replays) {
		record(order);
	} else if (order->recorded_as != HYB_ORDER_NOBODY) {
		turns.taken++;
		pthread_cond_broadcast(&turns.next_one);
	}
}

void hyb_turn_end(struct hyb_order *order, bool taken)
{
	if (taken)
		take(order);
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

/*
 * With the lock, so that no turn comes between what another thread does in its own and the number of that: what follows
 * from it has a later one.
 */
void hyb_turn_take(struct hyb_order *order)
{
	pthread_mutex_lock(&turns.lock);
	take(order);
	pthread_mutex_unlock(&turns.lock);
}

/* The next number of the recording's; 0: there is none. */
static uint64_t next_tries(struct hyb_order *order)
{
	uint64_t number = 0;

	for (unsigned int shift = 0; order->tries < order->tries_end && shift < 64; shift += 7) {
		const unsigned char byte = *order->tries++;

		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
	return 0;
}

enum hyb_turn_tried hyb_turn_tried(struct hyb_order *order)
{
	if (!order->tried)
		order->tried = next_tries(order);
	if (!order->tried)
		return HYB_TURN_TRIED_FREELY;
	return --order->tried ? HYB_TURN_TRIED_NO : HYB_TURN_TRIED_YES;
}

void hyb_turn_try(struct hyb_order *order, bool yes)
{
	order->tried++;
	if (!yes)
		return;
	hyb_order_number(order, HYB_ORDER_TRIED << HYB_ORDER_KIND_BITS | HYB_ORDER_OTHER);
	hyb_order_number(order, order->tried);
	order->tried = 0;
}
