/* SPDX-License-Identifier: BSD-3-Clause */
#include "page.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

int hyb_page_write(const char *command, const char *path, int (*write)(const void *what, FILE *to), const void *what)
{
	FILE *file = fopen(path, "w");
	int err = file ? write(what, file) : -errno;
	struct stat st;
	bool ours = file && !fstat(fileno(file), &st) && S_ISREG(st.st_mode);

	if (file && !err && (fflush(file) || ferror(file)))
		err = -errno;
	if (file && fclose(file) && !err)
		err = -errno;
	if (err && err != -ENOMEM)
		fprintf(stderr, "%s: cannot write %s: %s\n", command, path, strerror(-err));
	if (ours && err)
		remove(path);
	return err;
}
