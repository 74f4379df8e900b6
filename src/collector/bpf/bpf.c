/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The source `bpf`: programs in the kernel write records of the job's tasks only, as streams have them. Each CPU has a
 * ring.
 *
 * A small ring of all CPUs has the records that say who belongs to whom (fork, rename). It is read before the others,
 * so a task's fork, maybe on another CPU, is known when its records are taken.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/sys/capability.h"
#include "core/sys/clock.h"
#include "core/config/config.h"
#include "core/sys/text.h"
#include "collector/bpf/library.h"
#include "collector/bpf/load.h"
#include "collector/bpf/profile-file.h"
#include "collector/bpf/ring.h"
#include "collector/bpf/slot.h"
#include "collector/bpf/take.h"
#include "collector/bpf/time.h"
#include "collector/common/chain.h"
#include "collector/common/cpus.h"
#include "collector/common/mapping.h"
#include "collector/common/memory-limit.h"
#include "collector/common/source.h"
#include "collector/common/task.h"

#define SECOND		1000000000u
#define RELEASE		1024	/* records, after which their space is given back */
#define LEAST_SIZE	(64u << 10)	/* a multiple of the page, whatever its size */

struct cpu {
	bool online;
	struct hyb_bpf_ring ring;
	struct hyb_output out;
	uint64_t told_lost;
};

static struct {
	struct cpu *cpus;	/* by number */
	uint32_t count;
	struct hyb_bpf_ring side;
	struct hyb_bpf_time time;
	bool chains;
	bool profile;
	uint64_t save_at;	/* when the profile is written next */
	uint64_t lost;
	uint64_t side_lost;
} bpf;

static void take_back(void)
{
	for (uint32_t i = 0; i < bpf.count; i++) {
		hyb_output_close(&bpf.cpus[i].out);
		hyb_bpf_ring_unmap(&bpf.cpus[i].ring);
		if (bpf.cpus[i].online && bpf.cpus[i].ring.fd >= 0)
			close(bpf.cpus[i].ring.fd);
	}
	hyb_bpf_ring_unmap(&bpf.side);
	free(bpf.cpus);
	memset(&bpf, 0, sizeof(bpf));
}

/* Makes room for the CPUs up to `to`. Those from `from` on are online. */
static int add_cpus(uint32_t from, uint32_t to)
{
	struct cpu *more;

	if (from < bpf.count || to < from)
		return -EINVAL;
	more = realloc(bpf.cpus, (to + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + bpf.count, 0, (to + 1 - bpf.count) * sizeof(*more));
	bpf.cpus = more;
	for (; bpf.count <= to; bpf.count++) {
		more[bpf.count].online = bpf.count >= from;
		more[bpf.count].ring.fd = -1;
	}
	return 0;
}

/* The kernel takes all memory of the ring at once. If there is not as much, the ring is smaller. */
static int make_ring(struct cpu *cpu, uint64_t size, int poll)
{
	struct epoll_event wake = { .events = EPOLLIN | EPOLLET };
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "hybmon_ring", 0, 0, (__u32)size, NULL);
	int err;

	while (fd == -ENOMEM && size > LEAST_SIZE) {
		size /= 2;
		fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "hybmon_ring", 0, 0, (__u32)size, NULL);
	}
	if (fd < 0)
		return fd;
	cpu->ring.fd = fd;
	err = hyb_bpf_ring_map(&cpu->ring, fd, size);
	/* Edges: the collector is woken when a program says so, and not as long as the ring has records. */
	if (!err && epoll_ctl(poll, EPOLL_CTL_ADD, fd, &wake))
		err = -errno;
	return err;
}

/* The size that is wanted, or less if the user may not have it. 0: he has no memory left. */
static uint64_t size_of_rings(const struct hyb_collect_request *wish)
{
	const uint64_t pages = 3 * (uint64_t)sysconf(_SC_PAGESIZE);	/* of each ring, besides its data */
	uint64_t size = LEAST_SIZE, online = 0;

	for (uint32_t i = 0; i < bpf.count; i++)
		online += bpf.cpus[i].online;
	while (size < wish->buffer)
		size *= 2;
	return hyb_memory_take_rings(online, size, LEAST_SIZE, pages);
}

static int make_rings(const struct hyb_collect_request *wish, int poll)
{
	uint64_t size = size_of_rings(wish);
	int err = 0;

	if (!size)
		return -EDQUOT;
	for (uint32_t i = 0; i < bpf.count && !err; i++) {
		if (bpf.cpus[i].online)
			err = make_ring(&bpf.cpus[i], size, poll);
	}
	return err;
}

static int load(const struct hyb_collect_request *wish)
{
	int *rings = calloc(bpf.count, sizeof(*rings));
	struct hyb_collect_request had = *wish;
	uint64_t size = 0;
	int err = -ENOMEM;
	int fd;

	if (!rings)
		return err;
	for (uint32_t i = 0; i < bpf.count; i++) {
		rings[i] = bpf.cpus[i].ring.fd;
		if (bpf.cpus[i].online && bpf.cpus[i].ring.size < had.buffer)
			had.buffer = bpf.cpus[i].ring.size;
	}
	err = hyb_bpf_load(&had, rings, bpf.count);
	free(rings);
	if (err)
		return err;
	hyb_bpf_slots_start();
	fd = hyb_bpf_side(&size);
	return hyb_bpf_ring_map(&bpf.side, fd, size);
}

static int begin(void)
{
	int err = 0;

	hyb_bpf_time_start(&bpf.time);
	for (uint32_t i = 0; i < bpf.count && !err; i++) {
		if (bpf.cpus[i].online)
			err = hyb_output_open(&bpf.cpus[i].out, HYB_STREAM_CPU, i, 0, 0, hyb_clock_raw());
	}
	if (!err)
		err = hyb_bpf_attach();
	for (uint32_t i = 0; i < bpf.count && !err; i++) {
		if (bpf.cpus[i].online)
			hyb_bpf_attach_cpu(i);
	}
	return err;
}

/* Programs in the kernel cannot read paths, so perf's records tell of mappings here as well. */
static void follow_mappings(int poll)
{
	for (uint32_t i = 0; i < bpf.count; i++) {
		int err = bpf.cpus[i].online ? hyb_mapping_open(i, poll) : 0;

		if (!err)
			continue;
		hyb_source_missing("callchain", "names of what the program loads while it runs: perf's events of mappings "
				   "cannot be had");
		return;
	}
}

static int open_bpf(const struct hyb_collect_request *wish, int poll)
{
	int err;

	if (hyb_libbpf_load()) {
		hyb_source_missing("bpf", "libbpf.so.1 cannot be loaded: install libbpf 1.0 or later (Debian: libbpf1)");
		return -ECANCELED;
	}
	err = hyb_cpus_online(add_cpus);
	if (!err && !bpf.count)
		err = -ENODEV;
	if (!err)
		err = make_rings(wish, poll);
	if (!err)
		err = load(wish);
	if (!err)
		err = begin();
	if (err) {
		hyb_bpf_slots_end();
		hyb_bpf_unload();
		take_back();
		return err;
	}
	bpf.chains = wish->events & HYB_KERNEL_CALLCHAIN;
	if (bpf.chains)
		follow_mappings(poll);
	bpf.profile = wish->profile != HYB_KERNEL_PROFILE_NO;
	hyb_tasks_use_tids();
	hyb_bpf_take_start(wish->tasks == HYB_KERNEL_ALL);
	return 0;
}

static void drain_side(void)
{
	const struct hyb_bpf_task *r;
	uint32_t size;

	while ((r = hyb_bpf_ring_next(&bpf.side, &size))) {
		uint64_t time = hyb_bpf_time_raw(&bpf.time, r->time);

		if (size < sizeof(*r))
			continue;
		if (r->word >> HYB_TYPE_SHIFT == HYB_BPF_FORKED)
			hyb_tasks_forked(r->tgid, r->tid, r->ptgid, r->ptid, time);
		else if (r->word >> HYB_TYPE_SHIFT == HYB_BPF_RENAMED)
			hyb_tasks_renamed(r->tgid, r->tid, r->name, time);
		else if (r->word >> HYB_TYPE_SHIFT == HYB_BPF_LEFT)
			hyb_tasks_left(r->tgid);
		else if (r->word >> HYB_TYPE_SHIFT == HYB_BPF_ENDED)
			hyb_bpf_slot_ended(r->tid, r->time);
	}
	hyb_bpf_ring_release(&bpf.side);
}

static bool is_recorded(uint32_t tgid)
{
	return tgid < HYB_BPF_PIDS && __atomic_load_n(&hyb_bpf_shared()->jobs[tgid / 32], __ATOMIC_RELAXED) &
				      hyb_bpf_member(tgid, HYB_BPF_RECORDED);
}

/* If records of the side ring were lost, some may have told who leaves the job. The kernel knows who is in it. */
static void keep_recorded(void)
{
	uint64_t lost = __atomic_load_n(&hyb_bpf_shared()->side_lost, __ATOMIC_RELAXED);

	if (lost != bpf.side_lost)
		hyb_tasks_keep(is_recorded);
	bpf.side_lost = lost;
}

static void drain_cpu(struct cpu *cpu)
{
	const struct hyb_bpf_record *r;
	unsigned int n = 0;
	uint32_t size;

	while ((r = hyb_bpf_ring_next(&cpu->ring, &size))) {
		if (size < 16)
			continue;
		if (r->word >> HYB_TYPE_SHIFT == HYB_KERNEL_LOST && size >= 24) {
			cpu->told_lost += r->a;
			bpf.lost += r->a;
		}
		hyb_bpf_take(&cpu->out, r, size, hyb_bpf_time_raw(&bpf.time, r->time));
		/* Programs have space again before all of a full ring is read. */
		if (!(++n % RELEASE))
			hyb_bpf_ring_release(&cpu->ring);
	}
	hyb_bpf_ring_release(&cpu->ring);
}

/* At most once a second, and for at most a twentieth of the time: with many threads it takes long. */
static void save_profile(bool at_once)
{
	uint64_t begin = hyb_clock_raw();
	uint64_t took;
	int err;

	if (!bpf.profile || (!at_once && begin < bpf.save_at))
		return;
	err = hyb_bpf_profile_save(hyb_bpf_map("profile"), begin,
				   __atomic_load_n(&hyb_bpf_shared()->profile_lost, __ATOMIC_RELAXED));
	if (err && at_once)
		hyb_source_missing("profile", hyb_text_errno(-err));
	took = hyb_clock_raw() - begin;
	bpf.save_at = begin + (took > SECOND / 20 ? 20 * took : SECOND);
}

static void drain(void)
{
	for (uint32_t i = 0; i < bpf.count; i++)
		hyb_bpf_ring_look(&bpf.cpus[i].ring);
	hyb_bpf_ring_look(&bpf.side);
	hyb_bpf_time_update(&bpf.time);
	drain_side();
	keep_recorded();
	hyb_mapping_drain();
	for (uint32_t i = 0; i < bpf.count; i++)
		drain_cpu(&bpf.cpus[i]);
	save_profile(false);
}

/* Tells of records lost after the last one that had space. */
static void tell_last_lost(uint32_t number)
{
	struct cpu *cpu = &bpf.cpus[number];
	uint64_t lost = __atomic_load_n(&hyb_bpf_cpu(number)->lost, __ATOMIC_RELAXED);

	if (!cpu->online || lost <= cpu->told_lost)
		return;
	lost -= cpu->told_lost;
	bpf.lost += lost;
	hyb_output_event2(&cpu->out, hyb_clock_raw(), HYB_KERNEL_LOST, HYB_LOST_FULL, HYB_TASK_OTHER, lost,
			  cpu->out.last);
}

/* The kernel does not say on which CPU they were, so the streams cannot tell where they are missing. */
static void tell_missed(void)
{
	uint64_t missed = hyb_bpf_missed();
	char text[64];

	if (!missed)
		return;
	bpf.lost += missed;
	hyb_text_format(text, sizeof(text), "%llu came while one of their kind was taken", (unsigned long long)missed);
	hyb_source_missing("events", text);
}

static void close_bpf(void)
{
	hyb_bpf_detach();
	drain();
	hyb_mapping_drain();
	save_profile(true);
	for (uint32_t i = 0; i < bpf.count; i++) {
		tell_last_lost(i);
		hyb_output_close(&bpf.cpus[i].out);
	}
	tell_missed();
	hyb_mapping_close();
	if (bpf.chains)
		hyb_chain_name_functions();
}

static uint64_t lost(void)
{
	return bpf.lost + bpf.side_lost;
}

static void expect_process(uint32_t tgid)
{
	if (tgid < HYB_BPF_PIDS)
		__atomic_fetch_or(&hyb_bpf_shared()->jobs[tgid / 32], hyb_bpf_member(tgid, HYB_BPF_EXPECTED),
				  __ATOMIC_SEQ_CST);
}

/* False: it is not expected any more. It has ended, or executed a program with rights that are not its user's. */
static bool record_process(uint32_t tgid)
{
	__u64 *word = &hyb_bpf_shared()->jobs[tgid / 32];
	__u64 had = __atomic_load_n(word, __ATOMIC_RELAXED);

	do {
		if (!(had & hyb_bpf_member(tgid, HYB_BPF_EXPECTED)))
			return false;
	} while (!__atomic_compare_exchange_n(word, &had, had | hyb_bpf_member(tgid, HYB_BPF_RECORDED), false,
					      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	return true;
}

static void add_process(uint32_t tgid)
{
	if (tgid >= HYB_BPF_PIDS || !record_process(tgid)) {
		hyb_tasks_left(tgid);
		return;
	}
	/* Once more, for the threads that it started before it was recorded: no record told of these. */
	hyb_tasks_add_process(tgid);
	if (bpf.chains)
		hyb_chain_add_process(tgid, hyb_clock_raw());
}

static int give_slot(uint32_t tgid, uint32_t tid, int *block, uint64_t *at)
{
	return bpf.profile ? hyb_bpf_slot_give(tgid, tid, block, at) : -EOPNOTSUPP;
}

static bool stream_name(unsigned int index, char *buf, unsigned int size)
{
	for (uint32_t i = 0; i < bpf.count; i++) {
		if (!bpf.cpus[i].online || index--)
			continue;
		snprintf(buf, size, "cpu-%u.hyb", i);
		return true;
	}
	return false;
}

const struct hyb_source hyb_source_bpf = {
	.name = "bpf",
	.not_allowed = "hybmon-collect lacks CAP_BPF or CAP_PERFMON: setcap cap_bpf,cap_perfmon+ep on it, or be root",
	/* Kernels before 5.19 want it to look into a map. */
	.capabilities = HYB_CAPABILITY(CAP_BPF),
	.has_profile = true,
	.has_mappings = true,
	.open = open_bpf,
	.expect_process = expect_process,
	.add_process = add_process,
	.drain = drain,
	.close = close_bpf,
	.lost = lost,
	.give_slot = give_slot,
	.stream_name = stream_name,
};
