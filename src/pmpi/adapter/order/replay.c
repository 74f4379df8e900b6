/* SPDX-License-Identifier: BSD-3-Clause */
/* What a recording says that a thread comes to next; see replay.h. */
#include "pmpi/adapter/order/replay.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "core/config/config.h"
#include "core/config/library.h"
#include "core/sys/log.h"
#include "core/sys/memory.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "pmpi/entry/mpi-process.h"
#include "core/outcomes/turns.h"

struct hyb_replay {
	const struct hyb_replay_match *matches;
	uint64_t match_count;
	uint64_t last_known;	/* number + 1 of the last receive that got a message; 0: none did */
	const unsigned char *at;
	const unsigned char *end;
	const unsigned char *calls;
	uint64_t call_bytes;
	uint64_t nos;		/* tests that find nothing before the next outcome */
	uint64_t taken;		/* outcomes so far */
	bool ended;
};

static struct {
	const struct hyb_replay_header *header;	/* NULL: not read yet */
	const struct hyb_replay_thread *threads;
	uint32_t rank;
} file;

static void give_up(void) __attribute__((noreturn));

/* Launchers may throw away what a rank wrote just before it aborted: they get the time to pass it on. */
static void give_up(void)
{
	const struct timespec moment = { .tv_nsec = 200000000 };

	HYB_SYS(nanosleep, &moment, NULL, 0, 0, 0, 0);
	hyb_mpi_process_aborting(1);
	PMPI_Abort(MPI_COMM_WORLD, 1);
	__builtin_trap();
}

/* Of the program's, which called MPI: function+offset, or file+offset. */
static void describe_caller(char *text, size_t size)
{
	void *frames[32];
	const int count = backtrace(frames, 32);
	Dl_info own, info;

	hyb_text_format(text, size, "an unknown place");
	if (!dladdr((void *)(uintptr_t)describe_caller, &own))
		return;
	for (int i = 0; i < count; i++) {
		if (hyb_library_has(frames[i]) || !dladdr(frames[i], &info) || info.dli_fbase == own.dli_fbase)
			continue;
		if (info.dli_sname)
			hyb_text_format(text, size, "%s+0x%llx", info.dli_sname,
					(unsigned long long)((char *)frames[i] - (char *)info.dli_saddr));
		else
			hyb_text_format(text, size, "%s+0x%llx", info.dli_fname ? info.dli_fname : "?",
					(unsigned long long)((char *)frames[i] - (char *)info.dli_fbase));
		return;
	}
}

/* One line, with the thread and the place. */
static void say(enum hyb_log_level level, const char *function, const char *what)
{
	const struct hyb_order *order = hyb_order_mine();
	char place[512];

	describe_caller(place, sizeof(place));
	hyb_log(level, "replay: thread %u, %s in %s: %s", order->number, function, place, what);
}

void hyb_replay_diverged(const char *function, const char *recorded, const char *format, uint64_t number)
{
	char what[256];
	char text[512];

	hyb_text_format(what, sizeof(what), format, (unsigned long long)number);
	hyb_text_format(text, sizeof(text), "%s; when it was recorded, %s: this is not the same run any more", what, recorded);
	say(HYB_LOG_ERROR, function, text);
	give_up();
}

void hyb_replay_differs(uint64_t number, const char *call, const char *recorded)
{
	char text[1024];

	hyb_text_format(text, sizeof(text), "call %llu of the thread; when it was recorded, that was %s: this is not the same run any "
			"more", (unsigned long long)number, recorded);
	say(HYB_LOG_ERROR, call, text);
	give_up();
}

static bool fits(const struct hyb_replay_header *h, uint64_t size)
{
	const struct hyb_replay_thread *t = (const void *)(h + 1);
	const struct hyb_replay_rank *r;

	if (size < sizeof(*h) || memcmp(h->magic, HYB_REPLAY_MAGIC, sizeof(h->magic)) || h->version != HYB_REPLAY_VERSION ||
	    h->size != size || h->threads > (size - sizeof(*h)) / sizeof(*t) ||
	    h->ranks > (size - sizeof(*h) - h->threads * sizeof(*t)) / sizeof(*r))
		return false;
	r = (const void *)(t + h->threads);
	for (uint64_t i = 0; i < h->ranks; i++) {
		if (r[i].turns_at > size || r[i].turns_at % 8 ||
		    r[i].turns > (size - r[i].turns_at) / sizeof(struct hyb_replay_turn))
			return false;
	}
	for (uint64_t i = 0; i < h->threads; i++) {
		if (t[i].matches_at > size || t[i].matches_at % 8 ||
		    t[i].matches > (size - t[i].matches_at) / sizeof(struct hyb_replay_match) ||
		    t[i].outcomes_at > size || t[i].outcomes > size - t[i].outcomes_at ||
		    t[i].calls_at > size || t[i].calls > size - t[i].calls_at ||
		    t[i].tries_at > size || t[i].tries > size - t[i].tries_at)
			return false;
	}
	return true;
}

/* The file as it is mapped; its size in *size. */
static const void *map_file(uint64_t *size)
{
	const long fd = hyb_sys_open(hyb_config.replay, O_RDONLY, 0);
	const long length = fd < 0 ? fd : HYB_SYS(lseek, fd, 0, 2 /* SEEK_END */, 0, 0, 0);
	const void *mapped = length > 0 ? hyb_sys_mmap((size_t)length, MAP_PRIVATE, fd, 0) : NULL;

	if (fd >= 0)
		hyb_sys_close(fd);
	*size = length > 0 ? (uint64_t)length : 0;
	return mapped;
}

/* Each thread that comes here first does the same. */
static void read_file(void)
{
	const struct hyb_replay_header *header;
	uint64_t size;
	int ranks = 0;
	int rank = 0;

	header = map_file(&size);
	if (!header || !fits(header, size)) {
		hyb_log(HYB_LOG_ERROR, "replay: %s cannot be read, or is damaged; start it with hybmon replay",
			hyb_config.replay);
		give_up();
	}
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if ((uint32_t)ranks != header->ranks) {
		if (!rank)
			hyb_log(HYB_LOG_ERROR, "replay: it was recorded with %u ranks and has %d now", header->ranks, ranks);
		give_up();
	}
	file.rank = (uint32_t)rank;
	file.threads = (const void *)(header + 1);
	__atomic_store_n(&file.header, header, __ATOMIC_RELEASE);
}

void hyb_replay_start(void)
{
	if (*hyb_config.replay && !__atomic_load_n(&file.header, __ATOMIC_ACQUIRE))
		read_file();
}

/* Of this rank. */
static const struct hyb_replay_thread *first_thread(void)
{
	uint64_t low = 0;
	uint64_t high = file.header->threads;

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (file.threads[middle].rank < file.rank)
			low = middle + 1;
		else
			high = middle;
	}
	return file.threads + low;
}

/* The thread as it was recorded: by what tells it from others; otherwise they come in the same order, it is hoped. */
static const struct hyb_replay_thread *find_thread(const struct hyb_order *order)
{
	const struct hyb_replay_thread *end = file.threads + file.header->threads;

	for (const struct hyb_replay_thread *t = first_thread(); t < end && t->rank == file.rank; t++) {
		if (t->identity == order->identity && (t->identity || t->thread == order->number))
			return t;
	}
	return NULL;
}

static struct hyb_replay *begin_thread(struct hyb_order *order)
{
	const struct hyb_replay_thread *thread;
	struct hyb_replay *replay = hyb_alloc(sizeof(*replay));

	if (!replay)
		give_up();
	hyb_replay_start();
	thread = find_thread(order);
	order->recorded_as = thread ? thread->thread : HYB_ORDER_NOBODY;
	if (thread) {
		replay->matches = (const void *)((const char *)file.header + thread->matches_at);
		replay->match_count = thread->matches;
		replay->last_known = thread->matches;
		while (replay->last_known && replay->matches[replay->last_known - 1].source < 0)
			replay->last_known--;
		replay->at = (const unsigned char *)file.header + thread->outcomes_at;
		replay->end = replay->at + thread->outcomes;
		replay->calls = (const unsigned char *)file.header + thread->calls_at;
		replay->call_bytes = thread->calls;
		order->tries = (const unsigned char *)file.header + thread->tries_at;
		order->tries_end = order->tries + thread->tries;
	}
	order->replay = replay;
	return replay;
}

struct hyb_replay *hyb_replay_mine(void)
{
	struct hyb_order *order = hyb_order_mine();
	struct hyb_replay *replay;

	replay = hyb_likely(order->replay != NULL) ? order->replay : begin_thread(order);
	return replay->ended ? NULL : replay;
}

bool hyb_replay_calls(const unsigned char **begin, const unsigned char **end)
{
	const struct hyb_replay *replay = hyb_replay_mine();

	if (!replay || !replay->call_bytes)
		return false;
	*begin = replay->calls;
	*end = replay->calls + replay->call_bytes;
	return true;
}

bool hyb_replay_is_over(const struct hyb_order *order)
{
	const struct hyb_replay *replay = order->replay;

	return replay && replay->ended;
}

const struct hyb_replay_match *hyb_replay_match(const struct hyb_replay *replay, uint64_t number)
{
	return number < replay->match_count ? &replay->matches[number] : NULL;
}

bool hyb_replay_matches_after(const struct hyb_replay *replay, uint64_t number)
{
	return number + 1 < replay->last_known;
}

const struct hyb_replay_match *hyb_replay_match_from(const struct hyb_replay *replay, uint64_t number, int32_t source)
{
	for (; number < replay->last_known; number++) {
		if (replay->matches[number].source == source)
			return &replay->matches[number];
	}
	return NULL;
}

bool hyb_replay_has_more(const struct hyb_replay *replay)
{
	return replay->nos || replay->at < replay->end;
}

uint64_t hyb_replay_number(struct hyb_replay *replay)
{
	uint64_t number = 0;

	for (unsigned int shift = 0; replay->at < replay->end && shift < 64; shift += 7) {
		const unsigned char byte = *replay->at++;

		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
	return 0;
}

static const char *name_of(uint64_t entry)
{
	switch (entry & HYB_ORDER_KIND_MASK) {
	case HYB_ORDER_NO:
		return "a test found nothing";
	case HYB_ORDER_INDEX:
		return "one of several requests was complete";
	case HYB_ORDER_SOME:
		return "some of several requests were complete";
	}
	switch (entry >> HYB_ORDER_KIND_BITS) {
	case HYB_ORDER_YES:
		return "a test was true";
	case HYB_ORDER_FOUND:
		return "a probe found a message";
	case HYB_ORDER_TIME:
		return "MPI_Wtime was called";
	case HYB_ORDER_CLOCK:
		return "a clock was read";
	case HYB_ORDER_FAILED:
		return "a call failed";
	}
	return "something else came";
}

void hyb_replay_ends(struct hyb_replay *replay, const char *function)
{
	static const char *const what[] = {
		[HYB_REPLAY_RUNS] = "here the recording ends, and the program runs freely",
		[HYB_REPLAY_STOPS] = "here the recording ends, and the process stops",
		[HYB_REPLAY_ABORTS] = "here the recording ends, and so does the run",
	};

	replay->ended = true;
	say(HYB_LOG_NOTE, function, what[hyb_config.replay_at_end]);
	if (hyb_config.replay_at_end == HYB_REPLAY_STOPS)
		HYB_SYS(kill, HYB_SYS(getpid, 0, 0, 0, 0, 0, 0), SIGSTOP, 0, 0, 0, 0);
	else if (hyb_config.replay_at_end == HYB_REPLAY_ABORTS)
		give_up();
}

/* The next entry without taking it; 0: the end. */
static uint64_t look(struct hyb_replay *replay)
{
	const unsigned char *at = replay->at;
	const uint64_t entry = hyb_replay_number(replay);

	replay->at = at;
	return entry;
}

bool hyb_replay_is_no(struct hyb_replay *replay, const char *function)
{
	uint64_t entry;

	if (!replay->nos) {
		entry = look(replay);
		if (!entry)
			hyb_replay_ends(replay, function);
		if ((entry & HYB_ORDER_KIND_MASK) != HYB_ORDER_NO)
			return false;
		hyb_replay_number(replay);
		replay->nos = (entry >> HYB_ORDER_KIND_BITS) + 1;
	}
	replay->nos--;
	replay->taken++;
	return true;
}

bool hyb_replay_take(struct hyb_replay *replay, const char *function, enum hyb_order_kind kind, uint64_t *detail)
{
	const uint64_t entry = replay->nos ? 0 : hyb_replay_number(replay);

	if (replay->ended)
		return false;
	if (replay->nos)
		hyb_replay_diverged(function, "a test found nothing", "outcome number %llu is to be told", replay->taken + 1);
	if (!entry) {
		hyb_replay_ends(replay, function);
		return false;
	}
	replay->taken++;
	if (entry == (HYB_ORDER_FAILED << HYB_ORDER_KIND_BITS | HYB_ORDER_OTHER))
		return false;
	if ((entry & HYB_ORDER_KIND_MASK) != kind)
		hyb_replay_diverged(function, name_of(entry), "outcome number %llu is to be told", replay->taken);
	*detail = entry >> HYB_ORDER_KIND_BITS;
	return true;
}

bool hyb_replay_take_other(struct hyb_replay *replay, const char *function, enum hyb_order_other which)
{
	uint64_t detail;

	if (!hyb_replay_take(replay, function, HYB_ORDER_OTHER, &detail))
		return false;
	if (detail != which)
		hyb_replay_diverged(function, name_of(detail << HYB_ORDER_KIND_BITS | HYB_ORDER_OTHER),
				    "outcome number %llu is to be told", replay->taken);
	return true;
}

/* The process's own, after those of the threads. */
static const struct hyb_replay_rank *own_rank(void)
{
	return (const struct hyb_replay_rank *)(file.threads + file.header->threads) + file.rank;
}

bool hyb_replay_has_clocks(void)
{
	hyb_replay_start();
	return own_rank()->clocks;
}

static void join(void)
{
	hyb_replay_mine();
}

void hyb_replay_start_turns(bool mpi)
{
	const struct hyb_replay_rank *rank;

	hyb_replay_start();
	rank = own_rank();
	hyb_turns_start(&(struct hyb_turns){
		.mpi = mpi, .openmp = rank->openmp, .count = rank->turns, .all = rank->all, .join = join,
		.recorded = (const void *)((const char *)file.header + rank->turns_at) });
}

MPI_Comm hyb_replay_nowhere(void)
{
	static int made;
	static MPI_Comm nowhere;

	/* Threads that come here at once each make one, of which one is used. */
	if (!__atomic_load_n(&made, __ATOMIC_ACQUIRE)) {
		MPI_Comm comm;

		PMPI_Comm_dup(MPI_COMM_SELF, &comm);
		nowhere = comm;
		__atomic_store_n(&made, 1, __ATOMIC_RELEASE);
	}
	return nowhere;
}
