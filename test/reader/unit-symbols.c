/* SPDX-License-Identifier: BSD-3-Clause */
/* Files whose names are in a recording: those that would cost much memory or time are not read, and a note says so. */
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/tap.h"
#include "reader/symbols/jit.h"
#include "reader/symbols/object-file.h"
#include "reader/symbols/source.h"
#include "reader/symbols/unwind.h"

static char folder[] = "/tmp/hybmon-unit-symbols-XXXXXX";
static char notes[4096];

static void note(void *unused, enum hyb_severity severity, const char *text)
{
	(void)unused;
	(void)severity;
	strncat(notes, text, sizeof(notes) - strlen(notes) - 1);
	strncat(notes, "\n", sizeof(notes) - strlen(notes) - 1);
}

static const struct hyb_diag diag = { note, NULL };

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static bool run(const char *format, const char *from, const char *to)
{
	char command[600];

	snprintf(command, sizeof(command), format, from, to);
	return !system(command);
}

static bool put(const char *name, const void *data, size_t size)
{
	FILE *f = fopen(path_of(name), "w");
	bool ok = f && fwrite(data, 1, size, f) == size;

	return f && !fclose(f) && ok;
}

/* elfutils decompresses a whole file, however large that becomes. */
static void compressed_file(void)
{
	char program[256];
	const char *text;
	struct hyb_sources *s = hyb_sources_new(&diag, NULL, 0);
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[n > 0 ? n : 0] = '\0';
	if (!s || !run("gzip -c '%s' >'%s'", program, path_of("program"))) {
		tap(true, "a compressed program # SKIP there is no gzip");
		hyb_sources_free(s);
		return;
	}
	notes[0] = '\0';
	tap(!hyb_sources_call(s, &(const struct hyb_object){ .path = path_of("program") }, 0x1234, &text) &&
		    !strcmp(text, "program+0x1234"), "of a compressed program nothing is read");
	if (hyb_unwinder_can()) /* there is an elfutils */
		tap(strstr(notes, "it is not an ELF file") != NULL, "a note says why");
	hyb_sources_free(s);
}

struct image {
	Elf64_Ehdr header;
	Elf64_Shdr sections[3];
	Elf64_Chdr compressed;
};

static int check_image(uint64_t size, uint32_t flags)
{
	struct image image = {
		.header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_shnum = 3,
			    .e_shentsize = sizeof(Elf64_Shdr), .e_shoff = offsetof(struct image, sections) },
		.compressed = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = size },
	};
	struct stat st;
	int fd;

	for (int i = 1; i < 3; i++)
		image.sections[i] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_flags = flags, .sh_size = sizeof(Elf64_Chdr),
						  .sh_offset = offsetof(struct image, compressed) };
	if (!flags) {
		uint64_t big_endian = __builtin_bswap64(size);

		memcpy(&image.compressed, "ZLIB", 4);
		memcpy((char *)&image.compressed + 4, &big_endian, sizeof(big_endian));
	}
	if (!put("image", &image, sizeof(image)))
		return -EIO;
	fd = hyb_object_file_open(path_of("image"), &st);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static void compressed_sections(void)
{
	tap(!check_image(8 << 20, SHF_COMPRESSED) && !check_image(8 << 20, 0), "small compressed sections are read");
	tap(check_image(9 << 20, SHF_COMPRESSED) == -EFBIG && check_image(9 << 20, 0) == -EFBIG,
	    "of many their sum counts");
	tap(check_image(UINT64_MAX, SHF_COMPRESSED) == -EFBIG && check_image(UINT64_MAX, 0) == -EFBIG,
	    "large ones are not read");
}

static void pipes(void)
{
	struct stat st;
	char program[256];

	snprintf(program, sizeof(program), "%s", path_of("image"));
	tap(hyb_object_file_may_search(program, "image.dbg"), "debug information may lie beside a program");
	tap(!hyb_object_file_may_search(program, "../x") && !hyb_object_file_may_search(program, "/tmp/x") &&
		    hyb_object_file_may_search(program, "/usr/lib/debug/.dwz/x"), "and nowhere else but where the system has it");
	tap(!mkfifo(path_of("image.dbg"), 0600) && !hyb_object_file_may_search(program, "image.dbg"), "a pipe is not waited for");
	tap(hyb_object_file_open(path_of("image.dbg"), &st) == -EINVAL, "nor is one in the program's place");
}

/* The first lines of a map that is too large count; where a line is cut nothing is. */
static void large_map(void)
{
	struct hyb_jits jits = { .owner = getuid(), .diag = &diag };
	const uint32_t pid = (uint32_t)getpid();
	const char *name;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	f = fopen(path, "wx");
	if (!f || fprintf(f, "1000 10 first one\n2000 10 other\n") < 0 || ftruncate(fileno(f), 80 << 20) || fclose(f)) {
		tap(false, "a map can be made");
		return;
	}
	notes[0] = '\0';
	name = hyb_jits_name(&jits, pid, 0, 0x1008);
	tap(name && !strcmp(name, "first one"), "names at the begin of a large map");
	name = hyb_jits_name(&jits, pid, 0, 0x200f);
	tap(name && !strcmp(name, "other") && !hyb_jits_name(&jits, pid, 0, 0x2010), "each for as long as its code is");
	tap(strstr(notes, "is too large") && strchr(notes, '\n')[1] == '\0', "one line says that it is cut");
	hyb_jits_free(&jits);
	unlink(path);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	compressed_file();
	compressed_sections();
	pipes();
	large_map();
	if (!run("rm -r '%s' %s", folder, ""))
		return 1;
	return tap_done();
}
