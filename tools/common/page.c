/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/common/page.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/streams/experiment.h"
#include "reader/streams/printable.h"

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

/*
 * The file is there, or comes to be, whole or not at all: what was there stays until it can be replaced, and its rights are
 * kept as far as this process may give them.
 */
static int replace(const char *path, mode_t mode, int (*write)(const void *what, FILE *to), const void *what)
{
	const mode_t mask = hyb_experiment_umask();
	char *tmp;
	int fd, err;
	FILE *file;

	if (asprintf(&tmp, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(tmp, O_CLOEXEC);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		goto out;
	}
	err = fchmod(fd, mode & 0666 & ~mask) ? -errno : 0;
	if (err)
		fclose(file);
	else
		err = fill(file, write, what);
	if (!err && rename(tmp, path))
		err = -errno;
out:
	if (err && fd >= 0)
		unlink(tmp);
	free(tmp);
	return err;
}

/* Whether that is a descriptor's: what it stands for is another's to replace. */
static bool is_descriptor(const char *path, const char *real)
{
	return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6) || !strncmp(real, "/proc/", 6);
}

static int write_page(const char *path, int (*write)(const void *what, FILE *to), const void *what)
{
	char real[PATH_MAX];
	struct stat st;
	int err;

	if (stat(path, &st))
		return lstat(path, &st) ? replace(path, 0666, write, what) : write_in_place(path, write, what);
	if (!S_ISREG(st.st_mode) || !realpath(path, real) || is_descriptor(path, real))
		return write_in_place(path, write, what);
	if (access(real, W_OK))
		return -errno;
	err = replace(real, st.st_mode, write, what);
	/* The file may be written to, and its folder not. */
	return err == -EACCES || err == -EPERM ? write_in_place(path, write, what) : err;
}

int hyb_page_write(const char *command, const char *path, int (*write)(const void *what, FILE *to), const void *what)
{
	const int err = write_page(path, write, what);

	if (err < 0 && err != -ENOMEM)
		hyb_show(stderr, "%s: cannot write %s: %s\n", command, path, strerror(-err));
	return err;
}
