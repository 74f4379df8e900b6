/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries that the program unloads: another one may be loaded where it was, and calls from there would be taken for
 * calls from the first. dlclose is the only way. Most of its calls unload nothing: somebody else uses the library.
 */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#include "base/compiler.h"
#include "record/objects.h"
#include "record/recorder.h"

static int take_count(struct dl_phdr_info *info, size_t size, void *count)
{
	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs))
		*(unsigned long long *)count = info->dlpi_subs;
	return 1;
}

/* How many were unloaded so far. */
static unsigned long long unloaded(void)
{
	unsigned long long count = 0;

	dl_iterate_phdr(take_count, &count);
	return count;
}

HYB_EXPORT int dlclose(void *handle)
{
	static int (*next)(void *handle);
	int (*close_it)(void *handle) = __atomic_load_n(&next, __ATOMIC_RELAXED);
	unsigned long long before;
	int ret;

	if (!close_it) {
		close_it = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
		__atomic_store_n(&next, close_it, __ATOMIC_RELAXED);
	}
	if (!hyb_recorder_is_recording())
		return close_it(handle);
	before = unloaded();
	ret = close_it(handle);
	if (unloaded() != before && hyb_recorder_is_recording())
		hyb_objects_unloaded();
	return ret;
}
