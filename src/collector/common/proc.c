/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading /proc; see proc.h. */
#include "collector/common/proc.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "core/sys/alive.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"

/* The next name that is a number, 0: there is no more. */
static uint32_t next_number(DIR *dir)
{
	const struct dirent *entry;
	uint32_t number = 0;

	while (!number && (entry = readdir(dir)))
		number = (uint32_t)strtoul(entry->d_name, NULL, 10);
	return number;
}

int hyb_proc_threads(uint32_t tgid, hyb_proc_visitor visit)
{
	char path[64];
	uint32_t tid;
	DIR *dir;

	hyb_text_format(path, sizeof(path), "/proc/%u/task", tgid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((tid = next_number(dir)))
		visit(tgid, tid);
	closedir(dir);
	return 0;
}

void hyb_proc_all_threads(hyb_proc_visitor visit)
{
	DIR *dir = opendir("/proc");
	uint32_t tgid;

	if (!dir)
		return;
	while ((tgid = next_number(dir)))
		hyb_proc_threads(tgid, visit);
	closedir(dir);
}

long hyb_proc_parent(uint32_t tgid)
{
	char start[32];
	long parent;

	return hyb_alive_look(tgid, &parent, start, sizeof(start)) ? parent : -ESRCH;
}

long hyb_proc_setting(const char *path, long otherwise)
{
	char text[32];

	return hyb_sys_read_file(path, text, sizeof(text)) > 0 ? strtol(text, NULL, 10) : otherwise;
}
