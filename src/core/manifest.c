/* SPDX-License-Identifier: BSD-3-Clause */
/* The process's manifest; see manifest.h. */
#include "core/manifest.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "core/process.h"
#include "core/sys.h"
#include "core/text.h"

#define FIXED_SIZE	(HYB_MANIFEST_LINE * HYB_MANIFEST_LINES)

static const char *const keys[HYB_MANIFEST_LINES] = {
	NULL, "state", "ended", "rank", "ranks", "lost", "lost-why", "threads", "pid", "finalized", "until",
};

static char *fixed;	/* the mapped lines */

/* key, ": " and value, or the bare key where value is NULL, in a line of blanks. */
static void fill_line(char *line, const char *key, const char *value)
{
	char text[HYB_MANIFEST_LINE];
	size_t n = 0;

	if (value)
		n = hyb_text_format(text, sizeof(text), "%s: %s", key, value);
	else if (key)
		n = hyb_text_format(text, sizeof(text), "%s", key);
	if (n > HYB_MANIFEST_LINE - 1)
		n = HYB_MANIFEST_LINE - 1;
	memset(text + n, ' ', sizeof(text) - n);
	text[HYB_MANIFEST_LINE - 1] = '\n';
	memcpy(line, text, sizeof(text));
}

int hyb_manifest_create(void)
{
	char path[PATH_MAX];
	char lines[FIXED_SIZE];
	long fd;
	long err;
	void *at;

	fill_line(lines, HYB_MANIFEST_TITLE, NULL);
	for (int i = 1; i < HYB_MANIFEST_LINES; i++)
		fill_line(lines + i * HYB_MANIFEST_LINE, keys[i], keys[i] ? "-" : NULL);
	if (!hyb_process_path(path, sizeof(path), "manifest"))
		return -ENAMETOOLONG;
	fd = hyb_sys_open(path, O_RDWR | O_CREAT | O_EXCL, 0666);
	if (fd < 0)
		return (int)fd;
	err = hyb_sys_write_all(fd, lines, FIXED_SIZE);
	at = err ? NULL : hyb_sys_map(fd, 0, FIXED_SIZE);
	hyb_sys_close(fd);
	if (err)
		return (int)err;
	if (!at)
		return -ENODEV;
	fixed = at;
	return 0;
}

void hyb_manifest_set(const char *key, const char *format, ...)
{
	static int lock;
	char value[HYB_MANIFEST_LINE];
	uint64_t signals;
	va_list ap;

	if (!fixed)
		return;
	va_start(ap, format);
	hyb_text_vformat(value, sizeof(value), format, ap);
	va_end(ap);
	hyb_sys_lock(&lock, &signals);
	for (int i = 1; i < HYB_MANIFEST_LINES; i++) {
		if (keys[i] && !strcmp(keys[i], key))
			fill_line(fixed + i * HYB_MANIFEST_LINE, key, value);
	}
	hyb_sys_unlock(&lock, &signals);
}

int hyb_manifest_add(const char *key, const char *value, size_t length)
{
	char path[PATH_MAX];
	char buf[512];
	size_t n = hyb_text_format(buf, sizeof(buf), "%s: ", key);
	long err = 0;
	long fd;

	if (!hyb_process_path(path, sizeof(path), "manifest"))
		return -ENAMETOOLONG;
	fd = hyb_sys_open(path, O_WRONLY | O_APPEND, 0);
	if (fd < 0)
		return (int)fd;
	for (size_t i = 0; i < length && !err; i++) {
		if (value[i] == '\n' || value[i] == '\\')
			buf[n++] = '\\';
		buf[n++] = value[i] == '\n' ? 'n' : value[i];
		if (n > sizeof(buf) - 4) {
			err = hyb_sys_write_all(fd, buf, n);
			n = 0;
		}
	}
	buf[n++] = '\n';
	if (!err)
		err = hyb_sys_write_all(fd, buf, n);
	hyb_sys_close(fd);
	return (int)err;
}
