/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of tracepoints; see tracefs.h. */
#include "collector/perf/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FORMAT_MAX (32 << 10)

/* As in linux/mount.h, which collides with libc's headers. The numbers are the same on all architectures. */
#ifndef SYS_fsopen
#define SYS_fsopen	430
#define SYS_fsconfig	431
#define SYS_fsmount	432
#endif
#define CONFIG_CREATE	6	/* FSCONFIG_CMD_CREATE */
#define CLOSE_ON_EXEC	1	/* FSOPEN_CLOEXEC, FSMOUNT_CLOEXEC */

static int events = -1;		/* the folder `events` */

/* Descriptions that were read for processes that may not read them: hyb_tracefs_keep */
static struct kept {
	struct kept *next;
	const char *name;
	char *text;
} *kept;

/*
 * Opens a mount that is attached nowhere. Nobody else sees it, nothing of the machine changes, and it goes when its
 * descriptor is closed.
 */
static int open_detached(void)
{
	int context = (int)syscall(SYS_fsopen, "tracefs", CLOSE_ON_EXEC);
	int root = -1;
	int fd = -1;

	if (context < 0)
		return -1;
	if (!syscall(SYS_fsconfig, context, CONFIG_CREATE, NULL, NULL, 0))
		root = (int)syscall(SYS_fsmount, context, CLOSE_ON_EXEC, 0);
	close(context);
	if (root < 0)
		return -1;
	fd = openat(root, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(root);
	return fd;
}

int hyb_tracefs_open(void)
{
	static const char *const places[] = { "/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events" };
	int err = -ENOENT;

	if (kept)
		return 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && events < 0; i++) {
		events = open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (events < 0 && errno == EACCES)
			err = -EACCES;
		/* The folder may be open to all, and its files not. */
		if (events >= 0 && faccessat(events, "sched/sched_switch/format", R_OK, AT_EACCESS)) {
			close(events);
			events = -1;
			err = -EACCES;
		}
	}
	if (events < 0)
		events = open_detached();
	return events < 0 ? err : 0;
}

void hyb_tracefs_close(void)
{
	if (events >= 0)
		close(events);
	events = -1;
}

/* Finds `<key><number>` in a line. False: it is not there. */
static bool find_number(const char *line, const char *end, const char *key, unsigned long *value)
{
	const char *at = memmem(line, (size_t)(end - line), key, strlen(key));

	if (!at)
		return false;
	*value = strtoul(at + strlen(key), NULL, 10);
	return true;
}

/* A field's name is the last word without brackets, as `args` in `field:unsigned long args[6];`. */
static bool is_field(const char *line, const char *end, const char *name)
{
	const char *stop = memchr(line, ';', (size_t)(end - line));
	const char *bracket;
	size_t n = strlen(name);

	if (!stop)
		return false;
	bracket = stop[-1] == ']' ? memrchr(line, '[', (size_t)(stop - line)) : NULL;
	/* A location (__data_loc) has its brackets with its type, and none after its name. */
	if (bracket)
		stop = bracket;
	return (size_t)(stop - line) > n && !memcmp(stop - n, name, n) && (stop[-n - 1] == ' ' || stop[-n - 1] == '*');
}

static void parse_field(const char *line, const char *end, const char *const *fields,
			struct hyb_tracepoint *tracepoint)
{
	unsigned long offset, size, is_signed = 0;

	for (int i = 0; i < HYB_TRACEFS_FIELDS && fields[i]; i++) {
		if (!is_field(line, end, fields[i]))
			continue;
		if (!find_number(line, end, "offset:", &offset) || !find_number(line, end, "size:", &size) ||
		    offset > UINT16_MAX || size > UINT16_MAX)
			return;
		find_number(line, end, "signed:", &is_signed);
		tracepoint->fields[i] = (struct hyb_field){
			.offset = (uint16_t)offset,
			.size = (uint16_t)size,
			.is_signed = is_signed,
			.is_location = memmem(line, (size_t)(end - line), "__data_loc", 10),
		};
		return;
	}
}

int hyb_tracefs_parse(const char *text, const char *const *fields, struct hyb_tracepoint *tracepoint)
{
	memset(tracepoint, 0, sizeof(*tracepoint));
	for (const char *line = text; *line;) {
		const char *end = strchrnul(line, '\n');
		unsigned long id;

		if (!strncmp(line, "ID: ", 4) && find_number(line, end, "ID: ", &id))
			tracepoint->id = (uint32_t)id;
		else if (memmem(line, (size_t)(end - line), "field:", 6))
			parse_field(line, end, fields, tracepoint);
		line = *end ? end + 1 : end;
	}
	return tracepoint->id ? 0 : -EINVAL;
}

/* Reads the whole file into memory that the caller frees. 0 or -errno. */
static int read_description(const char *name, char **description)
{
	char path[128];
	char *text;
	size_t have = 0;
	ssize_t n = 0;
	int err;
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/format", name) >= sizeof(path))
		return -ENAMETOOLONG;
	fd = openat(events, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	text = malloc(FORMAT_MAX);
	err = text ? 0 : -ENOMEM;
	while (!err && have < FORMAT_MAX - 1 && (n = read(fd, text + have, FORMAT_MAX - 1 - have)) > 0)
		have += (size_t)n;
	if (n < 0)
		err = -errno;
	close(fd);
	if (err) {
		free(text);
		return err;
	}
	text[have] = 0;
	*description = text;
	return 0;
}

void hyb_tracefs_keep(const char *name)
{
	struct kept *k = malloc(sizeof(*k));

	if (!k || read_description(name, &k->text)) {
		free(k);
		return;
	}
	k->name = name;
	k->next = kept;
	kept = k;
}

int hyb_tracefs_read(const char *name, const char *const *fields, struct hyb_tracepoint *tracepoint)
{
	char *text;
	int err;

	for (const struct kept *k = kept; k; k = k->next) {
		if (!strcmp(k->name, name))
			return hyb_tracefs_parse(k->text, fields, tracepoint);
	}
	if (kept)
		return -ENOENT;
	err = read_description(name, &text);
	if (err)
		return err;
	err = hyb_tracefs_parse(text, fields, tracepoint);
	free(text);
	return err;
}

const char *hyb_field_text(const struct hyb_field *f, const void *raw, uint32_t size)
{
	uint32_t at = f->offset;
	uint32_t length = f->size;
	const char *text;

	if (f->is_location) {
		uint32_t location = (uint32_t)hyb_field_get(f, raw, size);

		at = location & 0xffff;
		length = location >> 16;
	}
	if (!length || at + length > size)
		return NULL;
	text = (const char *)raw + at;
	return memchr(text, 0, length) ? text : NULL;
}
