/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In the kernel: the profile. Each thread has a stack of the events that it is in. The time of an event that ends is
 * added to the sum of this thread and event, and to the `inside` of the event around it. There is no lock: only the CPU
 * that a thread is on touches its stack and sums, and interrupts leave the stack as they found it: an event is on it
 * before anything is written about it.
 *
 * A thread that asked for a slot has the same there as a tree, by which events were around an event.
 */
#ifndef HYB_COLLECTOR_BPF_PROFILE_BPF_H
#define HYB_COLLECTOR_BPF_PROFILE_BPF_H

#include "collector/bpf/filter.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hyb_bpf_frames);
} frames SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct hyb_bpf_profile_key);
	__type(value, struct hyb_bpf_profile);
} profile SEC(".maps");

struct block {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, HYB_BPF_SLOTS);
	__type(key, __u32);
	__type(value, unsigned char[HYB_SLOT_SIZE]);
};

/* One for all would have to be as large as the most that some job may need: memory of arrays is taken at once. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct block);
} blocks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hyb_bpf_place);
} places SEC(".maps");

/* New entries are copies of these zeroes, for which a program's stack has no room. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hyb_bpf_blank);
} blank SEC(".maps");

static __always_inline __u32 bucket_of(__u64 ns)
{
	__u32 bucket = 0;

	if (ns >> 32)
		return HYB_PROFILE_BUCKETS - 1;
	if (ns >> 16) {
		bucket = 16;
		ns >>= 16;
	}
	if (ns >> 8) {
		bucket += 8;
		ns >>= 8;
	}
	if (ns >> 4) {
		bucket += 4;
		ns >>= 4;
	}
	if (ns >> 2) {
		bucket += 2;
		ns >>= 2;
	}
	bucket += ns >> 1 & 1;
	return bucket & (HYB_PROFILE_BUCKETS - 1);
}

static __always_inline struct hyb_bpf_blank *get_blank(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&blank, &zero);
}

static __always_inline void profile_add(__u32 task, __u32 event, __u64 inclusive, __u64 inside)
{
	struct hyb_bpf_profile_key key = { .task = task, .event = event };
	struct hyb_bpf_profile *p = bpf_map_lookup_elem(&profile, &key);

	if (!p) {
		struct hyb_bpf_blank *none = get_blank();

		if (none)
			bpf_map_update_elem(&profile, &key, &none->profile, BPF_NOEXIST);
		p = bpf_map_lookup_elem(&profile, &key);
	}
	if (!p) {
		__sync_fetch_and_add(&shared.profile_lost, 1);
		return;
	}
	p->count++;
	p->inclusive += inclusive;
	p->exclusive += inclusive > inside ? inclusive - inside : 0;
	p->histogram[bucket_of(inclusive)]++;
}

static __always_inline struct hyb_kernel_slot *slot_of(__u32 task)
{
	struct hyb_bpf_place *place;
	void *block;

	if (!shared.slots)
		return NULL;
	place = bpf_map_lookup_elem(&places, &task);
	block = place ? bpf_map_lookup_elem(&blocks, &place->block) : NULL;
	return block ? bpf_map_lookup_elem(block, &place->slot) : NULL;
}

/* Where the compiler would drop a mask that the verifier needs. */
static __always_inline struct hyb_slot_node *node_at(struct hyb_kernel_slot *slot, __u64 at)
{
	_Static_assert(HYB_SLOT_NODES == 512, "the mask is written out");

	asm volatile("%0 &= 511" : "+r"(at));
	return &slot->nodes[at];
}

#define PROBES 16

/*
 * The node of an event in another one's, by its place plus 1; 0: there is no space. An interrupt may take the place that
 * is about to be taken here.
 */
static __always_inline __u32 node_of(struct hyb_kernel_slot *slot, __u32 parent, __u32 event)
{
	const __u64 key = (__u64)parent << 32 | event;
	__u64 at = (event * 0x9e3779b1u ^ parent * 0x85ebca6bu) >> 16;
	__u64 had;

	for (__u32 i = 0; i < PROBES; i++, at++) {
		struct hyb_slot_node *node = node_at(slot, at);

		had = node->key;
		if (!had) {
			had = __sync_val_compare_and_swap(&node->key, 0, key);
			if (!had) {
				__sync_fetch_and_add(&slot->used, 1);
				had = key;
			}
		}
		if (had == key)
			return (__u32)(at & (HYB_SLOT_NODES - 1)) + 1;
	}
	__sync_fetch_and_add(&slot->crowded, 1);
	return 0;
}

static __always_inline void slot_add(__u32 task, __u32 parent, __u32 number, __u32 as, __u64 ns)
{
	struct hyb_kernel_slot *slot = slot_of(task);
	struct hyb_slot_node *node;

	if (!slot)
		return;
	if (as)
		number = node_of(slot, parent, as);
	if (!number)
		return;
	node = node_at(slot, number - 1);
	node->count++;
	node->ns += ns;
	__sync_fetch_and_add(&slot->turn, 1);
}

/* In C the compiler would drop the mask, since depth is never larger. The verifier does not know that. */
static __always_inline struct hyb_bpf_frame *frame_at(struct hyb_bpf_frames *f, __u64 depth)
{
	_Static_assert(HYB_BPF_FRAMES == 16, "the mask is written out");

	asm volatile("%0 &= 15" : "+r"(depth));
	return &f->frames[depth];
}

/* The node of the event that is about to begin. Without one around it that has a node it has none. */
static __always_inline __u32 new_node(__u32 task, struct hyb_bpf_frames *f, __u32 event)
{
	struct hyb_kernel_slot *slot = slot_of(task);
	__u32 parent = 0;

	if (!slot)
		return 0;
	if (f->depth) {
		parent = frame_at(f, f->depth - 1)->node;
		if (!parent)
			return 0;
	}
	return node_of(slot, parent, event);
}

/* The event that has so many around it ends now, and those in it. as: see profile_end. */
static __attribute__((noinline)) int close_at(__u32 task, struct hyb_bpf_frames *f, __u64 depth, __u32 as, __u64 now)
{
	const struct hyb_bpf_frame *frame = frame_at(f, depth);
	const __u64 inclusive = now > frame->begin ? now - frame->begin : 0;

	profile_add(task, as ? as : frame->event, inclusive, frame->inside);
	if (frame->node)
		slot_add(task, depth ? frame_at(f, depth - 1)->node : 0, frame->node, as == frame->event ? 0 : as,
			 inclusive);
	f->depth = depth;
	/* An interrupt may do the same. */
	if (depth)
		__sync_fetch_and_add(&frame_at(f, depth - 1)->inside, inclusive);
	return 0;
}

/* Virtual machines hide some switches from tracers. But the thread has a CPU now. */
static __always_inline void close_hidden(__u32 task, struct hyb_bpf_frames *f, __u64 now)
{
	const __u64 depth = f->depth;

	if (depth && frame_at(f, depth - 1)->event >> HYB_BPF_KIND_SHIFT == HYB_PROFILE_OFF)
		close_at(task, f, depth - 1, 0, now);
}

/*
 * The thread enters an event. from_user: the program itself ran, so there is nothing around it. now: the time of the
 * event's record, 0: it has none.
 */
static __always_inline void profile_begin(__u32 task, __u32 event, bool from_user, __u64 now)
{
	struct hyb_bpf_frames *f = bpf_map_lookup_elem(&frames, &task);
	struct hyb_bpf_frame *frame;
	__u32 node;
	__u64 depth;

	if (!f) {
		struct hyb_bpf_blank *none = get_blank();

		if (none)
			bpf_map_update_elem(&frames, &task, &none->frames, BPF_NOEXIST);
		f = bpf_map_lookup_elem(&frames, &task);
	}
	if (!now)
		now = bpf_ktime_get_ns();
	if (f)
		close_hidden(task, f, now);
	/* What had no end is over, such as a fault that ended in a signal. */
	if (f && from_user)
		f->depth = 0;
	if (!f || f->depth >= HYB_BPF_FRAMES) {
		__sync_fetch_and_add(&shared.profile_lost, 1);
		return;
	}
	depth = f->depth;
	node = new_node(task, f, event);
	frame = frame_at(f, depth);
	frame->node = node;
	/* What interrupts this from here on comes after it on the stack. */
	*(volatile __u64 *)&f->depth = depth + 1;
	barrier();
	frame->event = event;
	frame->node = node;
	frame->inside = 0;
	frame->begin = now;
}

/*
 * The thread leaves the innermost event of that kind, and those within, which had no end. as: the event, if only its end
 * tells which it was; 0: the event that began. now: as above.
 */
static __always_inline void profile_end(__u32 task, enum hyb_profile_kind kind, __u32 as, __u64 now)
{
	struct hyb_bpf_frames *f = bpf_map_lookup_elem(&frames, &task);
	__u64 depth;

	if (!f)
		return;
	if (!now)
		now = bpf_ktime_get_ns();
	if (kind != HYB_PROFILE_OFF)
		close_hidden(task, f, now);
	depth = f->depth;
	for (__u32 i = 0; i < HYB_BPF_FRAMES && depth; i++) {
		if (frame_at(f, --depth)->event >> HYB_BPF_KIND_SHIFT == kind) {
			close_at(task, f, depth, as, now);
			return;
		}
	}
}

/* The thread ends. True: it had a slot. */
static __always_inline bool slot_end(__u32 task)
{
	return shared.slots && !bpf_map_delete_elem(&places, &task);
}

/* The number is that of a new thread. */
static __always_inline void profile_forget(__u32 task)
{
	bpf_map_delete_elem(&frames, &task);
}

#define PROFILE_EVENT(kind, number) ((__u32)(kind) << HYB_BPF_KIND_SHIFT | ((__u32)(number) & 0xffffff))

#endif
