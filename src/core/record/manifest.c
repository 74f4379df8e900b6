/* SPDX-License-Identifier: BSD-3-Clause */
/* The process's manifest; see manifest.h. */
#include "core/record/manifest.h"

#include <stdarg.h>
#include <string.h>

#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "core/record/recorder.h"

#define FIXED_SIZE	HYB_MANIFEST_SIZE

static const char *const keys[HYB_MANIFEST_LINES] = {
	NULL, "state", "ended", "rank", "ranks", "lost", "lost-why", "threads", "pid", "finalized", "until", "start",
	"order-lost",
};

static char *fixed;	/* the mapped lines */
static struct hyb_identity identity;
static bool holds;
static size_t held_size;
static char held[4096];

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
	char lines[FIXED_SIZE];
	long fd;
	long err;
	void *at;

	fill_line(lines, HYB_MANIFEST_TITLE, NULL);
	for (int i = 1; i < HYB_MANIFEST_LINES; i++)
		fill_line(lines + i * HYB_MANIFEST_LINE, keys[i], keys[i] ? "-" : NULL);
	fd = hyb_recorder->open("manifest", O_RDWR | O_CREAT, &identity);
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

static long append(const char *text, size_t size)
{
	long fd = hyb_recorder->open("manifest", O_WRONLY | O_APPEND, &identity);
	long err;

	if (fd < 0)
		return fd;
	err = hyb_sys_write_all(fd, text, size);
	hyb_sys_close(fd);
	return err;
}

void hyb_manifest_hold(void)
{
	holds = true;
}

void hyb_manifest_release(void)
{
	holds = false;
	if (held_size)
		append(held, held_size);
	held_size = 0;
}

static long put(const char *text, size_t size)
{
	long err = 0;

	if (!holds)
		return append(text, size);
	if (size > sizeof(held) - held_size) {
		err = append(held, held_size);
		held_size = 0;
	}
	memcpy(held + held_size, text, size);
	held_size += size;
	return err;
}

int hyb_manifest_add(const char *key, const char *value, size_t length)
{
	char buf[512];
	size_t n = hyb_text_format(buf, sizeof(buf), "%s: ", key);
	long err = 0;

	for (size_t i = 0; i < length && !err; i++) {
		if (value[i] == '\n' || value[i] == '\\')
			buf[n++] = '\\';
		buf[n++] = value[i] == '\n' ? 'n' : value[i];
		if (n > sizeof(buf) - 4) {
			err = put(buf, n);
			n = 0;
		}
	}
	buf[n++] = '\n';
	return (int)(err ? err : put(buf, n));
}
