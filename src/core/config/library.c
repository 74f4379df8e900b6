/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own file; see library.h. */
#include "core/config/library.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "core/config/config.h"
#include "core/sys/text.h"

uint32_t hyb_unload_turn = 1;

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

/*
 * How many objects the program came with. The dynamic linker lists them in the order in which it loaded them: the
 * program, what is preloaded, and what these need, each behind one that needs it; what dlopen brings comes behind all of
 * them, first what nobody before it needs. A constructor that ran before ours may have brought some.
 */
#define NEEDED 4096	/* more names than programs need; what comes behind is taken for dlopen's */

static struct {
	uint32_t needed[NEEDED];	/* hashes of names, 0: free; under the dynamic linker's lock, as the rest */
	unsigned int names;
	bool roots;		/* no object so far was needed by one before it */
} closure;

static uint32_t hash_name(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash ? hash : 1;
}

static uint32_t *place_of(uint32_t hash)
{
	uint32_t i = hash;

	while (closure.needed[i % NEEDED] && closure.needed[i % NEEDED] != hash)
		i++;
	return &closure.needed[i % NEEDED];
}

static const char *file_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

/* Whether an object before this one needs it; then what it needs itself is noted. */
static bool take_names(const struct dl_phdr_info *object)
{
	const ElfW(Dyn) *dynamic = NULL;
	const char *names = NULL, *own = file_of(object->dlpi_name);
	bool is_needed;

	for (int i = 0; i < object->dlpi_phnum; i++) {
		if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
	}
	for (const ElfW(Dyn) *d = dynamic; d && d->d_tag != DT_NULL; d++) {
		/* As hyb_symbols_address: some dynamic linkers write addresses there, some leave what the file has. */
		if (d->d_tag == DT_STRTAB)
			names = (const char *)(d->d_un.d_ptr < object->dlpi_addr ? d->d_un.d_ptr + object->dlpi_addr :
									       d->d_un.d_ptr);
	}
	for (const ElfW(Dyn) *d = dynamic; d && names && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SONAME)
			own = names + d->d_un.d_val;
	}
	is_needed = *place_of(hash_name(own)) || *place_of(hash_name(file_of(object->dlpi_name)));
	for (const ElfW(Dyn) *d = dynamic; d && names && d->d_tag != DT_NULL && closure.names < NEEDED / 2; d++) {
		if (d->d_tag != DT_NEEDED)
			continue;
		*place_of(hash_name(file_of(names + d->d_un.d_val))) = hash_name(file_of(names + d->d_un.d_val));
		closure.names++;
	}
	return is_needed;
}

struct count {
	uintptr_t ours;
	unsigned int seen;
	unsigned int count;	/* here: another thread may count, too, once this one has */
	bool roots_to_ours;	/* we are preloaded, so what comes before us came with the program, too */
	bool has_ours;
};

static int count_object(struct dl_phdr_info *object, size_t size, void *data)
{
	struct count *c = data;
	bool is_needed;

	(void)size;
	if (!c->seen++) {
		memset(&closure, 0, sizeof(closure));
		closure.roots = true;
	}
	is_needed = take_names(object);
	closure.roots = closure.roots && !is_needed;
	if (!closure.roots && !is_needed && (c->has_ours || !c->roots_to_ours))
		return 1;
	c->has_ours |= object->dlpi_addr == c->ours;
	c->count++;
	return 0;
}

static bool preloaded;

void hyb_library_start(const char *list)
{
	preloaded = list && strstr(list, "libhybmon");
}

/* Neither changes, since none of these is ever unloaded. late: hybmon is none of them. */
static unsigned int objects_at_start(bool *late)
{
	static unsigned int known;
	static bool known_late;
	struct count c = { .ours = hyb_library_base(), .roots_to_ours = preloaded };

	if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE)) {
		dl_iterate_phdr(count_object, &c);
		__atomic_store_n(&known_late, !c.has_ours, __ATOMIC_RELAXED);
		/* Release: pairs with the load above. */
		__atomic_store_n(&known, c.count, __ATOMIC_RELEASE);
	}
	*late = __atomic_load_n(&known_late, __ATOMIC_RELAXED);
	return __atomic_load_n(&known, __ATOMIC_RELAXED);
}

struct search {
	uintptr_t at;
	unsigned int left;	/* of the objects that stay */
};

static int visit(struct dl_phdr_info *object, size_t size, void *data)
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

bool hyb_library_is_late(void)
{
	bool late;

	objects_at_start(&late);
	return late;
}

static bool passes;	/* somebody asked for what does not stay */

bool hyb_library_stays(const void *address)
{
	bool late;
	struct search s = { .at = (uintptr_t)address, .left = objects_at_start(&late) };

	if (dl_iterate_phdr(visit, &s) == 1)
		return true;
	__atomic_store_n(&passes, true, __ATOMIC_RELAXED);
	return false;
}

bool hyb_library_any_passes(void)
{
	return __atomic_load_n(&passes, __ATOMIC_RELAXED);
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
