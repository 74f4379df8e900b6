/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether this process is a copy; see copied.h. */
#include "core/record/copied.h"

#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "core/sys/sys.h"
#include "core/record/record.h"

#if defined(__x86_64__)
#define PAGE 4096
#else
#define PAGE 65536
#endif

/*
 * A page that nothing else lies in, of which the wrappers know the first word by that name: they ask it anyway. What a
 * child by vfork does happens in its parent's memory: that is no copy.
 */
extern union wiped wiped __asm__("hyb_recording") __attribute__((visibility("default")));

union wiped {
	struct {
		uint32_t recording;
		uint32_t original;
	} is;
	char page[PAGE];
} wiped __attribute__((aligned(PAGE)));

static int watched;

void hyb_copied_start(void)
{
	if (getauxval(AT_PAGESZ) > PAGE || HYB_SYS(madvise, &wiped, PAGE, MADV_WIPEONFORK, 0, 0, 0))
		return;
	__atomic_store_n(&wiped.is.original, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&watched, 1, __ATOMIC_RELEASE);
}

bool hyb_copied(void)
{
	/* acquire pairs with the release above: a copy that has this had the other, too */
	return __atomic_load_n(&watched, __ATOMIC_ACQUIRE) &&
	       !__atomic_load_n(&wiped.is.original, __ATOMIC_RELAXED);
}
