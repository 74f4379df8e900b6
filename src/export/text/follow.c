/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon-print --follow: new events, threads and processes as they come. */
#include "export/text/job.h"
#include "reader/containers/array.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS 100000000 /* between two looks for new events */
#define RESCAN_POLLS 10	  /* between two looks for new processes and threads */

/*
 * Opens the streams of a process that were not there before. One that is still empty is tried
 * again.
 */
static void add_streams(struct view *v)
{
	const struct hyb_process *p = v->print.process;

	for (size_t f = 0; f < p->stream_count; f++) {
		const struct hyb_stream_file *file = &p->streams[f];
		struct follow_stream *streams;
		struct hyb_reader *reader;
		size_t i = 0;
		int err;

		while (i < v->count &&
		       (v->streams[i].kind != file->kind || v->streams[i].number != file->number))
			i++;
		if (i < v->count || !print_wanted_stream(file))
			continue;
		err = hyb_reader_open(file->path, p->owner, NULL, &reader);
		if (err == -ENODATA)
			continue;
		if (!err)
			hyb_reader_close(reader);
		streams = print_must(hyb_array_room(v->streams, &v->room, v->count, sizeof(*streams)));
		v->streams = streams;
		streams[v->count].kind = file->kind;
		streams[v->count].number = file->number;
		streams[v->count++].stream = print_open_stream(v, file);
	}
}

struct following {
	struct view **views;
	size_t count;
	size_t room;
};

static struct view *find_view(struct following *f, const struct hyb_process *p)
{
	for (size_t i = 0; i < f->count; i++) {
		if (!strcmp(f->views[i]->name, p->name))
			return f->views[i];
	}
	return NULL;
}

/* Takes in what the experiment has now: new processes, new threads, better clocks. */
static void take_in(struct following *f, const struct hyb_experiment *x)
{
	size_t kept = 0;

	print_survey(x);
	for (size_t i = 0; i < f->count; i++)
		f->views[i]->print.process = NULL;
	for (size_t i = 0; i < x->count; i++) {
		const struct hyb_process *p = &x->processes[i];
		struct view *v = find_view(f, p);

		if (!v && print_wanted_process(p)) {
			v = print_must(malloc(sizeof(*v)));
			print_open_view(v, p, job.clock_of[i]);
			f->views = print_must(hyb_array_room(f->views, &f->room, f->count, sizeof(*f->views)));
			f->views[f->count++] = v;
		}
		if (!v)
			continue;
		v->print.process = p;
		v->print.clock = hyb_clocks_get(job.clocks, job.clock_of[i]);
		print_open_defs(v, NULL);
		add_streams(v);
	}
	for (size_t i = 0; i < f->count; i++) {
		if (f->views[i]->print.process) {
			f->views[kept++] = f->views[i];
			continue;
		}
		print_close_view(f->views[i]);
		free(f->views[i]);
	}
	f->count = kept;
}

/* True if the process ran on this machine, since its last start, and is no more: it was killed. */
static bool died_here(const struct hyb_manifest *m)
{
	static char host[HOST_NAME_MAX + 1], boot[64];

	if (!*host) {
		FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

		gethostname(host, sizeof(host) - 1);
		if (file && fgets(boot, sizeof(boot), file))
			boot[strcspn(boot, "\n")] = 0;
		if (file)
			fclose(file);
	}
	return m->pid > 0 && !strcmp(m->host, host) && !strcmp(m->boot, boot) &&
	       kill((pid_t)m->pid, 0) < 0 && errno == ESRCH;
}

static bool has_ended(const struct view *v)
{
	const struct hyb_process *p = v->print.process;

	if (p->has_manifest && (p->manifest.state == HYB_RUN_ENDED || died_here(&p->manifest)))
		return true;
	/* Nothing else may tell, for example where the directory went elsewhere meanwhile. */
	for (size_t i = 0; i < v->count; i++) {
		if (v->streams[i].stream && !hyb_reader_closed(v->streams[i].stream->reader))
			return false;
	}
	return !p->has_manifest || job.gone;
}

static uint64_t read_view(struct view *v)
{
	uint64_t count;

	if (v->print.defs)
		hyb_defs_update(v->print.defs);
	count = print_read_defs(v);
	for (size_t i = 0; i < v->count; i++) {
		if (v->streams[i].stream)
			count += print_read_stream(v->streams[i].stream);
	}
	return count;
}

static void rescan(struct following *f)
{
	struct hyb_experiment *x;

	if (job.synthetic)
		return;
	job.gone = hyb_experiment_open(job.experiment->path, NULL, &x) != 0;
	if (job.gone)
		return;
	take_in(f, x);
	hyb_experiment_close(job.experiment);
	job.experiment = x;
}

void print_follow(void)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };
	struct following f = { .views = NULL };
	struct rlimit files;
	bool ended = false;

	/* Every stream keeps a descriptor here. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	take_in(&f, job.experiment);
	for (unsigned int poll = 1;; poll++) {
		uint64_t count = 0;

		for (size_t i = 0; i < f.count; i++)
			count += read_view(f.views[i]);
		fflush(stdout);
		print_check_output();
		/* Once more after the end, for what came between the last look and it. */
		if (ended && !count)
			break;
		if (!(poll % RESCAN_POLLS) || ended)
			rescan(&f);
		ended = true;
		for (size_t i = 0; i < f.count; i++)
			ended &= has_ended(f.views[i]);
		if (!ended && !count)
			nanosleep(&pause, NULL);
	}
	for (size_t i = 0; i < f.count; i++) {
		print_close_view(f.views[i]);
		free(f.views[i]);
	}
	free(f.views);
}
