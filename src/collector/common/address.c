/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's addresses; see address.h. The rule is the kernel's own for /proc/kallsyms (kallsyms_show_value): a user
 * sees them if kernel.kptr_restrict is 0 and perf may have samples of the kernel, and with CAP_SYSLOG also if it is 1.
 * The capability counts only if it is the user's own.
 */
#include "collector/common/address.h"

#include <sys/random.h>
#include <unistd.h>

#include "collector/common/privilege.h"
#include "collector/common/proc.h"

static bool hidden = true;
static bool have_key;
static uint64_t key[2];

#define STRICT	2	/* a setting that cannot be read is taken for this */

static bool may_see(void)
{
	long restricted = hyb_proc_setting("/proc/sys/kernel/kptr_restrict", STRICT);

	if (!restricted && hyb_proc_setting("/proc/sys/kernel/perf_event_paranoid", STRICT) <= 1)
		return true;
	return restricted <= 1 && hyb_privilege_is_own(CAP_SYSLOG);
}

void hyb_address_start(void)
{
	hidden = getuid() && !may_see();
	have_key = getrandom(key, sizeof(key), GRND_NONBLOCK) == (ssize_t)sizeof(key);
}

bool hyb_address_hidden(void)
{
	return hidden;
}

static uint64_t rotate(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

static void mix(uint64_t v[4], int rounds)
{
	for (int i = 0; i < rounds; i++) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

/* SipHash-2-4 of eight bytes, as the kernel does it for %p: nobody finds the way back without the key. */
static uint64_t hash(uint64_t word)
{
	const uint64_t length = UINT64_C(8) << 56;
	uint64_t v[4] = {
		key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
		key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573),
	};

	v[3] ^= word;
	mix(v, 2);
	v[0] ^= word;
	v[3] ^= length;
	mix(v, 2);
	v[0] ^= length;
	v[2] ^= 0xff;
	mix(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t hyb_address_hide(uint64_t address)
{
	if (!hidden || !address)
		return address;
	/* Readers still take it for an address of the kernel's. 40 bits tell millions apart. */
	return UINT64_C(0xfffffd) << 40 | (have_key ? hash(address) >> 24 : 0);
}
