/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the profile that the programs in the kernel make: from their map into the file `profile`
 * (doc/trace-format.md).
 */
#ifndef HYB_COLLECTOR_BPF_PROFILE_FILE_H
#define HYB_COLLECTOR_BPF_PROFILE_FILE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Writes what the profile has by now: all of it or, without space on disk, nothing. map: the descriptor of the map
 * `profile`; until: the time; lost: how many events are not in it. 0 or -errno.
 */
int hyb_bpf_profile_save(int map, uint64_t until, uint64_t lost);

#endif
