/* SPDX-License-Identifier: BSD-3-Clause */
/* Which MPI this process has; see mpi-library.h. */
#include "pmpi/entry/mpi-library.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/library.h"
#include "core/sys/log.h"
#include "core/sys/memory.h"
#include "core/sys/text.h"

/* Written whole, then published with release, and never changed. */
static struct hyb_mpi_library *known;

/* Between uses: the same MPI, held, and not. */
static struct hyb_mpi_library *held, *loose;
static bool over;

/* MPI families by the name of their library, as the dynamic linker knows it (DT_SONAME). */
static const struct {
	const char *library;
	const char *abi;
} families[] = {
	{ "libmpi.so.40", "openmpi" },
	{ "libmpich.so.12", "mpich" },
	{ "libmpi.so.12", "mpich" },
	{ "libmpi_gnu", "mpich" },	/* Cray MPICH: libmpi_gnu_123.so.12 and its like */
	{ "libmpi_cray", "mpich" },
	{ "libmpi_intel", "mpich" },
	{ "libmpi_nvidia", "mpich" },
	{ "libmpi_amd", "mpich" },
};

static const char *family_of(const char *path)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		if (!strncmp(name, families[i].library, strlen(families[i].library)))
			return families[i].abi;
	}
	return NULL;
}

/* An MPI defines PMPI_Init itself, and not only through what it depends on. */
bool hyb_mpi_library_is_mpi(const char *path)
{
	void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	struct link_map *map = NULL;
	Dl_info info;
	void *init;
	bool own = false;

	if (!handle)
		return false;
	init = dlsym(handle, "PMPI_Init");
	if (init && dladdr(init, &info) && !dlinfo(handle, RTLD_DI_LINKMAP, &map))
		own = (uintptr_t)info.dli_fbase == (uintptr_t)map->l_addr;
	hyb_library_close(handle);
	return own;
}

struct candidate {
	unsigned int skip;	/* so many before it */
	char path[PATH_MAX];
};

/*
 * Only what could be an MPI is a candidate: dlopen on each of hundreds of objects takes its time. It is not called in
 * here, where the dynamic linker's second lock is held: another thread that loads something has the first lock and
 * waits for the second.
 */
static int visit_object(struct dl_phdr_info *object, size_t size, void *data)
{
	struct candidate *candidate = data;

	(void)size;
	if (!object->dlpi_name || !strstr(object->dlpi_name, "mpi") || candidate->skip--)
		return 0;
	hyb_text_format(candidate->path, sizeof(candidate->path), "%s", object->dlpi_name);
	return 1;
}

/* How many loaded objects are an MPI, and the path of the first. */
static unsigned int count_loaded(char *path, size_t size)
{
	struct candidate candidate;
	unsigned int found = 0;

	for (unsigned int i = 0;; i++) {
		candidate.skip = i;
		if (!dl_iterate_phdr(visit_object, &candidate))
			return found;
		if (hyb_mpi_library_is_mpi(candidate.path) && !found++)
			hyb_text_format(path, size, "%s", candidate.path);
	}
}

static bool is_loaded(const char *path)
{
	void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);

	if (handle)
		hyb_library_close(handle);
	return handle != NULL;
}

/* An MPI that is part of the program itself (linked statically, symbols exported) is no MPI to us. */
bool hyb_mpi_library_find(void)
{
	struct hyb_mpi_library *before = __atomic_load_n(&known, __ATOMIC_ACQUIRE), *fresh;
	char path[PATH_MAX];
	unsigned int found;
	void *init;
	Dl_info info;

	/* The program's own file has no handle, and is never unloaded. */
	if (before && (before->handle || (hyb_config.enable && before != loose && !hyb_mpi_library_is_over()) ||
		       is_loaded(before->path)))
		return true;
	if (before && before == loose)
		__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	found = count_loaded(path, sizeof(path));
	if (!found) {
		/* A library of another name, in the global scope. */
		init = dlsym(RTLD_DEFAULT, "PMPI_Init");
		if (!init || !dladdr(init, &info) || !info.dli_fname)
			return false;
		hyb_text_format(path, sizeof(path), "%s", info.dli_fname);
	}
	if (found > 1)
		hyb_log_once(HYB_LOG_WARNING, "this program has more than one MPI; recorded is what goes "
			     "to %s", path);
	fresh = hyb_alloc(sizeof(*fresh) + strlen(path) + 1);
	if (!fresh)
		return true;
	/* In no wider scope than it has. Where nothing is recorded it may be unloaded. */
	hyb_config_load();
	fresh->handle = hyb_config.enable && !hyb_mpi_library_is_over() ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	fresh->abi = family_of(path);
	memcpy(fresh->path, path, strlen(path) + 1);
	/* Of threads that come here at once the first one's holds. */
	__atomic_compare_exchange_n(&known, &before, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	return true;
}

const struct hyb_mpi_library *hyb_mpi_library(void)
{
	return __atomic_load_n(&known, __ATOMIC_ACQUIRE);
}

void *hyb_mpi_library_symbol(const char *name)
{
	const struct hyb_mpi_library *mpi = hyb_mpi_library();
	void *handle = mpi && mpi->handle ? mpi->handle : mpi ? dlopen(mpi->path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	void *found = handle ? dlsym(handle, name) : NULL;

	if (handle && !mpi->handle)
		hyb_library_close(handle);
	return found;
}

bool hyb_mpi_library_is_other(const void *function)
{
	const struct hyb_mpi_library *mpi = hyb_mpi_library();
	Dl_info info;

	return mpi && dladdr(function, &info) && info.dli_fname && family_of(info.dli_fname) &&
	       strcmp(info.dli_fname, mpi->path);
}

bool hyb_mpi_library_holds(const void *function)
{
	const struct hyb_mpi_library *mpi = hyb_mpi_library();
	Dl_info info;

	return mpi && mpi->handle && dladdr(function, &info) && info.dli_fname && !strcmp(info.dli_fname, mpi->path);
}

bool hyb_mpi_library_let_go(void)
{
	struct hyb_mpi_library *mpi = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
	const void *init = mpi && mpi->handle ? dlsym(mpi->handle, "PMPI_Init") : NULL;

	if (!init || hyb_library_stays(init))
		return false;
	if (!loose) {
		loose = hyb_alloc(sizeof(*loose) + strlen(mpi->path) + 1);
		if (!loose)
			return false;
		loose->handle = NULL;
		loose->abi = mpi->abi;
		memcpy(loose->path, mpi->path, strlen(mpi->path) + 1);
		held = mpi;
	}
	__atomic_store_n(&known, loose, __ATOMIC_RELEASE);
	hyb_library_close(mpi->handle);
	return true;
}

bool hyb_mpi_library_take(void)
{
	void *handle;

	if (!loose || hyb_mpi_library() != loose || hyb_mpi_library_is_over())
		return false;
	handle = dlopen(loose->path, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return false;
	held->handle = handle;
	__atomic_store_n(&known, held, __ATOMIC_RELEASE);
	return true;
}

void hyb_mpi_library_goes(const void *object)
{
	const struct hyb_mpi_library *mpi = hyb_mpi_library();
	Dl_info info;

	if (mpi && mpi == __atomic_load_n(&loose, __ATOMIC_RELAXED) && dladdr(object, &info) && info.dli_fname &&
	    !strcmp(info.dli_fname, mpi->path))
		__atomic_store_n(&over, true, __ATOMIC_RELAXED);
}

bool hyb_mpi_library_is_over(void)
{
	return __atomic_load_n(&over, __ATOMIC_RELAXED);
}
