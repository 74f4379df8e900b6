/* SPDX-License-Identifier: BSD-3-Clause */
/* See view-browser.h. */
#include "tools/view/view-browser.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/streams/printable.h"

static char file[PATH_MAX];

/* In a folder that is the user's alone, if he has one. mkstemps makes it for this user to read and write. */
static FILE *make_file(void)
{
	const char *const folders[] = { getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp" };
	int fd = -1;

	for (size_t i = 0; i < 3 && fd < 0; i++) {
		if (folders[i] && *folders[i] == '/' && snprintf(file, sizeof(file), "%s/hybmon-view-XXXXXX.html",
								 folders[i]) < (int)sizeof(file))
			fd = mkstemps(file, 5);
	}
	return fd < 0 ? NULL : fdopen(fd, "w");
}

static int write_file(const char *address)
{
	FILE *to = make_file();
	int err;

	if (!to)
		return -errno;
	err = fprintf(to, "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
			  "<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n<title>hybmon view</title>\n"
			  "<p><a href=\"%s\">hybmon view</a></p>\n", address, address) < 0 ? -errno : 0;
	return fclose(to) && !err ? -errno : err;
}

void hyb_browser_open(const char *address, const sigset_t *before)
{
	int err;

	if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
		return;
	err = write_file(address);
	if (err) {
		hyb_show(stderr, "hybmon view: note: cannot write %s: %s; open the address above by hand\n", file, strerror(-err));
		return;
	}
	signal(SIGCHLD, SIG_IGN);
	if (fork())
		return;
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_SETMASK, before, NULL);
	if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
		_exit(1);
	execlp("xdg-open", "xdg-open", file, (char *)NULL);
	_exit(1);
}

void hyb_browser_end(void)
{
	if (*file)
		unlink(file);
}
