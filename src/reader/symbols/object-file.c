/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening programs and libraries; see object-file.h. */
#include "reader/symbols/object-file.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Debug information is a third of its size when it is compressed, its tables of zeroes a tenth. */
#define RATIO_MAX 16
#define SMALL (16u << 20) /* as much is no harm whatever the ratio is */
#define DEBUG "/usr/lib/debug/"

/* How large a compressed section becomes, by either of the ways to say so; 0: it is not compressed. */
static uint64_t expanded_size(int fd, const Elf64_Shdr *section)
{
	unsigned char head[sizeof(Elf64_Chdr)] = { 0 };
	Elf64_Chdr chdr;
	uint64_t size;

	if (section->sh_type == SHT_NOBITS || section->sh_size < 12 || section->sh_offset > INT64_MAX ||
	    pread(fd, head, sizeof(head), (off_t)section->sh_offset) < 12)
		return 0;
	memcpy(&chdr, head, sizeof(chdr));
	if (section->sh_flags & SHF_COMPRESSED)
		return chdr.ch_size;
	if (memcmp(head, "ZLIB", 4)) /* of sections .zdebug_* */
		return 0;
	memcpy(&size, head + 4, sizeof(size));
	return be64toh(size);
}

static int check_sections(int fd, const Elf64_Ehdr *header, uint64_t file_size)
{
	const uint64_t most = file_size * RATIO_MAX + SMALL;
	uint64_t count = header->e_shnum, sum = 0;
	Elf64_Shdr section;

	/* Where there are more than fit in the header, the first one says how many. */
	for (uint64_t i = 0; i < count || (!i && header->e_shoff); i++) {
		if (header->e_shoff > INT64_MAX - i * sizeof(section) ||
		    pread(fd, &section, sizeof(section), (off_t)(header->e_shoff + i * sizeof(section))) !=
			    (ssize_t)sizeof(section))
			return 0;
		if (!i && !count)
			count = section.sh_size;
		if (expanded_size(fd, &section) > most - sum)
			return -EFBIG;
		sum += expanded_size(fd, &section);
	}
	return 0;
}

int hyb_object_file_check(int fd)
{
	Elf64_Ehdr header;
	struct stat st;

	if (fstat(fd, &st) || pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	return check_sections(fd, &header, (uint64_t)st.st_size);
}

int hyb_object_file_open(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int err;

	if (fd < 0)
		return errno == ENXIO ? -EINVAL : -errno;
	err = fstat(fd, st) ? -errno : S_ISREG(st->st_mode) ? hyb_object_file_check(fd) : -EINVAL;
	if (!err)
		return fd;
	close(fd);
	return err;
}

const char *hyb_object_file_error(int err)
{
	switch (err) {
	case -ENOEXEC:
		return "it is not an ELF file of 64 bits";
	case -EFBIG:
		return "its compressed sections are too large";
	default:
		return strerror(-err);
	}
}

static bool is_special(int length, const char *path, const char *below, const char *name, const char *suffix)
{
	struct stat st;
	char *file;
	bool special;

	if (asprintf(&file, "%.*s%s%s%s", length, path, below, name, suffix) < 0)
		return true;
	special = !stat(file, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
	free(file);
	return special;
}

bool hyb_object_file_may_search(const char *path, const char *link)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const int length = (int)(base - path);
	static const char *const folders[] = { "", ".debug/" };

	if (link && strchr(link, '/'))
		return !strncmp(link, DEBUG, strlen(DEBUG)) && !strstr(link, "..");
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if ((link && is_special(length, path, folders[i], link, "")) ||
		    is_special(length, path, folders[i], base, ".debug") || is_special(length, path, folders[i], base, ""))
			return false;
	}
	return true;
}
