/* SPDX-License-Identifier: BSD-3-Clause */
/* libbpf, loaded at run time; see library.h. */
#define HYB_LIBBPF_PLAIN
#include "collector/bpf/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct hyb_libbpf hyb_libbpf;

static bool find(void *library, const char *name, void *function)
{
	void *at = dlsym(library, name);

	memcpy(function, &at, sizeof(at));
	return at;
}

int hyb_libbpf_load(void)
{
	static bool loaded;
	void *library;
	bool all = true;

	if (loaded)
		return 0;
	/* A collector with file capabilities finds it in the directories of the system only: ld.so(8). */
	library = dlopen("libbpf.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return -ENOENT;
#define HYB_LIBBPF_FIND(name) all = find(library, #name, &hyb_libbpf.name) && all;
	HYB_LIBBPF_FUNCTIONS(HYB_LIBBPF_FIND)
	if (!all) {
		dlclose(library);
		return -ENOSYS;
	}
	loaded = true;
	return 0;
}
