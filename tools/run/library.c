/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the library is that belongs to this program: beside it in the build, or where it was installed. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/tool.h"
#include "tools/run/prepare.h"

#define LIBRARY	"libhybmon.so.1"

char *hyb_prepare_library(void)
{
	static const char *const folders[] = {
		"lib", "lib64",
#ifdef __x86_64__
		"lib/x86_64-linux-gnu",
#else
		"lib/aarch64-linux-gnu",
#endif
	};
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *path, *slash;

	exe[n > 0 ? n : 0] = 0;
	for (int i = 0; i < 2 && (slash = strrchr(exe, '/')); i++)
		*slash = 0;
	for (size_t i = 0; i <= sizeof(folders) / sizeof(folders[0]); i++) {
		path = i < sizeof(folders) / sizeof(folders[0]) ?
			       hyb_tool_format("%s/%s/" LIBRARY, exe, folders[i]) :
			       hyb_tool_format(LIBDIR "/" LIBRARY);
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}
