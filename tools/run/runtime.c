/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/run/runtime.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/run/elf-file.h"
#include "tools/common/tool.h"

#define NAME	"libomp.so.5"

const char *hyb_runtime_refuses(const char *path)
{
	const char *why = NULL;
	struct hyb_elf elf;

	if (hyb_elf_open(&elf, path))
		return "cannot be read, or is no shared library";
	if (!elf.native)
		why = "is for another machine";
	else if (!hyb_elf_defines(&elf, "ompt_start_tool"))
		why = "was built without OMPT";
	hyb_elf_close(&elf);
	return why;
}

/* Lines as ldconfig writes them: `name (kind) => path`. */
char **hyb_runtime_cached(const char *name)
{
	char ldconfig[] = "/sbin/ldconfig", option[] = "-p";
	char *argv[] = { ldconfig, option, NULL };
	char *text = hyb_tool_output(argv);
	size_t length = strlen(name);
	char **list = NULL;
	char *rest = text;
	char *line;

	while (text && (line = strtok_r(rest, "\n", &rest))) {
		char *path = strstr(line, " => ");

		line += strspn(line, " \t");
		if (path && !strncmp(line, name, length) && line[length] == ' ')
			hyb_tool_add(&list, hyb_tool_format("%s", path + 4));
	}
	free(text);
	return list;
}

/* Another name of a file that is there already is passed over. */
static void add_file(char ***list, const char *path)
{
	char *real = realpath(path, NULL);

	if (!real)
		return;
	for (size_t i = 0; *list && (*list)[i]; i++) {
		char *other = realpath((*list)[i], NULL);
		bool same = other && !strcmp(other, real);

		free(other);
		if (same) {
			free(real);
			return;
		}
	}
	free(real);
	hyb_tool_add(list, hyb_tool_format("%s", path));
}

static void add_folders(char ***list, const char *folders)
{
	while (folders && *folders) {
		int length = (int)strcspn(folders, ":;");
		char *path = hyb_tool_format("%.*s/" NAME, length, folders);

		if (length)
			add_file(list, path);
		free(path);
		folders += length + !!folders[length];
	}
}

/* The newest first: 19 comes before 9 and 14. */
static int by_version(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)b, *(const char *const *)a);
}

char **hyb_runtime_list(void)
{
	static const char *const patterns[] = {
		"/usr/lib/llvm-*/lib/" NAME, "/usr/lib/llvm-*/lib/libomp.so", "/usr/lib64/libomp.so",
		"/usr/lib64/llvm*/lib*/libomp.so", "/usr/lib/llvm/*/lib*/libomp.so", "/usr/local/lib*/libomp.so",
		"/opt/llvm*/lib/libomp.so", "/opt/rocm*/llvm/lib/libomp.so",
	};
	char **cached = hyb_runtime_cached(NAME);
	char **list = NULL;

	add_folders(&list, getenv("LD_LIBRARY_PATH"));
	for (size_t i = 0; cached && cached[i]; i++) {
		add_file(&list, cached[i]);
		free(cached[i]);
	}
	free(cached);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		glob_t found;

		if (glob(patterns[i], 0, NULL, &found))
			continue;
		qsort(found.gl_pathv, found.gl_pathc, sizeof(*found.gl_pathv), by_version);
		for (size_t k = 0; k < found.gl_pathc; k++)
			add_file(&list, found.gl_pathv[k]);
		globfree(&found);
	}
	return list;
}
