/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of a run as each thread writes it; see order.h. */
#include "core/outcomes/order.h"

#include <pthread.h>
#include <string.h>

#include "core/config/config.h"
#include "core/sys/memory.h"
#include "core/sys/stack.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "core/record/copied.h"
#include "core/outcomes/identity.h"
#include "core/record/manifest.h"
#include "core/record/recorder.h"
#include "core/outcomes/turns.h"

__thread struct hyb_order *hyb_order_self __attribute__((tls_model("initial-exec")));

/* Nothing more is written. */
static void stop(struct hyb_order *order)
{
	order->lost = true;
	order->filled = 0;
	order->pending = NULL;
}

/* A child made by fork shares the manifest, and has nothing to say. */
void hyb_order_lose(struct hyb_order *order, int err)
{
	stop(order);
	if (hyb_recorder_is_recording())
		hyb_manifest_set("order-lost", "%s", hyb_text_errno(-err));
}

/* Of threads but the main one it is not known which is which in a replay. */
static void begin_calls(struct hyb_order *order)
{
	struct hyb_order_calls *calls = &order->calls;

	calls->noise = hyb_config.noise;
	calls->within = 1;
	calls->unseen = 1;
	if (order->number || (hyb_config.order == HYB_ORDER_WISH_NO && !order->replays))
		return;
	calls->expected = hyb_alloc_apart(sizeof(*calls->expected) << HYB_ORDER_EXPECTED_BITS);
	calls->within = !calls->expected;
	calls->unseen = calls->within;
}

static void tell_identity(struct hyb_order *order)
{
	static uint64_t others;

	order->identity = hyb_identity_make();
	if (!order->identity)
		order->identity = 2 * __atomic_add_fetch(&others, 1, __ATOMIC_RELAXED);
	if (order->replays || hyb_config.order == HYB_ORDER_WISH_NO)
		return;
	hyb_order_number(order, HYB_ORDER_THREAD << HYB_ORDER_KIND_BITS | HYB_ORDER_OTHER);
	hyb_order_number(order, order->identity);
}

/* Threads may come and go: one takes what another has left. */
static struct hyb_order *ended;
static int ended_lock;
static pthread_key_t at_exit;
static bool has_exit;

static void close_stream(void *data)
{
	struct hyb_order *order = data;

	hyb_stream_close(&order->stream, &order->writer);
}

/* The thread ends. */
static void end_thread(void *data)
{
	struct hyb_order *order = data;
	uint64_t signals;

	hyb_order_self = NULL;
	/* In a replay others look at it: core/outcomes/turns.c. */
	if (order->replays || hyb_copied() || !hyb_recorder_is_recording())
		return;
	if (order->nos)
		hyb_order_put_nos(order);
	stop(order);
	hyb_stack_run(close_stream, order);
	/* Others may complete its receives. */
	if (order->posts)
		return;
	hyb_sys_lock(&ended_lock, &signals);
	order->next = ended;
	ended = order;
	hyb_sys_unlock(&ended_lock, &signals);
}

static void make_exit(void)
{
	has_exit = !pthread_key_create(&at_exit, end_thread);
}

static struct hyb_order *take_ended(void)
{
	struct hyb_order *order;
	uint64_t signals;

	hyb_sys_lock(&ended_lock, &signals);
	order = ended;
	if (order)
		ended = order->next;
	hyb_sys_unlock(&ended_lock, &signals);
	if (order)
		memset(order, 0, sizeof(*order));
	return order;
}

/* So that it ends with its thread; the main thread's ends with the process. */
static void watch_end(struct hyb_order *order)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_exit);
	if (has_exit)
		pthread_setspecific(at_exit, order);
}

struct hyb_order *hyb_order_make(void)
{
	/* Without memory nothing of the order is recorded, and threads share one that is lost. */
	static struct hyb_order none = { .lost = true };
	static unsigned int last_number;
	struct hyb_order *order = take_ended();

	if (!order)
		order = hyb_alloc_apart(sizeof(*order));
	if (!order) {
		hyb_order_lose(&none, -ENOMEM);
		return &none;
	}
	order->tid = (int)HYB_SYS(gettid, 0, 0, 0, 0, 0, 0);
	if (HYB_SYS(getpid, 0, 0, 0, 0, 0, 0) != order->tid)
		order->number = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
	order->tag = -1;
	order->replays = *hyb_config.replay != 0;
	order->stream.kind = HYB_STREAM_ORDER;
	order->stream.number = order->number;
	hyb_text_format(order->stream.name, sizeof(order->stream.name), "order-%u.hyb", order->number);
	begin_calls(order);
	hyb_order_self = order;
	if (order->number) {
		watch_end(order);
		tell_identity(order);
	}
	return order;
}

struct extension {
	struct hyb_order *order;
	int err;
};

static void extend(void *data)
{
	struct extension *extension = data;
	struct hyb_order *order = extension->order;

	extension->err = hyb_stream_extend(&order->stream, &order->writer, hyb_counter());
	if (extension->err || order->replays)
		return;
	order->pending = (struct hyb_order_pending *)((char *)order->stream.file + HYB_ORDER_PENDING_AT);
	order->pending->nos = order->all_nos;
}

/* Room for another word; false once anything was lost. */
static bool has_room(struct hyb_order *order)
{
	struct hyb_thread *w = &order->writer;
	struct extension extension = { .order = order, .err = -ESRCH };

	if (hyb_likely(w->end && w->pos < w->end))
		return true;
	if (hyb_recorder_is_recording())
		hyb_stack_run(extend, &extension);
	order->filled = 0;
	if (extension.err)
		hyb_order_lose(order, extension.err);
	return !extension.err;
}

void hyb_order_new_word(struct hyb_order *order, uint64_t byte)
{
	struct hyb_thread *w = &order->writer;

	if (order->lost || !has_room(order))
		return;
	*w->pos++ = byte;
	order->filled = 1;
	__atomic_store_n(&w->chunk->used, (uint64_t)(w->pos - (uint64_t *)(w->chunk + 1)), __ATOMIC_RELEASE);
}

void hyb_order_put_nos(struct hyb_order *order)
{
	const uint64_t nos = order->nos;

	order->nos = 0;
	hyb_order_number(order, (nos - 1) << HYB_ORDER_KIND_BITS | HYB_ORDER_NO);
}

/* What was matched at the front makes room, or new memory does. */
bool hyb_order_hold(struct hyb_order *order)
{
	const uint64_t count = order->open.end - order->open.first;
	uint64_t *numbers = order->open.numbers;

	if (order->open.first < order->open.room / 2 || !order->open.room) {
		numbers = hyb_alloc((order->open.room * 2 + 64) * sizeof(*numbers));
		if (!numbers) {
			hyb_order_lose(order, -ENOMEM);
			return false;
		}
		order->open.room = order->open.room * 2 + 64;
	}
	if (count)
		memmove(numbers, order->open.numbers + order->open.first, count * sizeof(*numbers));
	order->open.numbers = numbers;
	order->open.first = 0;
	order->open.end = count;
	return true;
}

/* How many open ones are older than that one, which is open no more. */
static uint64_t close_post(struct hyb_order *order, uint64_t post)
{
	uint64_t *open = order->open.numbers;
	uint64_t low = order->open.first;
	uint64_t high = order->open.end;
	uint64_t older;

	if (hyb_likely(low < high && open[low] == post)) {
		order->open.first++;
		return 0;
	}
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (open[middle] < post)
			low = middle + 1;
		else
			high = middle;
	}
	older = low - order->open.first;
	memmove(open + order->open.first + 1, open + order->open.first, older * sizeof(*open));
	order->open.first++;
	return older;
}

void hyb_order_matched_late(struct hyb_order *order, uint64_t post, int source, int tag, bool any_tag)
{
	const uint64_t older = close_post(order, post);

	if (older) {
		hyb_order_outcome(order, HYB_ORDER_LATER, older);
		hyb_order_number(order, (uint64_t)source + 1);
		hyb_order_number(order, (uint64_t)tag + 1);
	} else if (any_tag && tag != order->tag) {
		hyb_order_outcome(order, HYB_ORDER_TAGGED, (uint64_t)source);
		hyb_order_number(order, (uint64_t)tag + 1);
		order->tag = tag;
	} else {
		hyb_order_outcome(order, HYB_ORDER_MATCHED, (uint64_t)source);
	}
}

void hyb_order_ended(struct hyb_order *order, uint64_t post, enum hyb_order_other how)
{
	const uint64_t older = close_post(order, post);

	hyb_order_outcome(order, HYB_ORDER_OTHER, how);
	hyb_order_number(order, older + 1);
}

void hyb_order_foreign(struct hyb_order *order, unsigned int owner, uint64_t post, int source, int tag)
{
	hyb_order_outcome(order, HYB_ORDER_OTHER, HYB_ORDER_FOREIGN);
	hyb_order_number(order, (uint64_t)owner + 1);
	hyb_order_number(order, post + 1);
	hyb_order_number(order, (uint64_t)source + 1);
	hyb_order_number(order, (uint64_t)tag + 1);
}

static void put_signed(struct hyb_order *order, int64_t value)
{
	hyb_order_number(order, ((uint64_t)value << 1 ^ (uint64_t)(value >> 63)) + 1);
}

/* Tests that found nothing may be told after it: calls and outcomes are read apart. */
void hyb_order_call(struct hyb_order *order, unsigned int function, unsigned int count, const int64_t *values)
{
	struct hyb_order_calls *calls = &order->calls;

	hyb_order_number(order, HYB_ORDER_CALL << HYB_ORDER_KIND_BITS | HYB_ORDER_OTHER);
	hyb_order_number(order, calls->count - calls->written);
	calls->written = calls->count;
	hyb_order_number(order, function + 1);
	hyb_order_number(order, count + 1);
	for (unsigned int i = 0; i < count; i++)
		put_signed(order, values[i]);
}

static void end_calls(struct hyb_order *order)
{
	if (!order->calls.count)
		return;
	hyb_order_number(order, HYB_ORDER_CALLS_END << HYB_ORDER_KIND_BITS | HYB_ORDER_OTHER);
	hyb_order_number(order, order->calls.count - order->calls.written + 1);
}

void hyb_orders_end(uint64_t turns)
{
	struct hyb_order *order = hyb_order_self;

	if (!order || (!order->stream.file && (order->replays || !turns)))
		return;
	if (order->nos)
		hyb_order_put_nos(order);
	if (!order->replays)
		end_calls(order);
	if (!order->replays && turns) {
		hyb_order_number(order, HYB_ORDER_TURNS_END << HYB_ORDER_KIND_BITS | HYB_ORDER_OTHER);
		hyb_order_number(order, turns + 1);
	}
	stop(order);
	hyb_stream_close(&order->stream, &order->writer);
}
