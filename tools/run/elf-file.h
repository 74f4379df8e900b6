/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An executable or shared library: which machine it is for, its interpreter, its dynamic symbols and the libraries that it
 * needs. The file is not trusted: what lies outside of it counts as not there.
 */
#ifndef HYB_TOOLS_RUN_ELF_FILE_H
#define HYB_TOOLS_RUN_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hyb_elf {
	const unsigned char *map;
	size_t size;
	const char *machine;	/* name of what it is for */
	bool native;		/* that is what this tool is for, too */
	const char *interpreter; /* NULL: none */
};

/*
 * 0; -ENOEXEC: it is no ELF file; other -errno: it cannot be read. Of a file for another machine no more than that is
 * known. What is found lives until hyb_elf_close.
 */
int hyb_elf_open(struct hyb_elf *elf, const char *path);
void hyb_elf_close(struct hyb_elf *elf);

/* Whether it has a dynamic symbol of that name, and not only uses it. */
bool hyb_elf_defines(const struct hyb_elf *elf, const char *name);
/* Calls visit for each library that it names as needed. */
void hyb_elf_needed(const struct hyb_elf *elf, void (*visit)(const char *name, void *context), void *context);

#endif
