/* SPDX-License-Identifier: BSD-3-Clause */
/* From addresses to source lines with elfutils; see source.h. */
#include "symbols/source.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "containers/array.h"
#include "containers/table.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "symbols/demangle.h"
#endif

/* What is known of an address in a binary. */
struct spot {
	uint64_t at;
	char *where; /* for people */
	struct hyb_place place;
};

/* The same for call chains, by places in the file. */
struct frame {
	uint64_t at; /* offset << 1 | behind a call */
	char *text;  /* NULL: nothing is known */
};

/* A program or library, opened at its first address. All processes of a job have the same ones. */
struct binary {
	char *path;
	unsigned char *build;
	uint32_t build_length;
	struct hyb_table spots; /* struct spot: looking one up takes long, and every process asks in every reading */
	struct hyb_table frames; /* struct frame, for the same reason */
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
	size_t room;
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
	for (i = 0; i < b->frames.count; i++)
		free(((struct frame *)hyb_table_at(&b->frames, i))->text);
	hyb_table_free(&b->frames);
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

/*
 * since: when it was there as it ran, ns; 0: its build id says that. A call chain's file that cannot be read is no
 * news: the chain shows it.
 */
static void open_binary(const struct hyb_sources *s, struct binary *b, int64_t since)
{
	const char *why = NULL;
	GElf_Addr bias = 0;
	struct stat st = { .st_size = 0 };
	int fd = open(b->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	/* The name comes from a trace: nobody shall wait for a pipe's other end. */
	if (fd < 0 ? since != 0 : fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		if (fd >= 0)
			close(fd);
		return;
	}
	b->dwfl = dwfl_begin(&callbacks);
	if (!b->dwfl) {
		if (fd >= 0)
			close(fd);
		return;
	}
	/* The descriptor is libdw's from here on, if it can make something of it. */
	b->module = dwfl_report_offline(b->dwfl, b->path, b->path, fd);
	if (!b->module && fd >= 0)
		close(fd);
	dwfl_report_end(b->dwfl, NULL, NULL);
	if (!b->module || !dwfl_module_getelf(b->module, &bias))
		why = dwfl_errmsg(-1);
	else if (!same_build(b) || (since && st.st_mtim.tv_sec > since / 1000000000))
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

/*
 * The symbol that an address lies in and how far behind its begin, as people write it: to be freed, NULL: there is
 * none.
 */
static char *find_symbol(Dwfl_Module *module, GElf_Addr address, GElf_Off *offset)
{
	GElf_Sym sym;
	const char *symbol = dwfl_module_addrinfo(module, address, offset, &sym, NULL, NULL, NULL);
	char *name = symbol ? hyb_demangle(symbol) : NULL;

	return name || !symbol ? name : strdup(symbol);
}

/* The line, or the symbol, of what comes before `at` in b. False: neither is known. */
static bool look_up(struct binary *b, uint64_t at, struct hyb_place *place, char *buf, size_t size)
{
	GElf_Addr address = at - 1 + b->bias;
	const char *file;
	char *symbol;
	GElf_Off offset;
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
	symbol = find_symbol(b->module, address, &offset);
	if (!symbol)
		return false;
	snprintf(buf, size, "%s+0x%llx", symbol, (unsigned long long)offset + 1);
	free(symbol);
	return true;
}

/* Where a place in the file is by its program headers, as symbols and debug information have it. */
static bool address_of(const struct binary *b, uint64_t offset, GElf_Addr *address)
{
	Elf64_Ehdr header;
	Elf64_Phdr part;
	int fd = open(b->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "re");
	bool found = false;

	if (!f || fread(&header, sizeof(header), 1, f) != 1 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(part) || fseeko(f, (off_t)header.e_phoff, SEEK_SET))
		header.e_phnum = 0;
	for (unsigned int i = 0; !found && i < header.e_phnum && fread(&part, sizeof(part), 1, f) == 1; i++) {
		found = part.p_type == PT_LOAD && offset - part.p_offset < part.p_filesz;
		*address = offset - part.p_offset + part.p_vaddr + b->bias;
	}
	if (f)
		fclose(f);
	return found;
}

/* The unit that an address lies in; with its table left out (see above) each is asked. */
static Dwarf_Die *find_unit(Dwfl_Module *module, GElf_Addr address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(module, unit, bias)))
		if (dwarf_haspc(unit, address - *bias) == 1)
			break;
	return unit;
}

static bool is_function(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_subprogram || dwarf_tag(die) == DW_TAG_inlined_subroutine;
}

/*
 * What an address lies in, from the innermost block to the unit: to be freed. Of functions that were inlined only where
 * they are, not where they were written, which dwarf_getscopes would go on with: so it is asked for the first one only.
 * 0 or less: none.
 */
static int find_scopes(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **scopes)
{
	Dwarf_Die *first = NULL;
	int n = dwarf_getscopes(unit, address, &first);

	*scopes = NULL;
	if (n > 0)
		n = dwarf_getscopes_die(&first[0], scopes);
	free(first);
	return n;
}

static const char *call_file(Dwarf_Die *unit, Dwarf_Die *inlined)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Files *files;
	size_t count;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &number) ||
	    dwarf_getsrcfiles(unit, &files, &count) || number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

static Dwarf_Word call_line(Dwarf_Die *inlined)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	return dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) ? 0 : number;
}

/* Functions by debug information, each with the line that it is at. False: that has none there. */
static bool put_functions(struct binary *b, GElf_Addr address, const char *file, int line, FILE *to)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = find_unit(b->module, address, &bias), *scopes = NULL;
	int n = unit ? find_scopes(unit, address - bias, &scopes) : 0;
	Dwarf_Word number = (Dwarf_Word)line;
	const char *name;
	bool any = false;

	for (int i = 0; i < n; i++) {
		name = is_function(&scopes[i]) ? dwarf_diename(&scopes[i]) : NULL;
		if (!name)
			continue;
		fprintf(to, "%s%s", any ? " < " : "", name);
		any = true;
		if (file)
			fprintf(to, " (%s:%llu)", last_part(file), (unsigned long long)number);
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			break;
		file = call_file(unit, &scopes[i]);
		number = call_line(&scopes[i]);
	}
	free(scopes);
	return any;
}

static bool look_up_frame(struct binary *b, uint64_t at, FILE *to)
{
	const char *file;
	char *symbol;
	GElf_Addr address;
	GElf_Off offset;
	int line = 0;

	if (!b->dwfl || !address_of(b, at >> 1, &address))
		return false;
	address -= at & 1;
	file = find_line(b->module, address, &line);
	if (put_functions(b, address, file, line, to))
		return true;
	symbol = find_symbol(b->module, address, &offset);
	if (!symbol)
		return false;
	if (file)
		fprintf(to, "%s (%s:%d)", symbol, last_part(file), line);
	else
		fprintf(to, "%s+0x%llx (%s)", symbol, (unsigned long long)(offset + (at & 1)), last_part(b->path));
	free(symbol);
	return true;
}

#else

static void open_binary(const struct hyb_sources *s, struct binary *b, int64_t since)
{
	(void)s;
	(void)b;
	(void)since;
}

static bool look_up_frame(struct binary *b, uint64_t at, FILE *to)
{
	(void)b;
	(void)at;
	(void)to;
	return false;
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
static struct binary *add_binary(struct hyb_sources *s, const char *path, const void *build, uint32_t length, int64_t since)
{
	struct binary *b, *grown = hyb_array_room(s->binaries, &s->room, s->count, sizeof(*grown));

	if (!grown)
		return NULL;
	s->binaries = grown;
	b = &grown[s->count];
	memset(b, 0, sizeof(*b));
	hyb_table_init(&b->spots, sizeof(struct spot), same_spot);
	hyb_table_init(&b->frames, sizeof(struct frame), same_spot);
	b->path = strdup(path);
	b->build = malloc(length + 1);
	if (!b->path || !b->build) {
		free(b->path);
		free(b->build);
		return NULL;
	}
	if (length)
		memcpy(b->build, build, length);
	b->build_length = length;
	s->count++;
	open_binary(s, b, since);
	return b;
}

static struct binary *find_binary(struct hyb_sources *s, const struct hyb_object *o)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (is_it(&s->binaries[i], o))
			return &s->binaries[i];
	return add_binary(s, o->path, o->build, o->build_length, 0);
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

int hyb_sources_find(struct hyb_sources *s, const struct hyb_object *object, uint64_t at, const char **where,
		     struct hyb_place *place)
{
	const struct spot *spot = NULL;
	struct binary *b;

	pthread_mutex_lock(&s->lock);
	b = find_binary(s, object);
	spot = b ? find_spot(b, at) : NULL;
	if (spot) {
		*where = spot->where;
		*place = spot->place;
	}
	pthread_mutex_unlock(&s->lock);
	return spot ? 0 : -ENOMEM;
}

/* Any of that path: where its build id is known it is the one that ran. */
static struct binary *find_path(struct hyb_sources *s, const char *path, int64_t since)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (!strcmp(s->binaries[i].path, path))
			return &s->binaries[i];
	return add_binary(s, path, NULL, 0, since);
}

/* NULL without memory. */
static const struct frame *find_frame(struct binary *b, uint64_t at)
{
	struct frame *frame = hyb_table_find(&b->frames, hyb_mix(at), &at);
	char *text = NULL;
	size_t size = 0;
	bool known;
	FILE *to;

	if (frame)
		return frame;
	to = open_memstream(&text, &size);
	if (!to)
		return NULL;
	known = look_up_frame(b, at, to);
	if (fclose(to) || !known) {
		free(text);
		text = NULL;
	}
	frame = hyb_table_add(&b->frames, hyb_mix(at));
	if (frame)
		*frame = (struct frame){ at, text };
	else
		free(text);
	return frame;
}

bool hyb_sources_frame(struct hyb_sources *s, const char *path, int64_t since, uint64_t offset, bool behind, FILE *to)
{
	const struct frame *frame = NULL;
	bool known;
	struct binary *b;

	pthread_mutex_lock(&s->lock);
	b = find_path(s, path, since);
	if (b)
		frame = find_frame(b, offset << 1 | behind);
	known = frame && frame->text;
	if (known)
		fputs(frame->text, to);
	pthread_mutex_unlock(&s->lock);
	return known;
}
