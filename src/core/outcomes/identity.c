/* SPDX-License-Identifier: BSD-3-Clause */
/* Which thread is which; see identity.h. */
#include "core/outcomes/identity.h"

#include <dlfcn.h>
#include <pthread.h>

#include "core/sys/memory.h"
#include "core/sys/stack.h"

/* Identities fit numbers of an entry, and none is 0. */
#define BITS 62

struct openmp {
	int (*level)(void);
	int (*ancestor)(int level);
};

/* One that has been given out, and how often. */
struct given {
	struct given *next;
	uint64_t identity;
	uint64_t times;
};

static void find_openmp(void *data)
{
	struct openmp *openmp = data;

	*(void **)&openmp->level = dlsym(RTLD_DEFAULT, "omp_get_level");
	*(void **)&openmp->ancestor = dlsym(RTLD_DEFAULT, "omp_get_ancestor_thread_num");
}

static uint64_t mix(uint64_t hash, uint64_t number)
{
	return (hash ^ (number + 1)) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t times_given(uint64_t identity)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct given *all;
	struct given *given;
	uint64_t times = 0;

	pthread_mutex_lock(&lock);
	for (given = all; given && given->identity != identity; given = given->next)
		;
	if (!given) {
		given = hyb_alloc(sizeof(*given));
		if (given) {
			given->identity = identity;
			given->next = all;
			all = given;
		}
	}
	if (given)
		times = given->times++;
	pthread_mutex_unlock(&lock);
	return times;
}

uint64_t hyb_identity_make(void)
{
	struct openmp openmp = { .level = 0 };
	uint64_t identity = 0;
	int levels;

	hyb_stack_run(find_openmp, &openmp);
	levels = openmp.level && openmp.ancestor ? openmp.level() : 0;
	for (int i = 1; i <= levels; i++)
		identity = mix(identity, (uint64_t)openmp.ancestor(i));
	if (!levels)
		return 0;
	return (mix(identity, times_given(identity)) & ((UINT64_C(1) << BITS) - 1)) | 1;
}
