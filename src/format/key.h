/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 128-bit keys of what processes must name alike without talking to each other. Part of the format, since a reader
 * makes keys of keys where it learns what the processes could not know: see struct hyb_def_comm.
 */
#ifndef HYB_FORMAT_KEY_H
#define HYB_FORMAT_KEY_H

#include <stdint.h>

static inline uint64_t hyb_key_mix(uint64_t x)
{
	x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
	x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

/* Takes one more word in; the order counts. */
static inline void hyb_key_add(uint64_t key[2], uint64_t word)
{
	key[0] = hyb_key_mix(key[0] + word + UINT64_C(0x9e3779b97f4a7c15));
	key[1] = hyb_key_mix((key[1] ^ word) * UINT64_C(0xd6e8feb86659fd93) + 1);
}

static inline void hyb_key_add_key(uint64_t key[2], const uint64_t other[2])
{
	hyb_key_add(key, other[0]);
	hyb_key_add(key, other[1]);
}

/* Takes two keys in, in an order that does not depend on which is whose. */
static inline void hyb_key_add_pair(uint64_t key[2], const uint64_t a[2], const uint64_t b[2])
{
	int swap = b[0] < a[0] || (b[0] == a[0] && b[1] < a[1]);

	hyb_key_add_key(key, swap ? b : a);
	hyb_key_add_key(key, swap ? a : b);
}

/* The key of what is made of something with the key `from`, where `step` tells what is made of it. */
static inline void hyb_key_of_step(uint64_t key[2], const uint64_t from[2], const uint64_t step[2])
{
	key[0] = 0;
	key[1] = 0;
	hyb_key_add_key(key, from);
	hyb_key_add_key(key, step);
}

static inline void hyb_key_add_string(uint64_t key[2], const char *s)
{
	while (*s)
		hyb_key_add(key, (unsigned char)*s++);
	hyb_key_add(key, 0);
}

#endif
