/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own file; see library.h. */
#include "base/library.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "base/config.h"
#include "base/text.h"

uint32_t hyb_unload_turn = 1;

/* These stay as long as the process does. Threads that ask at once find the same. */
static const char *path;
static uintptr_t base;
static unsigned int at_start;	/* so many objects are never unloaded; the dynamic linker has them first */

static int count_object(struct dl_phdr_info *object, size_t size, void *count)
{
	(void)object;
	(void)size;
	++*(unsigned int *)count;
	return 0;
}

/*
 * All objects are those that the program came with; unless hybmon was loaded late, with a library that is linked with
 * it: then nothing is known to stay, and ours is not seen by everybody.
 */
void hyb_library_start(void)
{
	unsigned int count = 0;

	if (!dlsym(RTLD_DEFAULT, "hybmon_version"))
		return;
	dl_iterate_phdr(count_object, &count);
	at_start = count;
}

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

struct search {
	uintptr_t at;
	unsigned int left;	/* objects that stay */
};

static int visit_staying(struct dl_phdr_info *object, size_t size, void *data)
{
	struct search *s = data;

	(void)size;
	if (!s->left--)
		return -1;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];

		if (h->p_type == PT_LOAD && s->at - object->dlpi_addr - h->p_vaddr < h->p_memsz)
			return 1;
	}
	return 0;
}

bool hyb_library_stays(const void *address)
{
	struct search s = { .at = (uintptr_t)address, .left = at_start };

	return dl_iterate_phdr(visit_staying, &s) == 1;
}

/* Release: pairs with the loads with acquire of those who keep addresses. */
void hyb_library_raise_turn(void)
{
	__atomic_fetch_add(&hyb_unload_turn, 1, __ATOMIC_RELEASE);
}

static int take_count(struct dl_phdr_info *object, size_t size, void *count)
{
	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(object->dlpi_subs))
		*(unsigned long long *)count = object->dlpi_subs;
	return 1;
}

unsigned long long hyb_library_unloads(void)
{
	unsigned long long count = 0;

	dl_iterate_phdr(take_count, &count);
	return count;
}

int hyb_library_close(void *handle)
{
	static int (*next)(void *handle);
	int (*close_it)(void *handle) = __atomic_load_n(&next, __ATOMIC_RELAXED);
	const unsigned long long before = hyb_library_unloads();
	int ret;

	if (!close_it) {
		close_it = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
		__atomic_store_n(&next, close_it, __ATOMIC_RELAXED);
	}
	ret = close_it(handle);
	if (hyb_library_unloads() != before)
		hyb_library_raise_turn();
	return ret;
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
