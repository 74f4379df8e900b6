/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of C++ by a C++ library; see demangle.h. */
#include "reader/symbols/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The C++ ABI's own, the same in both libraries. */
typedef char *(*demangle_t)(const char *symbol, char *buf, size_t *size, int *status);

static demangle_t demangle;

/* They stay loaded. */
static void find_library(void)
{
	static const char *const libraries[] = { "libstdc++.so.6", "libc++abi.so.1" };

	for (size_t i = 0; !demangle && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);

		if (library)
			demangle = (demangle_t)dlsym(library, "__cxa_demangle");
	}
}

char *hyb_demangle(const char *symbol)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int status;

	/* Others are taken for names of types: "f" is float. */
	if (strncmp(symbol, "_Z", 2) != 0)
		return NULL;
	pthread_once(&once, find_library);
	return demangle ? demangle(symbol, NULL, NULL, &status) : NULL;
}
