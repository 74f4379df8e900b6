/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is still there; see alive.h. */
#include "core/sys/alive.h"

#include <string.h>
#include <sys/stat.h>

#include "core/sys/sys.h"
#include "core/sys/text.h"

static const char *digits(const char *text, uint64_t *number)
{
	for (*number = 0; *text >= '0' && *text <= '9' && *number < UINT64_MAX / 16; text++)
		*number = *number * 10 + (uint64_t)(*text - '0');
	return text;
}

uint64_t hyb_alive_namespace(void)
{
	struct stat st;

	return HYB_SYS(newfstatat, AT_FDCWD, "/proc/self/ns/pid", &st, 0, 0, 0) ? 0 : st.st_ino;
}

bool hyb_alive_look(long pid, long *parent, char *start, size_t size)
{
	char path[64];
	char stat[1024];
	const char *p;
	uint64_t ppid;
	size_t n = 0;

	hyb_text_format(path, sizeof(path), "/proc/%ld/stat", pid);
	if (hyb_sys_read_file(path, stat, sizeof(stat)) <= 0)
		return false;
	p = strrchr(stat, ')');		/* the name before it may hold anything */
	if (!p)
		return false;
	/* After the name: state (field 3), parent (4), ..., start time (22). */
	for (int field = 2; *p && field < 22; p++) {
		if (*p != ' ')
			continue;
		field++;
		if (field == 4) {
			digits(p + 1, &ppid);
			*parent = (long)ppid;
		}
	}
	while (n + 1 < size && p[n] >= '0' && p[n] <= '9') {
		start[n] = p[n];
		n++;
	}
	start[n] = 0;
	return true;
}

uint64_t hyb_alive_started(long pid)
{
	char start[32] = "";
	uint64_t ticks;
	long parent;

	if (!hyb_alive_look(pid, &parent, start, sizeof(start)))
		return 0;
	digits(start, &ticks);
	return ticks;
}

long hyb_alive_tracer(void)
{
	static const char key[] = "\nTracerPid:\t";
	char status[1024];
	uint64_t pid = 0;
	const char *p;

	if (hyb_sys_read_file("/proc/self/status", status, sizeof(status)) <= 0)
		return 0;
	p = strstr(status, key);
	if (p)
		digits(p + sizeof(key) - 1, &pid);
	return (long)pid;
}

bool hyb_alive_is_gone(long pid, uint64_t started)
{
	uint64_t now;

	if (pid <= 0)
		return false;
	if (HYB_SYS(kill, pid, 0, 0, 0, 0, 0) == -ESRCH)
		return true;
	now = started ? hyb_alive_started(pid) : 0;
	return now && now != started;
}

/* <boot id>.<namespace>.<pid>.<start> */
void hyb_alive_tell(char buf[HYB_ALIVE_TEXT])
{
	long pid = HYB_SYS(getpid, 0, 0, 0, 0, 0, 0);
	uint64_t name_space = hyb_alive_namespace();
	uint64_t started = hyb_alive_started(pid);
	char boot[64];
	long n = hyb_sys_read_file("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));

	buf[0] = 0;
	if (n <= 1 || !name_space || !started)
		return;
	boot[strcspn(boot, "\n")] = 0;
	hyb_text_format(buf, HYB_ALIVE_TEXT, "%s.%llu.%ld.%llu", boot, (unsigned long long)name_space, pid,
			(unsigned long long)started);
}

/* Boot and namespace come first: what is alike up to the second dot is of this machine and namespace. */
bool hyb_alive_told_is_gone(const char *word, const char *self)
{
	const char *dot = strchr(self, '.');
	uint64_t pid, started;
	size_t n;

	dot = dot ? strchr(dot + 1, '.') : NULL;
	if (!dot)
		return false;
	n = (size_t)(dot - self) + 1;
	if (strncmp(word, self, n))
		return false;
	word = digits(word + n, &pid);
	if (*word != '.' || !pid || pid > INT32_MAX)
		return false;
	digits(word + 1, &started);
	return hyb_alive_is_gone((long)pid, started);
}
