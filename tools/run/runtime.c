/* SPDX-License-Identifier: BSD-3-Clause */
/* LLVM's OpenMP runtimes, and what they can stand in for; see runtime.h. */
#include "tools/run/runtime.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/run/elf-file.h"
#include "tools/common/tool.h"

#define NAME	"libomp.so.5"
#define SHOWN	4	/* symbols that are named where some are missing */

/* A set of strings, open addressing. */
struct set {
	char **slots;
	size_t size;
	size_t used;
};

static size_t place(const struct set *set, const char *text)
{
	size_t hash = 5381;
	size_t i;

	for (const char *p = text; *p; p++)
		hash = hash * 33 + (unsigned char)*p;
	for (i = hash & (set->size - 1); set->slots[i] && strcmp(set->slots[i], text); i = (i + 1) & (set->size - 1))
		;
	return i;
}

static bool has(const struct set *set, const char *text)
{
	return set->size && set->slots[place(set, text)];
}

/* Takes the string over. */
static void put(struct set *set, char *text)
{
	size_t i;

	if (2 * set->used >= set->size) {
		struct set grown = { .size = set->size ? 2 * set->size : 1024 };

		grown.slots = hyb_tool_alloc(grown.size * sizeof(*grown.slots));
		for (i = 0; i < set->size; i++) {
			if (set->slots[i])
				grown.slots[place(&grown, set->slots[i])] = set->slots[i];
		}
		free(set->slots);
		set->slots = grown.slots;
		set->size = grown.size;
	}
	i = place(set, text);
	set->used += !set->slots[i];
	if (set->slots[i])
		free(text);
	else
		set->slots[i] = text;
}

static void clear(struct set *set)
{
	for (size_t i = 0; i < set->size; i++)
		free(set->slots[i]);
	free(set->slots);
	memset(set, 0, sizeof(*set));
}

/*
 * These are there in LLVM's, and return without doing anything: constructs for devices of OpenMP 4.0, which newer GCCs
 * translate to entry points that LLVM's does not have. Or they end the program where it is a scan, or a lastprivate
 * with a condition, that GCC begins so, and what else it uses them for is as rare: reductions over tasks.
 */
static bool is_hollow(const char *name)
{
	static const char *const names[] = {
		"GOMP_target", "GOMP_target_data", "GOMP_target_end_data", "GOMP_target_update", "GOMP_teams",
		"GOMP_loop_start", "GOMP_loop_ull_start", "GOMP_loop_ordered_start", "GOMP_loop_ull_ordered_start",
		"GOMP_loop_doacross_start", "GOMP_loop_ull_doacross_start", "GOMP_sections2_start",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

static bool is_libgomp_name(const char *name)
{
	return !strncmp(name, "GOMP_", 5) || !strncmp(name, "GOACC_", 6) || !strncmp(name, "omp_", 4) ||
	       !strncmp(name, "acc_", 4);
}

/* Names with and without their versions: who asks for no version gets any. */
static bool note_offer(const struct hyb_elf_symbol *symbol, void *context)
{
	struct set *offers = context;

	if (!symbol->defined)
		return false;
	if (is_libgomp_name(symbol->name) && !is_hollow(symbol->name)) {
		put(offers, hyb_tool_format("%s", symbol->name));
		if (symbol->version)
			put(offers, hyb_tool_format("%s@%s", symbol->name, symbol->version));
	}
	if (!strcmp(symbol->name, "ompt_start_tool"))
		put(offers, hyb_tool_format("%s", symbol->name));
	return false;
}

struct wants {
	const struct set *offers;
	struct set missing;
	char *text;		/* the first few of them */
	size_t count;		/* without their names */
};

static bool note_want(const struct hyb_elf_symbol *symbol, void *context)
{
	struct wants *w = context;
	bool versioned = symbol->file && !strcmp(symbol->file, HYB_LIBGOMP);
	char *name, *text;

	if (symbol->defined || (!versioned && (symbol->version || !is_libgomp_name(symbol->name))))
		return false;
	name = versioned ? hyb_tool_format("%s@%s", symbol->name, symbol->version) :
			   hyb_tool_format("%s", symbol->name);
	if (has(w->offers, name) || has(&w->missing, name)) {
		free(name);
		return false;
	}
	if (w->missing.used < SHOWN) {
		text = hyb_tool_format("%s%s%s", w->text, *w->text ? ", " : "", name);
		free(w->text);
		w->text = text;
	}
	put(&w->missing, name);
	return false;
}

static void look_at_file(const char *path, struct wants *w)
{
	struct hyb_elf elf;

	/* libgomp needs nothing of itself; its plugins come when they are asked for */
	if (!strcmp(hyb_program_base(path), HYB_LIBGOMP) || hyb_elf_open(&elf, path))
		return;
	hyb_elf_symbols(&elf, note_want, w);
	hyb_elf_close(&elf);
}

char *hyb_runtime_lacks(const char *path, const struct hyb_program *program, const char **why)
{
	struct set offers = { .slots = NULL };
	struct wants wants = { .offers = &offers, .text = NULL };
	struct hyb_elf elf;

	if (hyb_elf_open(&elf, path)) {
		*why = "cannot be read, or is no shared library";
		return NULL;
	}
	*why = elf.native ? NULL : "is for another machine";
	hyb_elf_symbols(&elf, note_offer, &offers);
	hyb_elf_close(&elf);
	if (!*why && !has(&offers, "ompt_start_tool"))
		*why = "was built without OMPT";
	if (!*why) {
		wants.text = hyb_tool_format("%s", "");
		look_at_file(program->executed, &wants);
		for (size_t i = 0; program->libraries && program->libraries[i]; i++)
			look_at_file(program->libraries[i], &wants);
	}
	if (wants.missing.used > SHOWN) {
		char *text = hyb_tool_format("%s and %zu more", wants.text, wants.missing.used - SHOWN);

		free(wants.text);
		wants.text = text;
	}
	clear(&offers);
	clear(&wants.missing);
	return wants.text;
}

static bool count_missing(const struct hyb_elf_symbol *symbol, void *context)
{
	struct wants *w = context;
	char *name;

	if (!symbol->defined || (strncmp(symbol->name, "GOMP_", 5) && strncmp(symbol->name, "omp_", 4)))
		return false;
	name = hyb_tool_format("%s%s%s", symbol->name, symbol->version ? "@" : "",
			       symbol->version ? symbol->version : "");
	if (!has(w->offers, name))
		w->count++;
	free(name);
	return false;
}

size_t hyb_runtime_missing(const char *path, const char *libgomp)
{
	struct set offers = { .slots = NULL };
	struct wants wants = { .offers = &offers };
	struct hyb_elf elf;

	if (!hyb_elf_open(&elf, path)) {
		hyb_elf_symbols(&elf, note_offer, &offers);
		hyb_elf_close(&elf);
	}
	if (!hyb_elf_open(&elf, libgomp)) {
		hyb_elf_symbols(&elf, count_missing, &wants);
		hyb_elf_close(&elf);
	}
	clear(&offers);
	return wants.count;
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
