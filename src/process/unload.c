/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries that the program unloads: another one may be loaded where it was, and calls from there would be taken for
 * calls from the first. dlclose is the way, of whose calls most unload nothing, since somebody else uses the library.
 * It may not come here: UCX, which MPICH has in Debian 13, puts a function of its own into everybody's tables, and
 * RTLD_DEEPBIND finds libc's. So the library tells as well: what compilers put at the end of each calls __cxa_finalize.
 */
#include <dlfcn.h>
#include <stdbool.h>

#include "base/compiler.h"
#include "base/library.h"
#include "record/objects.h"
#include "record/recorder.h"

/* Libraries that went past us, too, since the last call: libc closes some, and so does what has RTLD_DEEPBIND. */
static bool has_unloaded(void)
{
	static unsigned long long known;
	const unsigned long long count = hyb_library_unloads();

	return __atomic_exchange_n(&known, count, __ATOMIC_RELAXED) != count;
}

HYB_EXPORT void __cxa_finalize(void *object);

/* A library is about to be unloaded, or the process is about to end; NULL: the latter. */
void __cxa_finalize(void *object)
{
	static void (*next)(void *object);
	void (*finalize)(void *object) = __atomic_load_n(&next, __ATOMIC_RELAXED);

	if (!finalize) {
		finalize = (void (*)(void *))dlsym(RTLD_NEXT, "__cxa_finalize");
		__atomic_store_n(&next, finalize, __ATOMIC_RELAXED);
	}
	if (finalize)
		finalize(object);
	if (!object)
		return;
	hyb_library_raise_turn();
	if (hyb_recorder_is_recording())
		hyb_objects_unloaded();
}

HYB_EXPORT int dlclose(void *handle)
{
	int ret;

	/* What others find meanwhile in what is about to go is not kept. */
	hyb_library_raise_turn();
	ret = hyb_library_close(handle);
	if (has_unloaded() && hyb_recorder_is_recording())
		hyb_objects_unloaded();
	return ret;
}
