/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines on stderr; see log.h. */
#include "core/sys/log.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "format/printable.h"

#define LINE_MAX_BYTES 1024

static struct {
	dev_t dev;
	ino_t ino;
	bool known;
} stderr_file;

static struct {
	int (*rank)(void);
	unsigned int (*thread)(void);
} speaker;

static bool identify(dev_t *dev, ino_t *ino)
{
	struct stat st;
	int saved = errno;
	bool ok = !fstat(STDERR_FILENO, &st);

	errno = saved;
	if (ok) {
		*dev = st.st_dev;
		*ino = st.st_ino;
	}
	return ok;
}

void hyb_log_start(int (*rank)(void), unsigned int (*thread)(void))
{
	speaker.rank = rank;
	speaker.thread = thread;
	stderr_file.known = identify(&stderr_file.dev, &stderr_file.ino);
}

/* A program that closed descriptor 2 may have a data file there by now. */
static bool stderr_is_ours(void)
{
	dev_t dev;
	ino_t ino;

	return stderr_file.known && identify(&dev, &ino) && dev == stderr_file.dev &&
	       ino == stderr_file.ino;
}

static size_t length_of_plain(const char *line, size_t size)
{
	size_t at = 0, n;

	while (at < size && (n = hyb_plain_length(line + at, size - at)))
		at += n;
	return at;
}

/* A line with names that the program, its files or its MPI made up. Out of line: callers may have little stack. */
static __attribute__((noinline)) void write_escaped(const char *line, size_t size)
{
	char shown[LINE_MAX_BYTES];
	size_t n = 0;

	for (size_t plain, taken; size && n < sizeof(shown) - 5; line += taken, size -= taken) {
		plain = hyb_plain_length(line, size);
		taken = plain ? plain : 1;
		if (plain)
			memcpy(shown + n, line, plain);
		n += plain ? plain : hyb_text_format(shown + n, sizeof(shown) - n, "\\x%02x", (unsigned char)*line);
	}
	shown[n++] = '\n';
	hyb_sys_write_all(STDERR_FILENO, shown, n);
}

enum hyb_log_level hyb_log_most;

void hyb_log(enum hyb_log_level level, const char *format, ...)
{
	static const char *const names[] = { "", "error: ", "warning: ", "note: " };
	char line[LINE_MAX_BYTES];
	size_t n;
	va_list ap;
	int rank;

	if (level > hyb_log_most || !stderr_is_ours())
		return;
	rank = speaker.rank();
	if (rank >= 0)
		n = hyb_text_format(line, sizeof(line), "hybmon[%d.%u]: %s", rank,
				    speaker.thread(), names[level]);
	else
		n = hyb_text_format(line, sizeof(line), "hybmon[%ld]: %s",
				    HYB_SYS(getpid, 0, 0, 0, 0, 0, 0), names[level]);
	va_start(ap, format);
	n += hyb_text_vformat(line + n, sizeof(line) - n - 1, format, ap);
	va_end(ap);
	if (n > sizeof(line) - 2)
		n = sizeof(line) - 2;
	if (length_of_plain(line, n) < n) {
		write_escaped(line, n);
		return;
	}
	line[n++] = '\n';
	hyb_sys_write_all(STDERR_FILENO, line, n);
}
