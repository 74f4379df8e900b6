/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In the kernel: the profile. Each thread has a stack of the events that it is in. The time of an event that ends is
 * added to the sum of this thread and event, and to the `inside` of the event around it. There is no lock: only the CPU
 * that a thread is on touches its stack and sums, and interrupts leave the stack as they found it.
 */
#ifndef HYB_KERNEL_BPF_PROFILE_BPF_H
#define HYB_KERNEL_BPF_PROFILE_BPF_H

#include "kernel/bpf/filter.bpf.h"

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

/* In C the compiler would drop the mask, since depth is never larger. The verifier does not know that. */
static __always_inline struct hyb_bpf_frame *frame_at(struct hyb_bpf_frames *f, __u64 depth)
{
	_Static_assert(HYB_BPF_FRAMES == 16, "the mask is written out");

	asm volatile("%0 &= 15" : "+r"(depth));
	return &f->frames[depth];
}

/* The thread enters an event. */
static __always_inline void profile_begin(__u32 task, __u32 event)
{
	struct hyb_bpf_frames *f = bpf_map_lookup_elem(&frames, &task);
	struct hyb_bpf_frame *frame;

	if (!f) {
		struct hyb_bpf_blank *none = get_blank();

		if (none)
			bpf_map_update_elem(&frames, &task, &none->frames, BPF_NOEXIST);
		f = bpf_map_lookup_elem(&frames, &task);
	}
	if (!f || f->depth >= HYB_BPF_FRAMES) {
		__sync_fetch_and_add(&shared.profile_lost, 1);
		return;
	}
	frame = frame_at(f, f->depth);
	frame->event = event;
	frame->inside = 0;
	frame->begin = bpf_ktime_get_ns();
	f->depth++;
}

/*
 * The thread leaves the innermost event of that kind, and those within, which had no end (a fault that ends in a
 * signal). as: the event, if only its end tells which it was; 0: the event that began.
 */
static __always_inline void profile_end(__u32 task, enum hyb_profile_kind kind, __u32 as)
{
	struct hyb_bpf_frames *f = bpf_map_lookup_elem(&frames, &task);
	struct hyb_bpf_frame *frame = NULL;
	__u64 inclusive, depth;

	if (!f)
		return;
	depth = f->depth;
	for (__u32 i = 0; i < HYB_BPF_FRAMES && depth; i++) {
		frame = frame_at(f, --depth);
		if (frame->event >> HYB_BPF_KIND_SHIFT == kind)
			break;
		frame = NULL;
	}
	if (!frame)
		return;
	inclusive = bpf_ktime_get_ns() - frame->begin;
	profile_add(task, as ? as : (__u32)frame->event, inclusive, frame->inside);
	f->depth = depth;
	if (depth)
		frame_at(f, depth - 1)->inside += inclusive;
}

/* The number is that of a new thread. */
static __always_inline void profile_forget(__u32 task)
{
	bpf_map_delete_elem(&frames, &task);
}

#define PROFILE_EVENT(kind, number) ((__u32)(kind) << HYB_BPF_KIND_SHIFT | ((__u32)(number) & 0xffffff))

#endif
