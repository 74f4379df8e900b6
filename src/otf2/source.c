/* SPDX-License-Identifier: BSD-3-Clause */
/* From addresses to source lines with elfutils; see source.h. */
#include "otf2/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef HAVE_LIBDW
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#endif

/* What is known of an address in a binary. */
struct spot {
	uint64_t at;
	char *where; /* for people */
	struct hyb_place place;
};

/* A program or library, opened at its first address. All processes of a job have the same ones. */
struct binary {
	char *path;
	unsigned char *build;
	uint32_t build_length;
	struct hyb_table spots; /* struct spot: looking one up takes long, and every process asks in every reading */
#ifdef HAVE_LIBDW
	Dwfl *dwfl; /* NULL: it cannot be read, or is not what ran */
	Dwfl_Module *module;
	uint64_t bias;
#endif
};

struct hyb_sources {
	const struct hyb_diag *diag;
	pthread_mutex_t lock;
	struct binary *binaries;
	size_t count;
};

static bool same_spot(const void *entry, const void *key)
{
	return !memcmp(entry, key, sizeof(uint64_t));
}

static void free_binary(struct binary *b)
{
	uint32_t i;

	for (i = 0; i < b->spots.count; i++)
		free(((struct spot *)hyb_table_at(&b->spots, i))->where);
	hyb_table_free(&b->spots);
#ifdef HAVE_LIBDW
	if (b->dwfl)
		dwfl_end(b->dwfl);
#endif
	free(b->path);
	free(b->build);
}

struct hyb_sources *hyb_sources_new(const struct hyb_diag *diag)
{
	struct hyb_sources *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->diag = diag;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void hyb_sources_free(struct hyb_sources *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->count; i++)
		free_binary(&s->binaries[i]);
	free(s->binaries);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#ifdef HAVE_LIBDW

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* A program that was built again since has other lines: better none than wrong ones. */
static bool same_build(const struct binary *b)
{
	const unsigned char *bits;
	GElf_Addr at;
	int n = dwfl_module_build_id(b->module, &bits, &at);

	if (!b->build_length || n <= 0)
		return true;
	return (uint32_t)n == b->build_length && !memcmp(bits, b->build, b->build_length);
}

static void open_binary(const struct hyb_sources *s, struct binary *b)
{
	const char *why = NULL;
	GElf_Addr bias = 0;
	struct stat st;

	/* The name comes from a trace: nobody shall wait for a pipe's other end. */
	if (!stat(b->path, &st) && !S_ISREG(st.st_mode))
		return;
	b->dwfl = dwfl_begin(&callbacks);
	if (!b->dwfl)
		return;
	b->module = dwfl_report_offline(b->dwfl, b->path, b->path, -1);
	dwfl_report_end(b->dwfl, NULL, NULL);
	if (!b->module || !dwfl_module_getelf(b->module, &bias))
		why = dwfl_errmsg(-1);
	else if (!same_build(b))
		why = "it was changed since it ran";
	if (why) {
		hyb_diag_say(s->diag, HYB_SEV_NOTE,
			     "%s: %s: places in it are shown as addresses", b->path, why);
		dwfl_end(b->dwfl);
		b->dwfl = NULL;
	}
	b->bias = bias;
}

/*
 * The table by which libdw finds the unit of an address is left out by some compilers (clang): then each unit is
 * asked.
 */
static const char *find_line(Dwfl_Module *module, GElf_Addr address, int *number)
{
	Dwfl_Line *quick = dwfl_module_getsrc(module, address);
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;
	Dwarf_Line *line;

	if (quick)
		return dwfl_lineinfo(quick, NULL, number, NULL, NULL, NULL);
	while ((unit = dwfl_module_nextcu(module, unit, &bias))) {
		if (dwarf_haspc(unit, address - bias) != 1)
			continue;
		line = dwarf_getsrc_die(unit, address - bias);
		if (line && !dwarf_lineno(line, number))
			return dwarf_linesrc(line, NULL, NULL);
	}
	return NULL;
}

/* The line, or the symbol, of what comes before `at` in b. False: neither is known. */
static bool look_up(struct binary *b, uint64_t at, struct hyb_place *place, char *buf, size_t size)
{
	GElf_Addr address = at - 1 + b->bias;
	const char *file, *symbol;
	GElf_Off offset;
	GElf_Sym sym;
	int number = 0;

	if (!b->dwfl)
		return false;
	file = find_line(b->module, address, &number);
	if (file) {
		place->file = file;
		place->line = (uint32_t)number;
		snprintf(buf, size, "%s:%d", last_part(file), number);
		return true;
	}
	symbol = dwfl_module_addrinfo(b->module, address, &offset, &sym, NULL, NULL, NULL);
	if (symbol)
		snprintf(buf, size, "%s+0x%llx", symbol, (unsigned long long)offset + 1);
	return symbol != NULL;
}

#else

static void open_binary(const struct hyb_sources *s, struct binary *b)
{
	(void)s;
	(void)b;
}

static bool look_up(struct binary *b, uint64_t at, struct hyb_place *place, char *buf, size_t size)
{
	(void)b;
	(void)at;
	(void)place;
	(void)buf;
	(void)size;
	return false;
}

#endif

static bool is_it(const struct binary *b, const struct hyb_object *o)
{
	return b->build_length == o->build_length && !strcmp(b->path, o->path) &&
	       !memcmp(b->build, o->build, o->build_length);
}

/* NULL without memory. */
static struct binary *find_binary(struct hyb_sources *s, const struct hyb_object *o)
{
	struct binary *b, *grown;
	size_t i;

	for (i = 0; i < s->count; i++)
		if (is_it(&s->binaries[i], o))
			return &s->binaries[i];
	grown = realloc(s->binaries, (s->count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	s->binaries = grown;
	b = &grown[s->count];
	memset(b, 0, sizeof(*b));
	hyb_table_init(&b->spots, sizeof(struct spot), same_spot);
	b->path = strdup(o->path);
	b->build = malloc(o->build_length + 1);
	if (!b->path || !b->build) {
		free(b->path);
		free(b->build);
		return NULL;
	}
	memcpy(b->build, o->build, o->build_length);
	b->build_length = o->build_length;
	s->count++;
	open_binary(s, b);
	return b;
}

/* NULL without memory. */
static const struct spot *find_spot(struct binary *b, uint64_t at)
{
	struct spot found = { .at = at }, *spot = hyb_table_find(&b->spots, hyb_mix(at), &at);
	char where[4096];

	if (spot)
		return spot;
	if (!look_up(b, at, &found.place, where, sizeof(where)))
		snprintf(where, sizeof(where), "%s+0x%llx", last_part(b->path), (unsigned long long)at);
	found.where = strdup(where);
	spot = found.where ? hyb_table_add(&b->spots, hyb_mix(at)) : NULL;
	if (spot)
		*spot = found;
	else
		free(found.where);
	return spot;
}

struct hyb_gregion *hyb_sources_region(struct hyb_sources *s, struct hyb_regions *regions,
				       const struct hyb_defs *defs, const struct hyb_region *r)
{
	const struct hyb_object *object = r->object ? hyb_defs_object(defs, r->object) : NULL;
	struct spot nowhere = { .where = NULL };
	const struct spot *spot = &nowhere;
	struct hyb_gregion *region = NULL;
	struct binary *b;
	char name[8192];

	if (!r->address)
		return hyb_regions_get(regions, r->name, r->role, r->paradigm, r->coll);
	pthread_mutex_lock(&s->lock);
	if (object) {
		b = find_binary(s, object);
		spot = b ? find_spot(b, r->address - object->base) : NULL;
	}
	if (spot && spot->where)
		snprintf(name, sizeof(name), "%s @%s", r->name, spot->where);
	else
		snprintf(name, sizeof(name), "%s @0x%llx", r->name, (unsigned long long)r->address);
	if (spot)
		region = hyb_regions_get_at(regions, name, r->name, &spot->place, r->role, r->paradigm);
	pthread_mutex_unlock(&s->lock);
	return region;
}
