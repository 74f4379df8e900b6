/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon-print --profile: how often and how long the kernel did what, by thread, as a collector has added it up. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/text/job.h"
#include "reader/containers/array.h"
#include "reader/streams/kdefs.h"
#include "reader/streams/label.h"
#include "reader/streams/kernel.h"

#define PROFILE_MAX (256u << 20) /* a file larger than this is none */

struct row {
	uint32_t task;
	uint32_t kind; /* enum hyb_profile_kind */
	uint32_t number;
	uint64_t count;
	uint64_t inclusive;
	uint64_t exclusive;
	uint64_t histogram[HYB_PROFILE_BUCKETS];
};

struct profile {
	uint64_t until;
	uint64_t lost;
	struct row *rows;
	size_t count;
	size_t room;
	struct hyb_kdefs defs;
};

/* Thread by thread, the longest first. */
static int by_weight(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->inclusive != y->inclusive)
		return x->inclusive > y->inclusive ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static bool read_row(const char *line, struct row *row)
{
	int at = 0;

	memset(row, 0, sizeof(*row));
	if (sscanf(line, "%" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64 "%n", &row->task,
		   &row->kind, &row->number, &row->count, &row->inclusive, &row->exclusive, &at) != 6)
		return false;
	for (size_t i = 0; i < HYB_PROFILE_BUCKETS && (line[at] == ' ' || line[at] == ','); i++) {
		char *end;

		row->histogram[i] = strtoull(line + at + 1, &end, 10);
		at = (int)(end - line);
	}
	return true;
}

/* 0; -ENOENT: there is none; -EINVAL: it is none. */
static int read_profile(const char *path, uid_t owner, struct profile *p)
{
	int fd = hyb_file_open(path, owner, PROFILE_MAX), version = 0;
	FILE *f = fd < 0 ? NULL : print_must(fdopen(fd, "re"));
	char line[2048];

	if (!f)
		return fd;
	if (!fgets(line, sizeof(line), f) || sscanf(line, "hybmon kernel profile %d", &version) != 1 || version != 1 ||
	    fscanf(f, "until %" SCNu64 "\nlost %" SCNu64 "\n", &p->until, &p->lost) != 2) {
		fclose(f);
		return -EINVAL;
	}
	while (fgets(line, sizeof(line), f)) {
		p->rows = print_must(hyb_array_room(p->rows, &p->room, p->count, sizeof(*p->rows)));
		p->count += read_row(line, &p->rows[p->count]);
	}
	fclose(f);
	if (p->count)
		qsort(p->rows, p->count, sizeof(*p->rows), by_weight);
	return 0;
}

static void name_event(const struct hyb_kdefs *defs, const struct row *row, char *buf, size_t size)
{
	const enum hyb_kernel_what what = hyb_label_profiled(row->kind);
	const unsigned int names = hyb_label_names(what);
	const char *label = hyb_label_event(what, row->number, names ? hyb_kdefs_name(defs, names, row->number) : NULL, buf, size);

	if (!label)
		snprintf(buf, size, "event?%" PRIu32 ".%" PRIu32, row->kind, row->number);
	else if (label != buf)
		snprintf(buf, size, "%s", label);
}

/* The name that the task had last, and its number where that is asked for. */
static void put_thread(const struct hyb_kdefs *defs, uint32_t number)
{
	size_t count = 0;
	const struct hyb_ktask *task = hyb_kdefs_tasks(defs, number, &count);

	fputs("thread ", stdout);
	print_put_word(count ? task[count - 1].name : "?");
	if (job.print.times)
		printf("/%" PRIu32 " process=%" PRIu32, number, count ? task[count - 1].tgid : 0);
	putchar('\n');
}

/* Powers of two of nanoseconds, as people say them: 1us is 1024 ns. */
static void put_bucket(size_t bucket, uint64_t count)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };

	printf(" %u%s:%" PRIu64, 1u << bucket % 10, units[bucket / 10], count);
}

static void put_row(const struct hyb_kdefs *defs, const struct row *row)
{
	char name[64];

	name_event(defs, row, name, sizeof(name));
	hyb_show(stdout, "  %-28s %10" PRIu64, name, row->count);
	if (job.print.times) {
		printf(" %14.9f %14.9f %12.6f ", (double)row->inclusive / 1e9, (double)row->exclusive / 1e9,
		       row->count ? (double)row->inclusive / 1e3 / (double)row->count : 0);
		for (size_t i = 0; i < HYB_PROFILE_BUCKETS; i++) {
			if (row->histogram[i])
				put_bucket(i, row->histogram[i]);
		}
	}
	putchar('\n');
}

static void print_one(const struct hyb_process *process, struct profile *p)
{
	const char *host = hyb_manifest_get(&process->manifest, "host", 0);

	fputs("kernel profile", stdout);
	if (job.print.times) {
		fputs(" host=", stdout);
		print_put_word(host ? host : "?");
		printf(" until=%" PRIu64, p->until);
	}
	printf(" lost=%" PRIu64 "\n", p->lost);
	printf("  %-28s %10s", "event", "count");
	if (job.print.times)
		printf(" %14s %14s %12s  %s", "inclusive s", "exclusive s", "mean us", "how many took at least");
	putchar('\n');
	for (size_t i = 0; i < p->count; i++) {
		if (!i || p->rows[i].task != p->rows[i - 1].task)
			put_thread(&p->defs, p->rows[i].task);
		put_row(&p->defs, &p->rows[i]);
	}
}

void print_profile(const struct hyb_experiment *x)
{
	for (size_t i = 0; i < x->count; i++) {
		const struct hyb_process *process = &x->processes[i];
		struct profile p = { .until = 0 };
		char path[PATH_MAX];
		int err;

		if (!hyb_kernel_is_node(process) ||
		    (size_t)snprintf(path, sizeof(path), "%s/profile", process->path) >= sizeof(path))
			continue;
		err = read_profile(path, process->owner, &p);
		if (err && err != -ENOENT)
			hyb_diag_say(&job.diag, HYB_SEV_ERROR, "%s: %s", path,
				     err == -EINVAL ? "this is no profile" : hyb_file_error(err));
		if (!err && process->defs)
			hyb_kdefs_read(process->defs, process->owner, &job.diag, &p.defs);
		if (!err)
			print_one(process, &p);
		hyb_kdefs_free(&p.defs);
		free(p.rows);
	}
}
