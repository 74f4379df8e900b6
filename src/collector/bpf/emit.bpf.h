/* SPDX-License-Identifier: BSD-3-Clause */
/* In the kernel: writing a record into the ring of the CPU. */
#ifndef HYB_COLLECTOR_BPF_EMIT_BPF_H
#define HYB_COLLECTOR_BPF_EMIT_BPF_H

#include "collector/bpf/filter.bpf.h"

struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 10);
};

/* A ring for each CPU. With one ring for all, its lock and its cache lines would go from CPU to CPU with each event. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct ring);
} rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hyb_bpf_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 << 10);
} side SEC(".maps");

/* Call chains of switches and softirqs, for each CPU: the stack of a program has no room for them. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct hyb_bpf_chain);
} scratch SEC(".maps");

static __always_inline __u64 word_of(__u32 what, __u32 detail, __u32 task)
{
	return (__u64)what << HYB_TYPE_SHIFT | (__u64)(detail & 0xffffff) << 32 | task;
}

/* Few records wake the collector. It reads the rings five times a second anyway. */
static __always_inline __u64 wake(struct hyb_bpf_cpu *cpu, __u64 size)
{
	cpu->filled += size + 8;
	if (cpu->filled < settings.wake)
		return BPF_RB_NO_WAKEUP;
	cpu->filled = 0;
	return BPF_RB_FORCE_WAKEUP;
}

/* Tells what was lost before, now that there is space. Only one does if an interrupt comes in between. */
static __always_inline void tell_lost(struct hyb_bpf_cpu *cpu, void *ring)
{
	__u64 lost = cpu->lost, told = cpu->told;
	struct hyb_bpf_record *r;

	cpu->told = lost;
	r = bpf_ringbuf_reserve(ring, sizeof(*r), 0);
	if (!r) {
		cpu->told = told;
		return;
	}
	r->time = bpf_ktime_get_ns();
	r->word = word_of(HYB_KERNEL_LOST, HYB_LOST_FULL, HYB_TASK_OTHER);
	r->a = lost - told;
	r->b = 0;
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
}

/* Counts a record that could not be written. */
static __always_inline void count_lost(void)
{
	__u32 number = bpf_get_smp_processor_id();
	struct hyb_bpf_cpu *cpu = bpf_map_lookup_elem(&cpus, &number);

	if (cpu)
		__sync_fetch_and_add(&cpu->lost, 1);
}

/*
 * words: how many of a and b the record has, a constant wherever this is called. Its time, so that sums have the same; 0:
 * there is no record.
 */
static __always_inline __u64 emit(__u32 what, __u32 detail, __u32 task, const __u32 words, __u64 a, __u64 b)
{
	const __u64 size = 16 + 8 * words;
	__u32 number = bpf_get_smp_processor_id();
	struct hyb_bpf_cpu *cpu = bpf_map_lookup_elem(&cpus, &number);
	void *ring = bpf_map_lookup_elem(&rings, &number);
	struct hyb_bpf_record *r = NULL;
	__u64 time;

	if (!settings.trace || !cpu)
		return 0;
	if (ring) {
		if (cpu->lost != cpu->told)
			tell_lost(cpu, ring);
		r = bpf_ringbuf_reserve(ring, size, 0);
	}
	if (!r) {
		__sync_fetch_and_add(&cpu->lost, 1);
		return 0;
	}
	time = r->time = bpf_ktime_get_ns();
	r->word = word_of(what, detail, task);
	if (words > 0)
		r->a = a;
	if (words > 1)
		r->b = b;
	bpf_ringbuf_submit(r, wake(cpu, size));
	return time;
}

/* The program itself, and what called it (bpf_trace_run). */
#define OWN_FRAMES 2

/* The same with a call chain. slot: two events that may interrupt each other have different ones. */
static __always_inline __u64 emit_chain(void *context, __u32 slot, __u64 word, __u64 a)
{
	const __u32 most = HYB_BPF_DEPTH * 8;
	__u32 number = bpf_get_smp_processor_id();
	struct hyb_bpf_cpu *cpu = bpf_map_lookup_elem(&cpus, &number);
	void *ring = bpf_map_lookup_elem(&rings, &number);
	struct hyb_bpf_chain *chain = bpf_map_lookup_elem(&scratch, &slot);
	long kernel, user;
	__u64 time;

	if (!settings.trace || !cpu || !ring || !chain)
		return 0;
	if (cpu->lost != cpu->told)
		tell_lost(cpu, ring);
	time = chain->record.time = bpf_ktime_get_ns();
	chain->record.word = word;
	chain->record.a = a;
	kernel = bpf_get_stack(context, chain->addresses, most, OWN_FRAMES);
	if (kernel < 0 || kernel > most)
		kernel = 0;
	user = bpf_get_stack(context, (void *)chain->addresses + kernel, most, BPF_F_USER_STACK);
	if (user < 0 || user > most)
		user = 0;
	chain->kernel = (__u32)kernel / 8;
	chain->user = (__u32)user / 8;
	if (bpf_ringbuf_output(ring, chain, __builtin_offsetof(struct hyb_bpf_chain, addresses) + kernel + user,
			       wake(cpu, 48 + kernel + user)))
		__sync_fetch_and_add(&cpu->lost, 1);
	return time;
}

#endif
