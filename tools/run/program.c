/* SPDX-License-Identifier: BSD-3-Clause */
/* What a command is; see program.h. */
#include "tools/run/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tools/run/elf-file.h"
#include "tools/common/tool.h"

#define LEVELS 5	/* of scripts whose interpreters are scripts; the kernel takes no more either */

const char *hyb_program_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_executable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

char *hyb_program_path(const char *name)
{
	const char *path = getenv("PATH");
	char *file;

	if (!*name)
		return NULL;
	if (strchr(name, '/'))
		return is_executable(name) ? hyb_tool_format("%s", name) : NULL;
	if (!path)
		path = "/bin:/usr/bin";
	for (;;) {
		int length = (int)strcspn(path, ":");

		file = length ? hyb_tool_format("%.*s/%s", length, path, name) : hyb_tool_format("./%s", name);
		if (is_executable(file))
			return file;
		free(file);
		if (!path[length])
			return NULL;
		path += length + 1;
	}
}

/* Versions may follow: python3.11. */
bool hyb_program_interprets(const char *name)
{
	static const char *const names[] = {
		"sh", "bash", "dash", "zsh", "ksh", "csh", "tcsh", "fish", "busybox", "make", "gmake", "ninja",
		"perl", "python", "pypy", "ruby", "lua", "tclsh", "R", "Rscript", "octave", "julia", "node", "awk",
		"java", "xargs", "parallel", "find", "ctest", "snakemake",
	};

	name = hyb_program_base(name);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]);

		if (!strncmp(name, names[i], n) && !name[n + strspn(name + n, "0123456789.-")])
			return true;
	}
	return false;
}

/* The first line of a file behind "#!" in buf; false: it does not begin like that. */
static bool script_line(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t got = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	buf[got > 0 ? got : 0] = 0;
	if (strncmp(buf, "#!", 2))
		return false;
	buf[strcspn(buf, "\n")] = 0;
	memmove(buf, buf + 2, strlen(buf + 2) + 1);
	return true;
}

/*
 * What the line of a script leads to: its first word, or where that is env the command behind env's own words. To be
 * freed; NULL: it leads nowhere.
 */
static char *script_interpreter(char *line)
{
	char *rest = line;
	char *word = strtok_r(line, " \t", &rest);

	if (!word || strcmp(hyb_program_base(word), "env"))
		return word ? hyb_program_path(word) : NULL;
	while ((word = strtok_r(NULL, " \t", &rest)) && (*word == '-' || strchr(word, '=')))
		;
	return word ? hyb_program_path(word) : NULL;
}

/* The file that the kernel executes for path, and whether that is another one than path. */
static char *follow_scripts(const char *path, bool *script)
{
	char *file = hyb_tool_format("%s", path);
	char line[4096];

	for (int i = 0; i < LEVELS && script_line(file, line, sizeof(line)); i++) {
		char *next = script_interpreter(line);

		*script = true;
		free(file);
		file = next;
		if (!file)
			return NULL;
	}
	return file;
}

/* Where a user gains rights by executing a file, the dynamic linker takes no orders from the environment. */
static bool gains_rights(const char *path)
{
	struct stat st;
	char value[64];

	if (stat(path, &st))
		return false;
	if ((st.st_mode & S_ISUID && st.st_uid != getuid()) || (st.st_mode & S_ISGID && st.st_gid != getgid()))
		return true;
	return getuid() && getxattr(path, "security.capability", value, sizeof(value)) > 0;
}

/* Lines as the dynamic linker writes them: `name => path (address)` or `path (address)`. */
static char **read_list(char *text)
{
	char **list = NULL;
	char *rest = text;
	char *line;

	while ((line = strtok_r(rest, "\n", &rest))) {
		char *path = strstr(line, " => ");
		char *end = strrchr(line, '(');

		path = path ? path + 4 : line + strspn(line, " \t");
		if (*path != '/' || !end || end <= path)
			continue;
		while (end > path && end[-1] == ' ')
			end--;
		*end = 0;
		hyb_tool_add(&list, hyb_tool_format("%s", path));
	}
	return list;
}

/* The dynamic linker knows best what it will load, from where: it is asked, which executes nothing of the program. */
static void list_libraries(struct hyb_program *p, const char *linker)
{
	char option[] = "--list";
	char *argv[] = { (char *)(uintptr_t)linker, option, p->executed, NULL };
	char *text = hyb_tool_output(argv);

	if (text)
		p->libraries = read_list(text);
	free(text);
}

void hyb_program_find(struct hyb_program *p, const char *name)
{
	struct hyb_elf elf;

	memset(p, 0, sizeof(*p));
	p->name = name;
	p->path = hyb_program_path(name);
	p->executed = p->path ? follow_scripts(p->path, &p->script) : NULL;
	p->script = p->script || hyb_program_interprets(name);
	if (!p->executed)
		return;
	if (hyb_elf_open(&elf, p->executed)) {
		p->script = true;	/* a shell takes what the kernel does not */
		return;
	}
	p->secure = gains_rights(p->executed);
	p->machine = elf.machine;
	if (!elf.native) {
		p->kind = HYB_PROGRAM_FOREIGN;
	} else if (!elf.interpreter) {
		p->kind = HYB_PROGRAM_STATIC;
	} else {
		p->kind = HYB_PROGRAM_DYNAMIC;
		list_libraries(p, elf.interpreter);
	}
	hyb_elf_close(&elf);
}

void hyb_program_free(struct hyb_program *p)
{
	for (size_t i = 0; p->libraries && p->libraries[i]; i++)
		free(p->libraries[i]);
	free(p->libraries);
	free(p->executed);
	free(p->path);
	memset(p, 0, sizeof(*p));
}

const char *hyb_program_library(const struct hyb_program *p, const char *name)
{
	for (size_t i = 0; p->libraries && p->libraries[i]; i++) {
		if (!strcmp(hyb_program_base(p->libraries[i]), name))
			return p->libraries[i];
	}
	return NULL;
}
