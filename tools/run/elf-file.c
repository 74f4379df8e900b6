/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads ELF files of this machine's kind; see elf-file.h. */
#include "tools/run/elf-file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE EM_X86_64
#else
#define NATIVE EM_AARCH64
#endif

static const char *machine_name(unsigned int machine, unsigned char class)
{
	switch (machine) {
	case EM_X86_64:
		return class == ELFCLASS64 ? "x86-64" : "x32";
	case EM_386:
		return "32-bit x86";
	case EM_AARCH64:
		return "aarch64";
	case EM_ARM:
		return "32-bit ARM";
	case EM_PPC64:
		return "POWER";
	case EM_RISCV:
		return "RISC-V";
	default:
		return "another machine";
	}
}

/* `size` bytes of the file at `offset`, NULL if it does not have them. */
static const void *at(const struct hyb_elf *elf, uint64_t offset, uint64_t size)
{
	if (offset > elf->size || size > elf->size - offset)
		return NULL;
	return elf->map + offset;
}

static const Elf64_Shdr *section(const struct hyb_elf *elf, unsigned int n)
{
	const Elf64_Ehdr *head = at(elf, 0, sizeof(*head));

	if (n >= head->e_shnum || head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shoff % 8)
		return NULL;
	return at(elf, head->e_shoff + (uint64_t)n * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
}

/* The first section of that type, aligned, with all of its contents in the file; NULL: none. */
static const Elf64_Shdr *find_section(const struct hyb_elf *elf, uint32_t type, size_t alignment)
{
	const Elf64_Shdr *s;

	for (unsigned int n = 0; (s = section(elf, n)) != NULL; n++) {
		if (s->sh_type == type && s->sh_offset % alignment == 0 && at(elf, s->sh_offset, s->sh_size))
			return s;
	}
	return NULL;
}

/* A string of the table that belongs to a section; "" if there is none. */
static const char *string(const struct hyb_elf *elf, const Elf64_Shdr *of, uint64_t offset)
{
	const Elf64_Shdr *table = section(elf, of->sh_link);
	const char *text;

	if (!table || table->sh_type != SHT_STRTAB || offset >= table->sh_size ||
	    !at(elf, table->sh_offset, table->sh_size))
		return "";
	text = (const char *)elf->map + table->sh_offset + offset;
	return memchr(text, 0, table->sh_size - offset) ? text : "";
}

static void read_segments(struct hyb_elf *elf, const Elf64_Ehdr *head)
{
	for (unsigned int i = 0; i < head->e_phnum && head->e_phentsize == sizeof(Elf64_Phdr); i++) {
		const Elf64_Phdr *p = at(elf, head->e_phoff + i * sizeof(*p), sizeof(*p));
		const char *text;

		if (!p || head->e_phoff % 8)
			return;
		text = p->p_type == PT_INTERP ? at(elf, p->p_offset, p->p_filesz) : NULL;
		if (text && memchr(text, 0, p->p_filesz))
			elf->interpreter = text;
	}
}

static int read_header(struct hyb_elf *elf)
{
	const Elf64_Ehdr *head = at(elf, 0, sizeof(*head));

	if (elf->size < EI_NIDENT || memcmp(elf->map, ELFMAG, SELFMAG))
		return -ENOEXEC;
	if (!head)
		return -ENOEXEC;
	elf->machine = machine_name(head->e_machine, head->e_ident[EI_CLASS]);
	elf->native = head->e_machine == NATIVE && head->e_ident[EI_CLASS] == ELFCLASS64 &&
		      head->e_ident[EI_DATA] == ELFDATA2LSB;
	if (elf->native)
		read_segments(elf, head);
	return 0;
}

int hyb_elf_open(struct hyb_elf *elf, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int err;

	memset(elf, 0, sizeof(*elf));
	if (fd < 0)
		return -errno;
	err = fstat(fd, &st) ? -errno : !S_ISREG(st.st_mode) || !st.st_size ? -ENOEXEC : 0;
	if (!err) {
		elf->size = (size_t)st.st_size;
		elf->map = mmap(NULL, elf->size, PROT_READ, MAP_PRIVATE, fd, 0);
		err = elf->map == MAP_FAILED ? -errno : 0;
	}
	close(fd);
	if (err) {
		elf->map = NULL;
		return err;
	}
	err = read_header(elf);
	if (err)
		hyb_elf_close(elf);
	return err;
}

void hyb_elf_close(struct hyb_elf *elf)
{
	if (elf->map)
		munmap((void *)(uintptr_t)elf->map, elf->size);
	memset(elf, 0, sizeof(*elf));
}

bool hyb_elf_defines(const struct hyb_elf *elf, const char *name)
{
	const Elf64_Shdr *s = elf->native ? find_section(elf, SHT_DYNSYM, 8) : NULL;
	const Elf64_Sym *symbols = s ? at(elf, s->sh_offset, s->sh_size) : NULL;

	for (uint64_t i = 1; symbols && i < s->sh_size / sizeof(*symbols); i++) {
		if (symbols[i].st_shndx != SHN_UNDEF && !strcmp(string(elf, s, symbols[i].st_name), name))
			return true;
	}
	return false;
}

void hyb_elf_needed(const struct hyb_elf *elf, void (*visit)(const char *name, void *context), void *context)
{
	const Elf64_Shdr *s = elf->native ? find_section(elf, SHT_DYNAMIC, 8) : NULL;
	const Elf64_Dyn *entries = s ? at(elf, s->sh_offset, s->sh_size) : NULL;

	for (uint64_t i = 0; entries && i < s->sh_size / sizeof(*entries) && entries[i].d_tag != DT_NULL; i++) {
		if (entries[i].d_tag == DT_NEEDED)
			visit(string(elf, s, entries[i].d_un.d_val), context);
	}
}
