/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines on stderr; see log.h. */
#include "base/log.h"

#include <stdarg.h>
#include <sys/stat.h>

#include "base/config.h"
#include "base/sys.h"
#include "base/text.h"

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

void hyb_log(enum hyb_log_level level, const char *format, ...)
{
	static const char *const names[] = { "", "error: ", "warning: ", "note: " };
	char line[LINE_MAX_BYTES];
	size_t n;
	va_list ap;
	int rank;

	if (level > hyb_config.verbose || !stderr_is_ours())
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
	line[n++] = '\n';
	hyb_sys_write_all(STDERR_FILENO, line, n);
}
