/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are not the expected ones; see calls.h. */
#include "pmpi/adapter/order/calls.h"

#include <string.h>

#include "core/sys/memory.h"
#include "core/sys/text.h"
#include "pmpi/adapter/order/replay.h"
#include "pmpi/entry/mpi-process.h"

#define NO_FUNCTION 0	/* in an entry: the thread made no more calls */

/* A call as a recording has it. */
struct call {
	uint64_t function;
	unsigned int count;
	int64_t values[HYB_ORDER_VALUES];
};

/* What a thread follows: struct hyb_replay_thread's calls from the next that is not the expected one on. */
struct follows {
	const unsigned char *begin;
	const unsigned char *at;
	const unsigned char *end;
	struct call next;	/* call number hyb_order_calls.next */
};

uint64_t hyb_calls_sizes[HYB_CALLS_SIZES];
bool hyb_calls_noted[HYB_MPI_FUNCTIONS];

struct hyb_order *hyb_calls_begin(unsigned int function, unsigned int count, HYB_ORDER_CALL_VALUES)
{
	struct hyb_order *order = hyb_calls_see(function, count, HYB_ORDER_THESE_VALUES);

	order->calls.within++;
	return order;
}

int64_t hyb_calls_asked_size(MPI_Datatype type)
{
	uint64_t *place = hyb_calls_size_place(type);
	const uint64_t derived = hyb_calls_size_key(type) | HYB_CALLS_DERIVED;
	int combiner = MPI_UNDEFINED;
	int size = 0;
	int n[3];

	if (type == MPI_DATATYPE_NULL)
		return 0;
	PMPI_Type_size(type, &size);
	/* A handle of a derived type never becomes one of a predefined type. */
	if (__atomic_load_n(place, __ATOMIC_RELAXED) == derived)
		return size;
	PMPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &combiner);
	if (combiner == MPI_COMBINER_NAMED && size >= 0 && size < HYB_CALLS_DERIVED)
		__atomic_store_n(place, hyb_calls_size_key(type) | (uint64_t)size, __ATOMIC_RELAXED);
	else
		__atomic_store_n(place, derived, __ATOMIC_RELAXED);
	return size;
}

static uint64_t read_number(const unsigned char **at, const unsigned char *end)
{
	uint64_t number = 0;

	for (unsigned int shift = 0; *at < end && shift < 64; shift += 7) {
		const unsigned char byte = *(*at)++;

		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
	return 0;
}

/* An entry: how many calls after the last entry's it is; 0: there are no more. */
static uint64_t read_call(const unsigned char **at, const unsigned char *end, struct call *call)
{
	const uint64_t steps = read_number(at, end);

	*call = (struct call){ .function = read_number(at, end) };
	if (!call->function--)
		return 0;
	if (call->function == NO_FUNCTION)
		return steps;
	call->count = (unsigned int)read_number(at, end) - 1;
	for (unsigned int i = 0; i < call->count && i < HYB_ORDER_VALUES; i++) {
		const uint64_t folded = read_number(at, end) - 1;

		call->values[i] = (int64_t)(folded >> 1) ^ -(int64_t)(folded & 1);
	}
	return call->count <= HYB_ORDER_VALUES ? steps : 0;
}

static uint64_t hash_of(const struct call *call)
{
	const int64_t *v = call->values;

	return hyb_order_call_hash(call->function, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
}

/* The next word of a list into `word`; what comes after it. */
static const char *next_word(const char *list, char *word, size_t size)
{
	size_t length;

	list += *list == ' ';
	length = strcspn(list, " ");
	hyb_text_format(word, length < size ? length + 1 : size, "%s", list);
	return list + length;
}

/* As it stands in a program: MPI_Send(count 4, datatype of 8 bytes, dest 1, tag 3). */
static void describe(char *text, size_t size, const struct call *call)
{
	const char *names = call->function < HYB_MPI_FUNCTIONS ? hyb_calls_names[call->function] : NULL;
	static const char *const negative[] = { "any", "MPI_PROC_NULL", "MPI_ROOT" };	/* as hyb_calls_rank has them */
	char *const end = text + size;
	char word[64];

	if (!names) {
		hyb_text_format(text, size, "another function");
		return;
	}
	names = next_word(names, word, sizeof(word));
	text += hyb_text_format(text, size, "%s(", word);
	for (unsigned int i = 0; i < call->count && text < end; i++) {
		names = next_word(names, word, sizeof(word));
		if (call->values[i] < 0 && call->values[i] >= -3)
			text += hyb_text_format(text, (size_t)(end - text), "%s%s %s", i ? ", " : "", word,
						negative[-1 - call->values[i]]);
		else
			text += hyb_text_format(text, (size_t)(end - text), strstr(word, "type") ? "%s%s of %lld bytes" : "%s%s %lld",
						i ? ", " : "", word, (long long)call->values[i]);
	}
	if (text < end)
		hyb_text_format(text, (size_t)(end - text), ")");
}

/* The call that has this hash: it was written down when it first came. */
static bool find_call(const struct follows *f, uint64_t hash, struct call *call)
{
	for (const unsigned char *at = f->begin; read_call(&at, f->end, call);) {
		if (call->function != NO_FUNCTION && hash_of(call) == hash)
			return true;
	}
	return false;
}

static void differs(const struct hyb_order *order, const struct call *now, const struct call *then)
{
	char what[320];
	char recorded[320];

	describe(what, sizeof(what), now);
	if (then->function == NO_FUNCTION)
		hyb_text_format(recorded, sizeof(recorded), "the thread was at its end");
	else
		describe(recorded, sizeof(recorded), then);
	hyb_replay_differs(order->calls.count, what, recorded);
}

/* Nothing is known of what comes. */
static void follow_no_more(struct hyb_order_calls *calls)
{
	calls->next = 0;
	calls->within++;
	calls->unseen++;
}

static struct follows *begin(struct hyb_order *order)
{
	struct follows *f = hyb_alloc(sizeof(*f));

	if (!f || !hyb_replay_calls(&f->begin, &f->end)) {
		follow_no_more(&order->calls);
		return NULL;
	}
	f->at = f->begin;
	order->calls.next = read_call(&f->at, f->end, &f->next);
	order->calls.follows = f;
	return f;
}

static void compare(struct hyb_order *order, uint64_t *slot, uint64_t hash, const struct call *now)
{
	struct hyb_order_calls *calls = &order->calls;
	struct follows *f = calls->follows ? calls->follows : begin(order);
	struct call then;
	uint64_t steps;

	if (!f)
		return;
	if (hyb_replay_is_over(order)) {
		follow_no_more(calls);
	} else if (calls->count != calls->next) {
		/* What came after the last entry of a recording that was cut off was expected, all of it. */
		if (!calls->next || !find_call(f, *slot, &then))
			follow_no_more(calls);
		else
			differs(order, now, &then);
	} else {
		if (f->next.function == NO_FUNCTION || hash_of(&f->next) != hash)
			differs(order, now, &f->next);
		*slot = hash;
		steps = read_call(&f->at, f->end, &f->next);
		calls->next = steps ? calls->count + steps : 0;
	}
}

void hyb_calls_unexpected(struct hyb_order *order, uint64_t *slot, uint64_t hash, unsigned int function,
			  unsigned int count, HYB_ORDER_CALL_VALUES)
{
	const struct call now = { .function = function, .count = count, .values = { HYB_ORDER_THESE_VALUES } };

	if (hyb_order_replays()) {
		compare(order, slot, hash, &now);
		return;
	}
	*slot = hash;
	hyb_order_call(order, function, count, now.values);
}

void hyb_calls_note_beyond(unsigned int function)
{
	if (!__atomic_exchange_n(&hyb_calls_noted[function], true, __ATOMIC_RELAXED) && !hyb_order_replays())
		hyb_mpi_process_beyond(hyb_calls_names[function]);
}
