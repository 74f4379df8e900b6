/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings that a collector gets: HYB_COLLECT_SETTING(member of a request, member of struct hyb_config, WORD or SIZE, least,
 * most, what it is a multiple of). The struct of the request, what libhybmon sends, and what the collector refuses come
 * from here, so a new setting is a line here, and one in core/config/config.tbl.h with its member in core/config/config.h.
 */
HYB_COLLECT_SETTING(source, kernel, WORD, HYB_KERNEL_OFF, HYB_KERNEL_BPF, 1)
HYB_COLLECT_SETTING(events, kernel_events, WORD, 0, UINT32_MAX, 1)
HYB_COLLECT_SETTING(tasks, kernel_tasks, WORD, HYB_KERNEL_JOB, HYB_KERNEL_ALL, 1)
HYB_COLLECT_SETTING(profile, kernel_profile, WORD, HYB_KERNEL_PROFILE_NO, HYB_KERNEL_PROFILE_ONLY, 1)
HYB_COLLECT_SETTING(buffer, kernel_buffer, SIZE, 4096u, 1u << 30, 1)
HYB_COLLECT_SETTING(chunk, chunk, SIZE, HYB_CHUNK_MIN, HYB_CHUNK_MAX, 4096)
HYB_COLLECT_SETTING(ring, ring, SIZE, 0, UINT64_C(1) << 44, 1)
HYB_COLLECT_SETTING(sample_stack, sample_stack, SIZE, 0, 64u << 10, 1)
