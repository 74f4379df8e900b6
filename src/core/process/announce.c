/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links to the manifests of running processes; see announce.h. /dev/shm is everybody's, and numbers of processes come
 * again, so a link counts only if it is this user's, and a manifest only if it is of the process meant: its start
 * tells. If somebody else has made a link of that name, the process is not announced, and nothing else changes.
 */
#include "core/process/announce.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/sys/alive.h"
#include "core/sys/clock.h"
#include "core/sys/directory.h"
#include "core/sys/owned.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "core/process/exits.h"
#include "core/record/manifest.h"

#define FOLDER		"/dev/shm"
#define PREFIX		"hybmon-"
#define MAX_LEFT	64	/* links to be looked at */
#define MAX_READS	64	/* of the folder */
#define GRACE		10	/* s between the mark of a link and its end */

/* A child may have this memory, and another namespace. */
static uint64_t name_space(void)
{
	static uint64_t known;
	static long known_to;
	long pid = HYB_SYS(getpid, 0, 0, 0, 0, 0, 0);

	if (__atomic_load_n(&known_to, __ATOMIC_ACQUIRE) != pid) {
		__atomic_store_n(&known, hyb_alive_namespace(), __ATOMIC_RELAXED);
		__atomic_store_n(&known_to, pid, __ATOMIC_RELEASE);	/* pairs with the acquire above */
	}
	return __atomic_load_n(&known, __ATOMIC_RELAXED);
}

static size_t name_start(char *buf, size_t size)
{
	return hyb_text_format(buf, size, PREFIX "%ld-%llu-", HYB_SYS(geteuid, 0, 0, 0, 0, 0, 0),
			       (unsigned long long)name_space());
}

static void link_of(char *buf, size_t size, long pid)
{
	size_t n = hyb_text_format(buf, size, FOLDER "/");

	n += name_start(buf + n, size - n);
	hyb_text_format(buf + n, size - n, "%ld", pid);
}

bool hyb_announce_is_known(long pid)
{
	char link[128];
	char first;

	link_of(link, sizeof(link), pid);
	return HYB_SYS(readlinkat, AT_FDCWD, link, &first, 1, 0, 0) > 0;
}

static bool line_is(const char *lines, unsigned int n, const char *text)
{
	const char *line = lines + n * HYB_MANIFEST_LINE;
	size_t length = strlen(text);

	return !strncmp(line, text, length) && line[length] == ' ';
}

static void write_line(long fd, unsigned int n, const char *text)
{
	char line[HYB_MANIFEST_LINE];
	size_t length = strlen(text);

	memset(line, ' ', sizeof(line));
	memcpy(line, text, length);
	line[sizeof(line) - 1] = '\n';
	HYB_SYS(pwrite64, fd, line, sizeof(line), n * HYB_MANIFEST_LINE, 0, 0);
}

/* The manifest in the directory that the link leads to, open for writing; its fixed lines. */
static long open_manifest(const char *directory, char lines[HYB_MANIFEST_SIZE + 1])
{
	struct hyb_identity identity;
	long at = hyb_owned_directory(AT_FDCWD, directory, &identity);
	long fd;

	if (at < 0)
		return at;
	fd = hyb_owned_file(at, "manifest", O_RDWR, identity.owner);
	hyb_sys_close(at);
	if (fd >= 0 && hyb_sys_read_text(fd, lines, HYB_MANIFEST_SIZE + 1) == HYB_MANIFEST_SIZE &&
	    line_is(lines, 0, HYB_MANIFEST_TITLE))
		return fd;
	if (fd >= 0)
		hyb_sys_close(fd);
	return HYB_STRANGE;
}

/* When the process began that is number `pid` in this namespace, as its manifest says; 0: it is another's. */
static uint64_t start_told(const char *lines, long pid)
{
	const char *line = lines + HYB_MANIFEST_START * HYB_MANIFEST_LINE;
	char text[HYB_MANIFEST_LINE];
	uint64_t ticks = 0;
	size_t n;

	hyb_text_format(text, sizeof(text), "pid: %ld", pid);
	if (!line_is(lines, HYB_MANIFEST_PID, text))
		return 0;
	n = hyb_text_format(text, sizeof(text), "start: %llu ", (unsigned long long)name_space());
	if (strncmp(line, text, n))
		return 0;
	for (line += n; *line >= '0' && *line <= '9' && ticks < UINT64_MAX / 16; line++)
		ticks = ticks * 10 + (uint64_t)(*line - '0');
	return ticks;
}

static void write_end(long fd, const char *lines, const char *how)
{
	char text[HYB_MANIFEST_LINE];

	hyb_text_format(text, sizeof(text), "ended: %s", how);
	if (line_is(lines, HYB_MANIFEST_ENDED, "ended: -"))
		write_line(fd, HYB_MANIFEST_ENDED, text);
	hyb_text_format(text, sizeof(text), "until: %llu", (unsigned long long)hyb_clock_raw());
	write_line(fd, HYB_MANIFEST_UNTIL, text);
	write_line(fd, HYB_MANIFEST_STATE, "state: ended");
}

/*
 * Process `pid` has ended as `how` says, this process's child, or it itself before it executed what it is now. A child
 * began after its parent, also one that was adopted, so what began before is some other process's, from long ago.
 */
static void note_end(long pid, const char *how, bool itself)
{
	char lines[HYB_MANIFEST_SIZE + 1];
	char directory[PATH_MAX];
	char link[128];
	uint64_t started, own;
	long fd;

	link_of(link, sizeof(link), pid);
	if (hyb_owned_link(AT_FDCWD, link, directory, sizeof(directory)) <= 0)
		return;
	fd = open_manifest(directory, lines);
	if (fd >= 0) {
		started = start_told(lines, pid);
		own = started ? hyb_alive_started(HYB_SYS(getpid, 0, 0, 0, 0, 0, 0)) : 0;
		if (started && (itself ? started == own : started >= own))
			write_end(fd, lines, how);
		hyb_sys_close(fd);
	}
	hyb_sys_unlink(link, 0);
}

void hyb_announce_ended(long pid, const char *how)
{
	note_end(pid, how, false);
}

void hyb_exits_announce(const char *directory)
{
	long pid = HYB_SYS(getpid, 0, 0, 0, 0, 0, 0);
	char link[128];

	/* A link that is there already is of this process's former self, or of one that had its number. */
	note_end(pid, "exec", true);
	link_of(link, sizeof(link), pid);
	hyb_sys_symlink(directory, link);
}

void hyb_exits_withdraw(void)
{
	char link[128];

	link_of(link, sizeof(link), HYB_SYS(getpid, 0, 0, 0, 0, 0, 0));
	hyb_sys_unlink(link, 0);
}

/*
 * A process that is gone may have been collected a moment ago by a launcher that is about to note how it ended, and finds
 * it by this link. So whoever sees it first marks it, by a time of change long ago; who sees the mark some seconds later
 * removes it.
 */
static void remove_or_mark(const char *link)
{
	static const struct timespec mark[2] = { { 0 }, { 0 } };
	struct timespec now;
	struct stat st;

	if (HYB_SYS(newfstatat, AT_FDCWD, link, &st, AT_SYMLINK_NOFOLLOW, 0, 0) ||
	    HYB_SYS(clock_gettime, CLOCK_REALTIME, &now, 0, 0, 0, 0))
		return;
	if (st.st_mtime)
		HYB_SYS(utimensat, AT_FDCWD, link, mark, AT_SYMLINK_NOFOLLOW, 0, 0);
	else if (now.tv_sec - st.st_ctime >= GRACE || now.tv_sec < st.st_ctime)
		hyb_sys_unlink(link, 0);
}

static void remove_if_left(const char *name, long pid)
{
	char lines[HYB_MANIFEST_SIZE + 1];
	char directory[PATH_MAX];
	char link[128];
	uint64_t started = 0;
	long fd;

	hyb_text_format(link, sizeof(link), FOLDER "/%s", name);
	if (hyb_owned_link(AT_FDCWD, link, directory, sizeof(directory)) <= 0)
		return;
	fd = open_manifest(directory, lines);
	if (fd >= 0) {
		started = start_told(lines, pid);
		hyb_sys_close(fd);
	}
	if (hyb_alive_is_gone(pid, started))
		remove_or_mark(link);
}

static long number(const char *text)
{
	long n = 0;

	while (*text >= '0' && *text <= '9' && n < INT_MAX / 10)
		n = n * 10 + (*text++ - '0');
	return *text ? 0 : n;
}

struct tidying {
	char start[64];		/* of this user's links */
	size_t length;
	unsigned int left;	/* links that may still be looked at */
};

static bool tidy(const char *name, void *tidying)
{
	struct tidying *t = tidying;
	long pid = strncmp(name, t->start, t->length) ? 0 : number(name + t->length);

	if (pid <= 0)
		return false;
	remove_if_left(name, pid);
	return !--t->left;
}

void hyb_announce_tidy(void)
{
	struct tidying t = { .left = MAX_LEFT };

	t.length = name_start(t.start, sizeof(t.start));
	hyb_directory_read(hyb_sys_open(FOLDER, O_RDONLY | O_DIRECTORY, 0), MAX_READS, tidy, &t);
}
