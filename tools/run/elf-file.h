/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an executable or shared library says of itself: which machine it is for, its interpreter, and its dynamic
 * symbols with their versions. The file is not trusted: what lies outside of it counts as not there.
 */
#ifndef HYB_TOOLS_RUN_ELF_FILE_H
#define HYB_TOOLS_RUN_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hyb_elf_version {
	const char *name;	/* NULL: there is none of this number */
	const char *file;	/* the library it is to come from; NULL: this one defines it */
};

struct hyb_elf {
	const unsigned char *map;
	size_t size;
	const char *machine;	/* name of what it is for */
	bool native;		/* that is what this tool is for, too */
	const char *interpreter; /* NULL: none */
	bool dynamic;
	struct hyb_elf_version *versions;
	size_t version_count;
	size_t version_room;
};

struct hyb_elf_symbol {
	const char *name;
	const char *version;	/* NULL: none */
	const char *file;	/* of an undefined one: where its version is to come from, or NULL */
	bool defined;
};

/*
 * 0; -ENOEXEC: it is no ELF file; other -errno: it cannot be read. Of a file for another machine no more than that is
 * known. What is found lives until hyb_elf_close.
 */
int hyb_elf_open(struct hyb_elf *elf, const char *path);
void hyb_elf_close(struct hyb_elf *elf);

/* Calls visit for each dynamic symbol with a name; it stops, and returns true, when visit does. */
bool hyb_elf_symbols(const struct hyb_elf *elf, bool (*visit)(const struct hyb_elf_symbol *symbol, void *context),
		     void *context);
/* Calls visit for each library that it names as needed. */
void hyb_elf_needed(const struct hyb_elf *elf, void (*visit)(const char *name, void *context), void *context);

#endif
