/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading executables and libraries: this program, a library that it has loaded, the same cut at many places and with each
 * word of its head changed, and a file for another machine.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/run/elf-file.h"
#include "../lib/tap.h"

static unsigned char *bytes;
static size_t size;

static void load(const char *path)
{
	FILE *f = fopen(path, "re");

	if (!f || fseek(f, 0, SEEK_END))
		exit(1);
	size = (size_t)ftell(f);
	rewind(f);
	free(bytes);
	bytes = malloc(size);
	if (!bytes || fread(bytes, 1, size, f) != size)
		exit(1);
	fclose(f);
}

static void see_library(const char *name, void *seen)
{
	*(bool *)seen |= !strncmp(name, "libc.so", 7);
}

/* Asks a file in memory all that there is. Its answer, or -errno. */
static int ask(size_t length, struct hyb_elf *elf, bool *defines, bool *needs)
{
	char path[64];
	int fd = memfd_create("elf", MFD_CLOEXEC), err;

	if (fd < 0 || write(fd, bytes, length) != (ssize_t)length)
		exit(1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = hyb_elf_open(elf, path);
	*defines = *needs = false;
	if (!err) {
		*defines = hyb_elf_defines(elf, "dlopen");
		hyb_elf_needed(elf, see_library, needs);
		hyb_elf_close(elf);
	}
	close(fd);
	return err;
}

static void test_libc(void)
{
	struct link_map *map;
	bool defines, needs;
	struct hyb_elf elf;
	Elf64_Ehdr *head;
	size_t whole;

	if (dlinfo(dlopen("libc.so.6", RTLD_LAZY), RTLD_DI_LINKMAP, &map))
		exit(1);
	load(map->l_name);
	whole = size;
	tap(!ask(whole, &elf, &defines, &needs) && defines && !needs, "a library defines what it defines");
	for (size_t length = 1; length < whole; length += length < 4096 ? 7 : 65537)
		ask(length, &elf, &defines, &needs);
	tap(true, "cut at many places");
	for (size_t i = EI_NIDENT; i < sizeof(*head); i += 2) {
		for (unsigned int n = 1; n < 0x10000; n = n * 8 + 7) {
			uint16_t *word = (uint16_t *)(void *)(bytes + i), before = *word;

			*word = (uint16_t)n;
			ask(whole, &elf, &defines, &needs);
			*word = before;
		}
	}
	tap(true, "with a head that says something else");
	head = (Elf64_Ehdr *)(void *)bytes;
	head->e_machine = EM_RISCV;
	tap(!hyb_elf_open(&elf, map->l_name) && elf.native, "a file of this machine");
	hyb_elf_close(&elf);
	tap(!ask(whole, &elf, &defines, &needs) && !defines && !needs, "of another machine's no more is known");
	bytes[0] = 0;
	tap(ask(whole, &elf, &defines, &needs) == -ENOEXEC, "what is no such file");
}

int main(void)
{
	bool needs = false;
	struct hyb_elf elf;

	if (tap(!hyb_elf_open(&elf, "/proc/self/exe"), "this program")) {
		tap(elf.native && elf.interpreter && *elf.interpreter == '/', "its interpreter");
		tap(!hyb_elf_defines(&elf, "dlinfo"), "it uses what it does not define");
		hyb_elf_needed(&elf, see_library, &needs);
		tap(needs, "the libraries that it needs");
		hyb_elf_close(&elf);
	}
	tap(hyb_elf_open(&elf, "/nowhere") == -ENOENT, "none");
	tap(hyb_elf_open(&elf, "/dev/null") == -ENOEXEC, "a device");
	test_libc();
	return tap_done();
}
