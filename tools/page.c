/* SPDX-License-Identifier: BSD-3-Clause */
#include "page.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes all of it, and closes the file. 0 or -errno. */
static int fill(FILE *file, int (*write)(const void *what, FILE *to), const void *what)
{
	int err = write(what, file);

	if (!err && (fflush(file) || ferror(file)))
		err = -errno;
	if (fclose(file) && !err)
		err = -errno;
	return err;
}

/* A pipe or a terminal is written as it comes. */
static int write_in_place(const char *path, int (*write)(const void *what, FILE *to), const void *what)
{
	FILE *file = fopen(path, "w");

	return file ? fill(file, write, what) : -errno;
}

/* The file at path is there, or comes to be, whole or not at all: what was there stays until it can be replaced. */
static int replace(const char *path, int (*write)(const void *what, FILE *to), const void *what)
{
	char real[PATH_MAX], *tmp;
	const mode_t mask = umask(077);
	int fd, err;
	FILE *file;

	umask(mask);
	if (!realpath(path, real) && snprintf(real, sizeof(real), "%s", path) >= (int)sizeof(real))
		return -ENAMETOOLONG;
	if (asprintf(&tmp, "%s.XXXXXX", real) < 0)
		return -ENOMEM;
	fd = mkostemp(tmp, O_CLOEXEC);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		goto out;
	}
	err = fchmod(fd, 0666 & ~mask) ? -errno : 0;
	if (err)
		fclose(file);
	else
		err = fill(file, write, what);
	if (!err && rename(tmp, real))
		err = -errno;
out:
	if (err && fd >= 0)
		unlink(tmp);
	free(tmp);
	return err;
}

int hyb_page_write(const char *command, const char *path, int (*write)(const void *what, FILE *to), const void *what)
{
	struct stat st;
	const bool is_special = !stat(path, &st) && !S_ISREG(st.st_mode);
	int err = is_special ? write_in_place(path, write, what) : replace(path, write, what);

	if (err && err != -ENOMEM)
		fprintf(stderr, "%s: cannot write %s: %s\n", command, path, strerror(-err));
	return err;
}
