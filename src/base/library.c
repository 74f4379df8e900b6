/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own file; see library.h. */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

#include "base/config.h"
#include "base/text.h"

/* Both stay as long as the process does. Threads that ask at once find the same. */
static const char *path;
static uintptr_t base;

void hyb_library_look(void)
{
	static const char here;
	Dl_info info;

	if (!dladdr(&here, &info))
		return;
	__atomic_store_n(&path, info.dli_fname, __ATOMIC_RELAXED);
	/* Release: pairs with the loads below; who sees it sees the path. */
	__atomic_store_n(&base, (uintptr_t)info.dli_fbase, __ATOMIC_RELEASE);
}

uintptr_t hyb_library_base(void)
{
	if (!__atomic_load_n(&base, __ATOMIC_ACQUIRE))
		hyb_library_look();
	return __atomic_load_n(&base, __ATOMIC_ACQUIRE);
}

bool hyb_library_has(const void *address)
{
	Dl_info info;

	return dladdr(address, &info) && (uintptr_t)info.dli_fbase == hyb_library_base();
}

/* The length of the whole text, as hyb_text_format. */
static size_t beside(char *buf, size_t size, const char *start_dir, const char *name)
{
	const char *own = hyb_library_base() ? __atomic_load_n(&path, __ATOMIC_RELAXED) : NULL;
	const char *slash = own ? strrchr(own, '/') : NULL;
	size_t folder = slash ? (size_t)(slash - own) + 1 : 0;
	size_t n = 0;

	if (hyb_config.adapter_dir[0])
		return hyb_text_format(buf, size, "%s/%s", hyb_config.adapter_dir, name);
	if (!own)
		return size;
	if (own[0] != '/' && start_dir[0])
		n = hyb_text_format(buf, size, "%s/", start_dir);
	if (n + folder >= size)
		return size;
	memcpy(buf + n, own, folder);
	n += folder;
	return n + hyb_text_format(buf + n, size - n, "hybmon/%s", name);
}

bool hyb_library_beside(char *buf, size_t size, const char *start_dir, const char *name)
{
	if (beside(buf, size, start_dir, name) >= size) {
		*buf = 0;
		return false;
	}
	return true;
}
