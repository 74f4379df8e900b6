/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists as LD_PRELOAD has them, with colons or blanks between the names: where hybmon's library goes in such a list. */
#ifndef HYB_CORE_SYS_PRELOAD_H
#define HYB_CORE_SYS_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define HYB_PRELOAD_SEPARATORS ": "

/* Length of the last part of a path of `length` bytes; its beginning in *base. */
static inline size_t hyb_preload_base(const char *path, size_t length, const char **base)
{
	size_t n = 0;

	while (n < length && path[length - n - 1] != '/')
		n++;
	*base = path + length - n;
	return n;
}

/* Whether the first `length` bytes of a path name libhybmon.so, of any version. */
static inline bool hyb_preload_is_ours(const char *path, size_t length)
{
	static const char name[] = "libhybmon.so";
	const char *base;

	return hyb_preload_base(path, length, &base) >= sizeof(name) - 1 && !strncmp(base, name, sizeof(name) - 1);
}

/* Whether they name a sanitizer's library: those want to be the first. */
static inline bool hyb_preload_goes_first(const char *path, size_t length)
{
	static const char *const names[] = { "libasan.", "libtsan.", "libubsan.", "liblsan.", "libclang_rt." };
	const char *base;
	size_t n = hyb_preload_base(path, length, &base);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (n >= strlen(names[i]) && !strncmp(base, names[i], strlen(names[i])))
			return true;
	}
	return false;
}

/* The next name of a list, not terminated, and its length; NULL: there is none. *list goes behind it. */
static inline const char *hyb_preload_next(const char **list, size_t *length)
{
	const char *word = *list + strspn(*list, HYB_PRELOAD_SEPARATORS);

	*length = strcspn(word, HYB_PRELOAD_SEPARATORS);
	*list = word + *length;
	return *length ? word : NULL;
}

/* Our name in a list, and its length; NULL: it is not there. */
static inline const char *hyb_preload_find(const char *list, size_t *length)
{
	const char *word;

	while ((word = hyb_preload_next(&list, length)) && !hyb_preload_is_ours(word, *length))
		;
	return word;
}

/* Bytes at the beginning of a list that are to stay in front of hybmon: sanitizers' names. */
static inline size_t hyb_preload_front(const char *list)
{
	const char *rest = list;
	const char *word;
	size_t length, front = 0;

	while ((word = hyb_preload_next(&rest, &length)) && hyb_preload_goes_first(word, length))
		front = (size_t)(rest - list);
	return front;
}

#endif
