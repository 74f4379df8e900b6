/* SPDX-License-Identifier: BSD-3-Clause */
/* What elfutils finds in one program or library; see debug.h. */
#include "reader/symbols/debug.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/symbols/object-file.h"

struct hyb_debug {
	const char *file; /* that is read */
	const char *path; /* where it was when it ran */
	const unsigned char *build;
	uint32_t build_length;
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias;
};

/* The C++ ABI's own, the same in both libraries. */
typedef char *(*demangle_t)(const char *symbol, char *buf, size_t *size, int *status);

static demangle_t demangle;

/* They stay loaded. */
static void find_demangler(void)
{
	static const char *const libraries[] = { "libstdc++.so.6", "libc++abi.so.1" };

	for (size_t i = 0; !demangle && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);

		if (library)
			demangle = (demangle_t)dlsym(library, "__cxa_demangle");
	}
}

/*
 * A name of C++ as people write it, to be freed. Who knows how is the library of GCC's or LLVM's C++, which is looked for
 * when the first such name comes, so that nothing here depends on it. NULL: it is none of C++, there is no such library,
 * or no memory; the symbol is the name then.
 */
static char *demangle_symbol(const char *symbol)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int status;

	/* Others are taken for names of types: "f" is float. */
	if (strncmp(symbol, "_Z", 2) != 0)
		return NULL;
	pthread_once(&once, find_demangler);
	return demangle ? demangle(symbol, NULL, NULL, &status) : NULL;
}

/* Debug information in a file of its own, which may be anything as well. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
			  const char *link, GElf_Word sum, char **path)
{
	int fd = hyb_object_file_may_search(file ? file : "", link) ?
			 dwfl_standard_find_debuginfo(module, data, name, base, file, link, sum, path) :
			 dwfl_build_id_find_debuginfo(module, data, name, base, file, link, sum, path);

	if (fd < 0 || !hyb_object_file_check(fd))
		return fd;
	close(fd);
	free(*path);
	*path = NULL;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* A program that was built again since has other lines: better none than wrong ones. */
static bool same_build(const struct hyb_debug *b)
{
	const unsigned char *bits;
	GElf_Addr at;
	int n = dwfl_module_build_id(b->module, &bits, &at);

	if (!b->build_length || n <= 0)
		return true;
	return (uint32_t)n == b->build_length && !memcmp(bits, b->build, b->build_length);
}

static const char *report(struct hyb_debug *b, int fd, GElf_Addr *bias)
{
	/* The descriptor is libdw's from here on, if it can make something of it. */
	b->module = dwfl_report_offline(b->dwfl, b->file, b->file, fd);
	if (!b->module)
		close(fd);
	dwfl_report_end(b->dwfl, NULL, NULL);
	return b->module && dwfl_module_getelf(b->module, bias) ? NULL : dwfl_errmsg(-1);
}

/* NULL: b is what ran. */
static const char *open_file(struct hyb_debug *b, int fd, const struct stat *st, int64_t since)
{
	const char *why;

	b->dwfl = dwfl_begin(&callbacks);
	if (!b->dwfl) {
		close(fd);
		return strerror(ENOMEM);
	}
	why = report(b, fd, &b->bias);
	if (!why && (!same_build(b) || (since && st->st_mtim.tv_sec > since / 1000000000)))
		why = "it was changed since it ran";
	return why;
}

struct hyb_debug *hyb_debug_open(const struct hyb_diag *diag, const char *file, const char *path,
				 const unsigned char *build, uint32_t build_length, int64_t since)
{
	struct hyb_debug *b = calloc(1, sizeof(*b));
	struct stat st = { .st_size = 0 };
	const char *why;
	int fd;

	if (!b)
		return NULL;
	*b = (struct hyb_debug){ .file = file, .path = path, .build = build, .build_length = build_length };
	fd = hyb_object_file_open(file, &st);
	why = fd < 0 ? hyb_object_file_error(fd) : open_file(b, fd, &st, since);
	if (!why)
		return b;
	if (fd >= 0 || fd == -ENOEXEC || fd == -EFBIG || (!since && fd != -EINVAL))
		hyb_diag_say(diag, HYB_SEV_NOTE, "%s: %s: places in it are shown as addresses", file, why);
	hyb_debug_free(b);
	return NULL;
}

void hyb_debug_free(struct hyb_debug *b)
{
	if (b && b->dwfl)
		dwfl_end(b->dwfl);
	free(b);
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
	char *name = symbol ? demangle_symbol(symbol) : NULL;

	return name || !symbol ? name : strdup(symbol);
}

bool hyb_debug_line(struct hyb_debug *b, uint64_t at, struct hyb_place *place, char *buf, size_t size)
{
	GElf_Addr address;
	const char *file;
	char *symbol;
	GElf_Off offset;
	int number = 0;

	if (!b)
		return false;
	address = at - 1 + b->bias;
	file = find_line(b->module, address, &number);
	if (file) {
		place->file = file;
		place->line = (uint32_t)number;
		snprintf(buf, size, "%s:%d", hyb_last_part(file), number);
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
static bool address_of(const struct hyb_debug *b, uint64_t offset, GElf_Addr *address)
{
	Elf64_Ehdr header;
	Elf64_Phdr part;
	int fd = open(b->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
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

/* Where a function is declared, which is a line before its code in some styles. */
static void take_declaration(struct hyb_debug *b, GElf_Addr address, struct hyb_place *place)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = find_unit(b->module, address, &bias), *scopes = NULL;
	int n = unit ? find_scopes(unit, address - bias, &scopes) : 0;
	const char *file;
	int line;

	for (int i = 0; i < n; i++) {
		if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram)
			continue;
		file = dwarf_decl_file(&scopes[i]);
		if (file && !dwarf_decl_line(&scopes[i], &line))
			*place = (struct hyb_place){ .file = file, .line = (uint32_t)line, .symbol = place->symbol };
		break;
	}
	free(scopes);
}

bool hyb_debug_function(struct hyb_debug *b, uint64_t at, struct hyb_place *place, char *buf, size_t size)
{
	const char *symbol;
	char *name;
	GElf_Off offset;
	GElf_Sym sym;

	if (!hyb_debug_line(b, at, place, buf, size))
		return false;
	symbol = dwfl_module_addrinfo(b->module, at - 1 + b->bias, &offset, &sym, NULL, NULL, NULL);
	if (!symbol || offset)
		return false;
	name = demangle_symbol(symbol);
	snprintf(buf, size, "%s", name ? name : symbol);
	free(name);
	place->symbol = symbol;
	take_declaration(b, at - 1 + b->bias, place);
	return true;
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
static bool visit_functions(struct hyb_debug *b, GElf_Addr address, const char *file, int line, hyb_source_visit visit,
			    void *arg)
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
		visit(arg, &(const struct hyb_source_frame){
				   .function = name, .file = file, .line = (uint32_t)number, .path = b->path });
		any = true;
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			break;
		file = call_file(unit, &scopes[i]);
		number = call_line(&scopes[i]);
	}
	free(scopes);
	return any;
}

bool hyb_debug_functions(struct hyb_debug *b, uint64_t at, hyb_source_visit visit, void *arg)
{
	struct hyb_source_frame frame = { .file = NULL };
	char *symbol;
	GElf_Addr address;
	GElf_Off offset;
	int line = 0;

	if (!b || (!(at & HYB_DEBUG_OF_ADDRESS) && !address_of(b, at >> 1, &address)))
		return false;
	if (at & HYB_DEBUG_OF_ADDRESS)
		address = ((at & ~HYB_DEBUG_OF_ADDRESS) >> 1) + b->bias;
	address -= at & 1;
	frame.path = b->path;
	frame.file = find_line(b->module, address, &line);
	if (visit_functions(b, address, frame.file, line, visit, arg))
		return true;
	symbol = find_symbol(b->module, address, &offset);
	if (!symbol)
		return false;
	frame.function = symbol;
	frame.line = (uint32_t)line;
	frame.offset = offset + (at & 1);
	visit(arg, &frame);
	free(symbol);
	return true;
}
