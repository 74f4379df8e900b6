/* SPDX-License-Identifier: BSD-3-Clause */
/* In the kernel: transfers of block devices: which are the job's, and what a request says of itself. */
#ifndef HYB_COLLECTOR_BPF_BLOCK_BPF_H
#define HYB_COLLECTOR_BPF_BLOCK_BPF_H

#include "collector/bpf/filter.bpf.h"

#define REQUEST_HAS(flags, name) \
	(bpf_core_enum_value_exists(enum req_flag_bits, name) && \
	 (flags) >> bpf_core_enum_value(enum req_flag_bits, name) & 1)

static __always_inline __u32 request_flags(__u32 cmd)
{
	__u32 operation = cmd & 0xff;
	__u32 flags = 0;

	if (operation == REQ_OP_WRITE)
		flags |= HYB_BLOCK_WRITE;
	else if (operation == REQ_OP_DISCARD || operation == REQ_OP_SECURE_ERASE)
		flags |= HYB_BLOCK_DISCARD;
	else if (operation == REQ_OP_FLUSH)
		flags |= HYB_BLOCK_FLUSH;
	if (REQUEST_HAS(cmd, __REQ_PREFLUSH) || REQUEST_HAS(cmd, __REQ_FUA))
		flags |= HYB_BLOCK_FLUSH;
	if (REQUEST_HAS(cmd, __REQ_RAHEAD))
		flags |= HYB_BLOCK_READ_AHEAD;
	if (REQUEST_HAS(cmd, __REQ_META))
		flags |= HYB_BLOCK_META;
	return flags;
}

static __always_inline __u64 device_of(const struct request *request)
{
	struct gendisk *disk;

	if (bpf_core_field_exists(struct request_queue, disk))
		disk = BPF_CORE_READ(request, q, disk);
	else
		disk = BPF_CORE_READ((const struct request___disk *)request, rq_disk);
	if (!disk)
		return 0;
	return (__u64)BPF_CORE_READ(disk, major) << 20 | (BPF_CORE_READ(disk, first_minor) & 0xfffff);
}

static __always_inline bool is_passed_through(__u32 cmd)
{
	return (cmd & 0xff) == REQ_OP_DRV_IN || (cmd & 0xff) == REQ_OP_DRV_OUT;
}

/*
 * Requests of the job under way, by their addresses. A request may be complete on any CPU. Here it is known at once
 * that it is the job's; the collector, which reads one CPU's ring after another, would often see the completion first.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct hyb_bpf_request);
} requests SEC(".maps");

static __always_inline __u64 sector_of(const struct request *request)
{
	__u64 sector = BPF_CORE_READ(request, __sector);

	return is_passed_through(BPF_CORE_READ(request, cmd_flags)) || sector == ~0ull ? 0 : sector;
}

#endif
