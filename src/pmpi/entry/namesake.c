/* SPDX-License-Identifier: BSD-3-Clause */
/* Namesakes of MPI's functions; see namesake.h. */
#include "pmpi/entry/namesake.h"

#include <stddef.h>

#include "core/config/library.h"
#include "core/sys/text.h"
#include "pmpi/entry/symbols.h"

struct search {
	const char *names;
	uintptr_t ours;		/* where libhybmon.so is */
	uintptr_t site;
	void *found;
	bool imports;		/* who calls has the name from elsewhere */
};

/* What belongs to an MPI has each function by its PMPI name, too. */
static bool is_of_mpi(const struct dl_phdr_info *object, const char *name)
{
	char other[128];

	hyb_text_format(other, sizeof(other), "%s%s", *name == 'M' ? "P" : "p", name);
	return hyb_symbols_in(object, other);
}

static int visit_mpi(struct dl_phdr_info *object, size_t size, void *names)
{
	(void)size;
	for (const char *name = names; *name; name += strlen(name) + 1) {
		if (is_of_mpi(object, name))
			return 1;
	}
	return 0;
}

bool hyb_namesake_has_mpi(const char *names)
{
	return dl_iterate_phdr(visit_mpi, (void *)(uintptr_t)names);
}

static int visit(struct dl_phdr_info *object, size_t size, void *data)
{
	struct search *s = data;
	bool calls;

	(void)size;
	if (object->dlpi_addr == s->ours)
		return 0;
	calls = hyb_symbols_object_has(object, s->site);
	for (const char *name = s->names; *name; name += strlen(name) + 1) {
		void *own = hyb_symbols_in(object, name);

		if (own && !is_of_mpi(object, name)) {
			/* The caller's own is the one; else the first of any. */
			if (calls || !s->found)
				s->found = own;
			if (calls)
				return 1;
		} else if (calls && !own && hyb_symbols_wanted(object, name)) {
			s->imports = true;
		}
	}
	return 0;
}

void *hyb_namesake_find(const char *names, const void *site)
{
	struct search s = { .names = names, .site = (uintptr_t)site, .ours = hyb_library_base() };

	if (!s.ours)
		return NULL;
	dl_iterate_phdr(visit, &s);
	return s.imports ? NULL : s.found;
}
