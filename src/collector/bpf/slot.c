/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slots of threads; see slot.h. A block is frozen: its user, who gets its descriptor, can read it and not write. So
 * nothing is cleared either: whoever gets a slot that another thread had goes on from what is there.
 */
#include "collector/bpf/slot.h"

#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/sys/clock.h"
#include "collector/bpf/layout.h"
#include "collector/bpf/library.h"
#include "collector/bpf/load.h"
#include "collector/common/map.h"
#include "collector/common/memory-limit.h"

struct slot {
	uint32_t tgid;	/* 0: it is free */
	uint32_t tid;
	uint64_t since;	/* CLOCK_MONOTONIC, as programs in the kernel read it */
};

struct block {
	int fd;
	struct slot slots[HYB_BPF_SLOTS];
};

static struct {
	int blocks_fd;
	int places_fd;
	struct block **blocks;
	uint32_t count;
	uint32_t used;			/* slots */
	struct hyb_map by_tid;
} all = { .blocks_fd = -1, .places_fd = -1 };

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	/* Programs in the kernel know nothing of time namespaces. */
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec - (uint64_t)hyb_clock_offset();
}

void hyb_bpf_slots_start(void)
{
	all.blocks_fd = hyb_bpf_map("blocks");
	all.places_fd = hyb_bpf_map("places");
}

static void set_free(struct slot *slot)
{
	hyb_map_take(&all.by_tid, slot->tid);
	slot->tgid = 0;
	all.used--;
}

void hyb_bpf_slot_ended(uint32_t tid, uint64_t time)
{
	struct slot *slot = hyb_map_get(&all.by_tid, tid);

	/* The number may be another thread's by now. */
	if (slot && time >= slot->since)
		set_free(slot);
}

static bool lives(const struct slot *slot)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/task/%u", slot->tgid, slot->tid);
	return !access(path, F_OK);
}

/* Those whose ends nobody told. */
static void look_for_ends(void)
{
	for (uint32_t i = 0; i < all.count; i++)
		for (uint32_t k = 0; k < HYB_BPF_SLOTS; k++) {
			struct slot *slot = &all.blocks[i]->slots[k];

			if (!slot->tgid || lives(slot))
				continue;
			bpf_map_delete_elem(all.places_fd, &slot->tid);
			set_free(slot);
		}
}

static int make_map(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	int fd, err;

	if (!hyb_memory_take((uint64_t)HYB_BPF_SLOTS * HYB_SLOT_SIZE))
		return -EDQUOT;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "hybmon_slots", sizeof(__u32), HYB_SLOT_SIZE, HYB_BPF_SLOTS, &options);
	if (fd < 0)
		return fd;
	err = bpf_map_freeze(fd);
	if (!err)
		err = bpf_map_update_elem(all.blocks_fd, &all.count, &fd, BPF_ANY);
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int add_block(void)
{
	struct block **more = realloc(all.blocks, (all.count + 1) * sizeof(struct block *));
	struct block *block = calloc(1, sizeof(*block));

	if (more)
		all.blocks = more;
	if (!more || !block) {
		free(block);
		return -ENOMEM;
	}
	block->fd = all.count < HYB_BPF_BLOCKS ? make_map() : -ENOSPC;
	if (block->fd < 0) {
		int err = block->fd;

		free(block);
		return err;
	}
	all.blocks[all.count++] = block;
	return 0;
}

static struct slot *find_free(struct hyb_bpf_place *place)
{
	for (place->block = 0; place->block < all.count; place->block++)
		for (place->slot = 0; place->slot < HYB_BPF_SLOTS; place->slot++)
			if (!all.blocks[place->block]->slots[place->slot].tgid)
				return &all.blocks[place->block]->slots[place->slot];
	return NULL;
}

int hyb_bpf_slot_give(uint32_t tgid, uint32_t tid, int *block, uint64_t *at)
{
	struct slot *slot = hyb_map_get(&all.by_tid, tid);
	struct hyb_bpf_place place;
	int err = 0;

	/* It had one, and asks once more; or another thread had this number. */
	if (slot)
		set_free(slot);
	if (all.used == all.count * HYB_BPF_SLOTS)
		look_for_ends();
	if (all.used == all.count * HYB_BPF_SLOTS)
		err = add_block();
	slot = err ? NULL : find_free(&place);
	if (!slot)
		return err ? err : -ENOSPC;
	*slot = (struct slot){ .tgid = tgid, .tid = tid, .since = now() };
	err = hyb_map_put(&all.by_tid, tid, slot);
	if (!err)
		err = bpf_map_update_elem(all.places_fd, &tid, &place, BPF_ANY);
	all.used++;
	if (err) {
		set_free(slot);
		return err;
	}
	__atomic_store_n(&hyb_bpf_shared()->slots, 1, __ATOMIC_RELAXED);
	*block = all.blocks[place.block]->fd;
	*at = (uint64_t)place.slot * HYB_SLOT_SIZE;
	return 0;
}

void hyb_bpf_slots_end(void)
{
	for (uint32_t i = 0; i < all.count; i++) {
		close(all.blocks[i]->fd);
		free(all.blocks[i]);
	}
	free(all.blocks);
	all.blocks = NULL;
	all.count = all.used = 0;
}
