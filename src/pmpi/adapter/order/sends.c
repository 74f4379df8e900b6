/* SPDX-License-Identifier: BSD-3-Clause */
/* See sends.h. */
#include "pmpi/adapter/order/sends.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#include "core/config/config.h"
#include "core/sys/log.h"
#include "core/sys/memory.h"
#include "core/sys/sys.h"
#include "pmpi/adapter/order/order.h"
#include "pmpi/adapter/order/replay.h"

/* Longer messages than this no MPI takes before they are asked for, but by a setting. */
#define MOST (1 << 20)
/* Rooms of 256 bytes, 512 and so on up to MOST. */
#define SMALLEST 8
#define ROOMS 13
#define PATIENCE 10	/* s, that MPI is waited for at its end */
#define TOGETHER (256 << 20)	/* bytes of rooms; what is more is sent as it is */
#define ALIGNMENT 16
#define REGION_BITS 21	/* of addresses that are alike readable or not */
#define REGIONS 64

_Static_assert(MOST == 1 << (SMALLEST + ROOMS - 1), "the largest room takes the longest message");

struct room {
	struct room *next;
};

static struct {
	struct room *rooms[ROOMS];	/* that are free */
	struct hyb_order_shadow *left;
	size_t together;	/* bytes of all rooms */
	uintptr_t readable[REGIONS];	/* addresses >> REGION_BITS, by their last bits */
	int lock;
} sends;

static void lock(void)
{
	while (__atomic_exchange_n(&sends.lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(void)
{
	__atomic_store_n(&sends.lock, 0, __ATOMIC_RELEASE);
}

static void *take_room(unsigned int room)
{
	const size_t size = (size_t)1 << (SMALLEST + room);
	struct room *taken;
	bool more;

	lock();
	taken = sends.rooms[room];
	if (taken)
		sends.rooms[room] = taken->next;
	more = !taken && sends.together + size <= TOGETHER;
	if (more)
		sends.together += size;
	unlock();
	return more ? hyb_alloc(size) : taken;
}

static void give_room(void *memory, unsigned int room)
{
	struct room *given = memory;

	lock();
	given->next = sends.rooms[room];
	sends.rooms[room] = given;
	unlock();
}

static void free_copy(struct hyb_order_shadow *copy)
{
	give_room(copy->memory, copy->room);
	hyb_shadow_free(copy);
}

/* Where the elements lie, from the first byte to the last; false: it is nothing that is copied. */
static bool find_span(MPI_Count count, MPI_Datatype type, MPI_Aint *begin, size_t *length, bool *dense)
{
	MPI_Aint low, extent, true_low, true_extent;
	int size;

	if (count <= 0 || count > MOST || PMPI_Type_size(type, &size) != MPI_SUCCESS ||
	    PMPI_Type_get_extent(type, &low, &extent) != MPI_SUCCESS ||
	    PMPI_Type_get_true_extent(type, &true_low, &true_extent) != MPI_SUCCESS)
		return false;
	if (size <= 0 || extent < 0 || extent > MOST || true_extent > MOST ||
	    (count - 1) * extent + true_extent > MOST - ALIGNMENT)
		return false;
	*begin = true_low;
	*length = (size_t)((count - 1) * extent + true_extent);
	*dense = true_extent == size && (extent == size || count == 1);
	return true;
}

/* As the kernel reads it: what the CPU cannot read is no fault. Bytes, or -errno. */
static long read_carefully(void *to, const void *from, size_t length)
{
	const struct iovec local = { .iov_base = to, .iov_len = length };
	const struct iovec its = { .iov_base = (void *)(uintptr_t)from, .iov_len = length };

	return HYB_SYS(process_vm_readv, HYB_SYS(getpid, 0, 0, 0, 0, 0, 0), &local, 1, &its, 1, 0);
}

/* The memory of a GPU cannot be read. Where the kernel does not tell, it is taken for a CPU's. */
static bool is_readable(const char *byte)
{
	const uintptr_t region = (uintptr_t)byte >> REGION_BITS;
	uintptr_t *known = &sends.readable[region % REGIONS];
	long got;
	char c;

	if (__atomic_load_n(known, __ATOMIC_RELAXED) == region)
		return true;
	got = read_carefully(&c, byte, 1);
	if (got != 1 && got != -EPERM && got != -ENOSYS)
		return false;
	__atomic_store_n(known, region, __ATOMIC_RELAXED);
	return true;
}

/* Between the elements there may be nothing that can be read. */
static bool copy_span(void *to, const char *from, size_t length, bool dense)
{
	if (!dense)
		return read_carefully(to, from, length) == (long)length;
	if (!is_readable(from) || !is_readable(from + length - 1))
		return false;
	memcpy(to, from, length);
	return true;
}

static unsigned int room_of(size_t length)
{
	unsigned int room = 0;

	while ((size_t)1 << (SMALLEST + room) < length)
		room++;
	return room;
}

/* Those that MPI has done with are over. */
static bool look_after_left(void)
{
	struct hyb_order_shadow *all, *next;
	bool any = false;

	lock();
	all = sends.left;
	sends.left = NULL;
	unlock();
	for (; all; all = next) {
		int complete = 1;

		next = all->next;
		if (PMPI_Test(&all->posted, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS || complete) {
			free_copy(all);
			continue;
		}
		any = true;
		lock();
		all->next = sends.left;
		sends.left = all;
		unlock();
	}
	return any;
}

/*
 * Only where the thread's recording has outcomes yet to come is any test to be true that is not by itself. Of several
 * threads another one may test it.
 */
static bool may_be_told(void)
{
	const struct hyb_replay *replay = hyb_order_replays() && !hyb_order_mine()->inside ? hyb_replay_mine() : NULL;

	return replay && (hyb_posts_is_multiple() || hyb_replay_has_more(replay));
}

struct hyb_order_shadow *hyb_send_copy(const void *buf, MPI_Count count, MPI_Datatype type, int dest)
{
	struct hyb_order_shadow *copy;
	size_t length, shift;
	const char *first;
	MPI_Aint begin;
	bool dense;

	if (__atomic_load_n(&sends.left, __ATOMIC_RELAXED))
		look_after_left();
	if (buf == MPI_BOTTOM || type == MPI_DATATYPE_NULL || dest == MPI_PROC_NULL || !may_be_told() ||
	    !find_span(count, type, &begin, &length, &dense))
		return NULL;
	first = (const char *)buf + begin;
	shift = (uintptr_t)first % ALIGNMENT;
	copy = hyb_shadow_new();
	if (!copy)
		return NULL;
	*copy = (struct hyb_order_shadow){ .sends = true, .room = room_of(shift + length), .posted = MPI_REQUEST_NULL };
	copy->memory = take_room(copy->room);
	/* Elements are aligned as they were. */
	if (copy->memory && copy_span((char *)copy->memory + shift, first, length, dense)) {
		copy->buf = (void *)((uintptr_t)copy->memory + shift - (uintptr_t)begin);
		return copy;
	}
	if (copy->memory)
		give_room(copy->memory, copy->room);
	hyb_shadow_free(copy);
	return NULL;
}

void hyb_send_posted(struct hyb_order_shadow *copy, int ret, MPI_Request request)
{
	const struct hyb_order_post post = { .owner = hyb_order_mine(), .active = true, .shadow = copy };
	int complete = 0;

	if (!copy)
		return;
	copy->posted = request;
	/* Those that MPI has taken at once may all have one handle, of which the table has one. */
	if (ret == MPI_SUCCESS)
		PMPI_Request_get_status(request, &complete, MPI_STATUS_IGNORE);
	if (ret != MPI_SUCCESS || complete)
		free_copy(copy);
	else if (!hyb_posts_put(request, &post))
		hyb_order_lose(post.owner, -ENOMEM);
}

void hyb_send_over(struct hyb_order_shadow *copy)
{
	free_copy(copy);
}

void hyb_send_leave(struct hyb_order_shadow *copy)
{
	lock();
	copy->next = sends.left;
	sends.left = copy;
	unlock();
}

void hyb_sends_end(void)
{
	struct timespec begin, now;

	if (!__atomic_load_n(&sends.left, __ATOMIC_RELAXED))
		return;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		sched_yield();
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (!look_after_left())
			return;
		/* Who is to receive it may stand in a debugger. */
	} while (*hyb_config.replay_gdb || now.tv_sec - begin.tv_sec <= PATIENCE);
	hyb_log(HYB_LOG_WARNING, "replay: MPI ends, and something that was sent is not received yet");
}
