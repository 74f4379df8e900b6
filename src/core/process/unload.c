/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries that the program unloads: another one may be loaded where it was, and calls from there would be taken for
 * calls from the first. dlclose is the way, of whose calls most unload nothing, since somebody else uses the library.
 * It may not come here: UCX, which MPICH has in Debian 13, puts a function of its own into everybody's tables, and
 * RTLD_DEEPBIND finds libc's. So the library tells as well: what compilers put at the end of each calls __cxa_finalize.
 */
#include "core/process/unload.h"

#include <dlfcn.h>

#include "core/sys/compiler.h"
#include "core/config/library.h"
#include "core/record/nesting.h"
#include "core/record/objects.h"
#include "core/record/recorder.h"
#include "core/record/thread.h"

HYB_EXPORT void __cxa_finalize(void *object);

static void (*also)(const void *object);

void hyb_unload_also(void (*goes)(const void *object))
{
	__atomic_store_n(&also, goes, __ATOMIC_RELEASE);
}

/* What was found in a library is to be looked up again. */
static void library_goes(void)
{
	hyb_library_raise_turn();
	if (!hyb_recorder_is_recording())
		return;
	hyb_objects_unloaded();
	hyb_threads_forget_sites();
}

/*
 * A library is about to be unloaded, and `object` lies in it; or the process is about to end, where each library comes
 * here, or all of them as NULL.
 */
void __cxa_finalize(void *object)
{
	static void (*next)(void *object);
	void (*finalize)(void *object) = __atomic_load_n(&next, __ATOMIC_RELAXED);
	void (*goes)(const void *object);

	if (!finalize) {
		finalize = (void (*)(void *))dlsym(RTLD_NEXT, "__cxa_finalize");
		__atomic_store_n(&next, finalize, __ATOMIC_RELAXED);
	}
	if (finalize)
		finalize(object);
	if (!object || (!hyb_recorder_is_recording() && !hyb_library_any_passes()) || hyb_library_stays(object))
		return;
	hyb_nesting_forget(object);
	goes = __atomic_load_n(&also, __ATOMIC_ACQUIRE);
	if (goes)
		goes(object);
	library_goes();
}

HYB_EXPORT int dlclose(void *handle)
{
	static unsigned long long known;	/* how many were unloaded; others go past us */
	const unsigned long long before = hyb_library_unloads();
	const int ret = hyb_library_close(handle);
	const unsigned long long after = hyb_library_unloads();

	if (__atomic_exchange_n(&known, after, __ATOMIC_RELAXED) != after || after != before)
		library_goes();
	return ret;
}
