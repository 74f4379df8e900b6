/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See machine.h. The quota is that of the process's cgroup or of the one around it that leaves the least; how long it was
 * kept from its CPUs is counted by that one. Versions 1 and 2 of cgroups, where they are usually mounted.
 */
#include "core/process/machine.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include "core/sys/memory.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"

#define CPUS_FIRST 1024u
#define CPUS_MOST (1u << 20)

struct quota {
	char folder[PATH_MAX];	/* of the cgroup that has it, empty: there is none */
	long long us;		/* of each period */
	long long period;
	bool second;		/* version 2 */
};

static struct quota quota;
static uint64_t throttled;	/* ns, at the begin */
static char text[PATH_MAX];

/* 0-3,8: the numbers of the bits that are set. */
static void list_bits(const unsigned char *bits, size_t size, char *to, size_t room)
{
	size_t n = 0, last;

	*to = 0;
	for (size_t i = 0; i < size * 8 && n + 24 < room; i = last + 1) {
		last = i;
		if (!(bits[i / 8] >> i % 8 & 1))
			continue;
		while (last + 1 < size * 8 && bits[(last + 1) / 8] >> (last + 1) % 8 & 1)
			last++;
		n += hyb_text_format(to + n, room - n, last > i ? "%s%zu-%zu" : "%s%zu", n ? "," : "", i, last);
	}
}

/* The CPUs that the calling thread may use. */
static void add_cpus(void (*add)(const char *key, const char *value))
{
	for (size_t cpus = CPUS_FIRST; cpus <= CPUS_MOST; cpus *= 4) {
		unsigned char *bits = hyb_alloc(cpus / 8);
		long n = bits ? HYB_SYS(sched_getaffinity, 0, cpus / 8, bits, 0, 0, 0) : 0;

		/* -EINVAL: the kernel has more of them */
		if (n < 0)
			continue;
		if (n > 0) {
			list_bits(bits, (size_t)n, text, sizeof(text));
			add("cpus", text);
		}
		return;
	}
}

static long long number_at(const char *at)
{
	long long n = 0;

	while (*at == ' ')
		at++;
	if (*at < '0' || *at > '9')
		return -1;
	for (; *at >= '0' && *at <= '9'; at++)
		n = n * 10 + (*at - '0');
	return n;
}

static bool read_in(const char *folder, const char *file)
{
	char path[PATH_MAX];
	long n;

	hyb_text_format(path, sizeof(path), "%s/%s", folder, file);
	n = hyb_sys_read_file(path, text, sizeof(text));
	return n > 0;
}

/* How long the cgroup's processes were kept from their CPUs so far, ns. */
static uint64_t read_throttled(void)
{
	const char *key = quota.second ? "throttled_usec " : "throttled_time ", *at;
	long long n;

	if (!quota.folder[0] || !read_in(quota.folder, "cpu.stat"))
		return 0;
	at = strstr(text, key);
	n = at ? number_at(at + strlen(key)) : 0;
	return n > 0 ? (uint64_t)n * (quota.second ? 1000 : 1) : 0;
}

static void look_at(const char *folder, bool second)
{
	long long us, period = 0;
	const char *blank;

	if (!read_in(folder, second ? "cpu.max" : "cpu.cfs_quota_us"))
		return;
	/* max, or -1: there is none */
	us = number_at(text);
	blank = strchr(text, ' ');
	if (second)
		period = blank ? number_at(blank) : 0;
	else if (us > 0 && read_in(folder, "cpu.cfs_period_us"))
		period = number_at(text);
	if (us <= 0 || period <= 0)
		return;
	if (quota.folder[0] && us / (double)period >= quota.us / (double)quota.period)
		return;
	quota.us = us;
	quota.period = period;
	quota.second = second;
	hyb_text_format(quota.folder, sizeof(quota.folder), "%s", folder);
}

/* The cgroup and all around it. */
static void look_up(const char *mount, const char *path, bool second)
{
	char folder[PATH_MAX];
	const size_t root = strlen(mount);

	if (hyb_text_format(folder, sizeof(folder), "%s%s", mount, path) >= sizeof(folder))
		return;
	for (char *slash; strlen(folder) > root; *slash = 0) {
		if (folder[strlen(folder) - 1] != '/')
			look_at(folder, second);
		slash = strrchr(folder, '/');
	}
}

/* NUMBER:CONTROLLERS:PATH; without controllers, version 2. */
static void look_at_line(char *line)
{
	char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
	char mount[64];

	if (!path)
		return;
	controllers++;
	*path++ = 0;
	if (!*controllers) {
		look_up("/sys/fs/cgroup", path, true);
		look_up("/sys/fs/cgroup/unified", path, true);
	} else if (!strcmp(controllers, "cpu") || !strncmp(controllers, "cpu,", 4)) {
		hyb_text_format(mount, sizeof(mount), "/sys/fs/cgroup/%s", controllers);
		look_up(mount, path, false);
		if (strcmp(controllers, "cpu"))
			look_up("/sys/fs/cgroup/cpu", path, false);
	}
}

static void find_quota(void)
{
	static char lines[PATH_MAX];
	char *end;

	if (hyb_sys_read_file("/proc/self/cgroup", lines, sizeof(lines)) <= 0)
		return;
	for (char *line = lines; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = 0;
		look_at_line(line);
	}
}

void hyb_machine_begin(void (*add)(const char *key, const char *value))
{
	long n;

	add_cpus(add);
	n = hyb_sys_read_file("/sys/devices/system/cpu/online", text, sizeof(text));
	if (n > 1) {
		text[strcspn(text, "\n")] = 0;
		add("cpus-online", text);
	}
	find_quota();
	if (!quota.folder[0])
		return;
	hyb_text_format(text, sizeof(text), "%lld us of %lld", quota.us, quota.period);
	add("cpu-quota", text);
	throttled = read_throttled();
}

void hyb_machine_end(void (*add)(const char *key, const char *value))
{
	struct rusage r;
	char number[48];

	if (quota.folder[0]) {
		hyb_text_format(number, sizeof(number), "%llu ns", (unsigned long long)(read_throttled() - throttled));
		add("cpu-throttled", number);
	}
	if (!HYB_SYS(getrusage, RUSAGE_SELF, &r, 0, 0, 0, 0)) {
		hyb_text_format(number, sizeof(number), "%ld KiB", r.ru_maxrss);
		add("memory-peak", number);
	}
}
