/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How threads wait, where hybmon run has put LLVM's runtime in libgomp's place. With more threads than the process has
 * CPUs, which Open MPI makes of two ranks with two threads each by binding each rank to one core, libgomp's threads
 * sleep at once, but LLVM's go on looking for work for 200 ms, on the CPU that the others need: programs took ten times
 * as long. So they are told to sleep, too, unless the user has said how they are to wait.
 */
#include "ompt/callbacks.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

#include "core/sys/sys.h"
#include "core/job/job.h"
#include "ompt/libgomp.h"

#define CPU_BYTES 1024	/* a bit for each CPU; the kernel has 8192 at most */

uint32_t hyb_omp_cpus = UINT32_MAX;
static void (*set_blocktime)(int milliseconds);

static bool is_chosen(void)
{
	static const char *const names[] = { "OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (hyb_job_env(names[i]))
			return true;
	}
	return false;
}

/* Whether that object was preloaded and there is a libgomp that nothing is called in. */
static bool stands_in(const char *path)
{
	const char *preload = hyb_job_env("LD_PRELOAD");
	const char *found = preload && *path ? strstr(preload, path) : NULL;
	char end = found ? found[strlen(path)] : 'x';

	return (!end || end == ':' || end == ' ') && hyb_gomp_is_there();
}

static uint32_t count_cpus(void)
{
	unsigned char bits[CPU_BYTES];
	long n = HYB_SYS(sched_getaffinity, 0, sizeof(bits), bits, 0, 0, 0);
	uint32_t count = 0;

	for (long i = 0; i < n; i++)
		count += (uint32_t)__builtin_popcount(bits[i]);
	return count ? count : UINT32_MAX;
}

static void start_waiting(void)
{
	void *function = dlsym(RTLD_DEFAULT, "kmp_set_blocktime");
	void *entry = dlsym(RTLD_DEFAULT, "GOMP_parallel");
	Dl_info its, entrys;

	if (!function || !entry || is_chosen() || !dladdr(function, &its) || !dladdr(entry, &entrys) ||
	    its.dli_fbase != entrys.dli_fbase || !its.dli_fname || !stands_in(its.dli_fname))
		return;
	*(void **)&set_blocktime = function;
	hyb_omp_cpus = count_cpus();
}

void hyb_omp_wait_start(void)
{
	uint64_t signals;

	/* A handler that left this by longjmp would leave the dynamic linker's lock held. */
	hyb_sys_block_signals(&signals);
	start_waiting();
	hyb_sys_restore_signals(&signals);
}

HYB_COLD void hyb_omp_crowded(void)
{
	set_blocktime(0);
}
