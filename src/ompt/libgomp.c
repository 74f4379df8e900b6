/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the process uses libgomp; see libgomp.h. */
#include "ompt/libgomp.h"

#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "core/config/config.h"
#include "core/sys/directory.h"
#include "core/sys/log.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "core/job/job.h"
#include "core/process/process.h"

static struct {
	uint64_t begin;		/* of its code; 0: it is not there */
	uint64_t end;
	char path[PATH_MAX];
} gomp;
static uint64_t begin_at_start;	/* of what was there when the program started */

/* Also by the names that Python's packages give to copies of their own, such as libgomp-a34b3233.so.1.0.0. */
static bool is_gomp(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && (!strncmp(slash, "/libgomp.so", 11) ||
			 (!strncmp(slash, "/libgomp-", 9) && strncmp(slash, "/libgomp-plugin-", 16) &&
			  strstr(slash, ".so")));
}

static int look(struct dl_phdr_info *info, size_t size, void *left_out)
{
	(void)size;
	if (!is_gomp(info->dlpi_name) || (*(unsigned int *)left_out)-- > 0)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		gomp.begin = info->dlpi_addr + p->p_vaddr;
		gomp.end = gomp.begin + p->p_memsz;
		hyb_text_format(gomp.path, sizeof(gomp.path), "%s", info->dlpi_name);
	}
	return 1;
}

/* The one behind so many others: libraries may bring several. */
static bool find_gomp(unsigned int left_out)
{
	gomp.begin = 0;
	return dl_iterate_phdr(look, &left_out) && gomp.begin;
}

void hyb_gomp_start(void)
{
	if (find_gomp(0))
		begin_at_start = gomp.begin;
}

bool hyb_gomp_is_there(void)
{
	return find_gomp(0);
}

/* The last of the numbers that the kernel says of a waiting thread is where it will go on. */
static bool waits_in_gomp(const char *text)
{
	const char *p = strrchr(text, ' ');
	uint64_t at = 0;

	if (!p || strncmp(p + 1, "0x", 2))
		return false;
	for (p += 3; ; p++) {
		if (*p >= '0' && *p <= '9')
			at = at * 16 + (uint64_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			at = at * 16 + (uint64_t)(*p - 'a' + 10);
		else
			break;
	}
	return at >= gomp.begin && at < gomp.end;
}

/* A thread of its pool waits in a system call of its own, or still looks for work. */
static bool is_pool_thread(const char *tid)
{
	char path[64];
	char text[256];

	hyb_text_format(path, sizeof(path), "/proc/self/task/%s/syscall", tid);
	if (tid[0] == '.' || hyb_sys_read_file(path, text, sizeof(text)) <= 0)
		return false;
	return !strncmp(text, "running", 7) || waits_in_gomp(text);
}

static bool is_other_in_pool(const char *tid, void *own)
{
	return strcmp(tid, own) && is_pool_thread(tid);
}

static bool has_pool(void)
{
	char own[16];

	hyb_text_format(own, sizeof(own), "%ld", HYB_SYS(gettid, 0, 0, 0, 0, 0, 0));
	return hyb_directory_read(hyb_sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY, 0), UINT_MAX,
				  is_other_in_pool, own);
}

static bool other_is_recorded;

void hyb_gomp_is_not_it(void)
{
	__atomic_store_n(&other_is_recorded, true, __ATOMIC_RELAXED);
}

/* OpenMP was used with this runtime, which was there from the start or loaded late. */
static void name_unseen(bool late)
{
	if (__atomic_load_n(&other_is_recorded, __ATOMIC_RELAXED))
		return;
	hyb_process_note("openmp-unseen", gomp.path, strlen(gomp.path));
	hyb_config_load();
	if (hyb_config.enable && hyb_config.omp && hyb_job_rank() <= 0)
		hyb_log(HYB_LOG_NOTE, "OpenMP was not recorded: %s%s was called past hybmon, as by a library that was loaded "
			"with RTLD_DEEPBIND", gomp.path, late ? ", loaded while the program ran," : "");
}

void hyb_gomp_end(void)
{
	for (unsigned int i = 0; find_gomp(i); i++) {
		if (has_pool()) {
			name_unseen(gomp.begin != begin_at_start);
			return;
		}
	}
}
