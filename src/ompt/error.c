/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors: the directive, or the runtime's own. LLVM's runtime, and what is made of it (14 to 19, none is known to do
 * better), measures the message of a directive for the tool, also of one that has none: the program dies of it. So it
 * is not asked for errors; the function that compilers call for the directive is ours, and says what the callback
 * would.
 */
#include "ompt/callbacks.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "core/config/library.h"
#include "core/sys/log.h"
#include "core/sys/sys.h"

#define MESSAGE_MAX (8 * (HYB_GROUP_MAX - 2))

/* The directive error, or the runtime's own. A message that is too long is cut, not within a character. */
void hyb_omp_error(int severity, const char *message, size_t length, const void *code)
{
	uint64_t *p = hyb_omp_record(HYB_POINT, hyb_omp_region(HYB_OMP_ERROR, code));
	size_t bytes = message ? length : 0;
	size_t words;

	if (!p)
		return;
	if (bytes > MESSAGE_MAX) {
		bytes = MESSAGE_MAX;
		while (bytes && ((unsigned char)message[bytes] & 0xc0) == 0x80)
			bytes--;
	}
	words = 1 + (bytes + 7) / 8;
	*p++ = hyb_omp_word(HYB_MESSAGE, (uint64_t)words << 40 |
			    (uint64_t)(severity == ompt_fatal ? HYB_MESSAGE_FATAL : HYB_MESSAGE_WARNING) << 32 |
			    bytes);
	if (bytes) {
		p[words - 2] = 0;
		memcpy(p, message, bytes);
	}
	hyb_publish(p + words - 1);
}

/* What an error directive is translated to; its arguments are those of LLVM's runtime. */
HYB_EXPORT void __kmpc_error(void *place, int severity, const char *message);

/* Set when the runtime starts, by one thread; relaxed, since nothing else is told by them. */
bool hyb_omp_asked;
bool hyb_omp_errors_called;

/* What the object with that code finds among what it was loaded with. */
static void *find_from(const void *code, const char *name)
{
	struct link_map *map = NULL;
	void *handle = NULL;
	void *found = NULL;
	Dl_info info;

	if (dladdr1(code, &info, (void **)&map, RTLD_DL_LINKMAP) && map)
		handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
	if (handle) {
		found = dlsym(handle, name);
		hyb_library_close(handle);
	}
	return found && !hyb_library_has(found) ? found : NULL;
}

/*
 * What would be called without us: in the global scope, or, where a library was loaded for itself (RTLD_LOCAL), in that
 * of who calls. Looked up each time: it may be gone the next time, and nobody makes many errors.
 */
static void *find_next(const void *caller, const char *name)
{
	uint64_t signals;
	void *next;

	/* A handler that left this by longjmp would leave the dynamic linker's lock held. */
	hyb_sys_block_signals(&signals);
	next = dlsym(RTLD_NEXT, name);
	if (!next)
		next = find_from(caller, name);
	hyb_sys_restore_signals(&signals);
	return next;
}

/*
 * The runtime may not have started, and so not have asked for a tool: an error may be the first that a program does.
 * Asked for its library mode, it starts as it does at the begin of its own function.
 */
static void start_runtime(const void *caller)
{
	int (*get)(void) = (int (*)(void))find_next(caller, "kmp_get_library");

	if (get)
		get();
}

void __kmpc_error(void *place, int severity, const char *message)
{
	const void *code = __builtin_return_address(0);
	void (*next)(void *place, int severity, const char *message);
	int saved = errno;

	next = (void (*)(void *, int, const char *))find_next(code, "__kmpc_error");
	if (next && !__atomic_load_n(&hyb_omp_asked, __ATOMIC_RELAXED))
		start_runtime(code);
	if (__atomic_load_n(&hyb_omp_errors_called, __ATOMIC_RELAXED))
		hyb_omp_error(severity, message, message ? strlen(message) : 0, code);
	if (!next)
		hyb_log_once(HYB_LOG_WARNING, "no OpenMP runtime has __kmpc_error: an error directive "
			     "of the program does nothing; load the runtime with RTLD_GLOBAL");
	errno = saved;
	if (next)
		next(place, severity, message);
}
