/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline/web/findings.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "timeline/json/findings.h"

struct hyb_html_findings {
	const char *const *dirs;
	size_t count;
	const char *tmp;
	volatile sig_atomic_t stop;
	pthread_mutex_t lock; /* of what follows */
	pthread_t thread;
	bool begun;
	bool done;
	int err;
	char *json;
	size_t size;
};

struct hyb_html_findings *hyb_html_findings_new(const char *const *dirs, size_t count, const char *tmp)
{
	struct hyb_html_findings *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->dirs = dirs;
	f->count = count;
	f->tmp = tmp;
	pthread_mutex_init(&f->lock, NULL);
	return f;
}

void hyb_html_findings_free(struct hyb_html_findings *f)
{
	if (!f)
		return;
	f->stop = 1;
	if (f->begun)
		pthread_join(f->thread, NULL);
	pthread_mutex_destroy(&f->lock);
	free(f->json);
	free(f);
}

/* Who shows the timeline has read all this before, and said what there is to say. */
static void say_nothing(void *arg, enum hyb_severity severity, const char *text)
{
	(void)arg;
	(void)severity;
	(void)text;
}

static int find(struct hyb_html_findings *f, const char *place, FILE *to)
{
	static const struct hyb_diag quiet = { say_nothing, NULL };
	struct hyb_view_waits waits;
	struct hyb_report report;
	const struct hyb_report_options options = {
		.dirs = f->dirs, .dir_count = f->count, .place = place, .diag = &quiet, .stop = &f->stop,
		.tell = hyb_view_waits_take, .tell_arg = &waits,
	};
	int err = hyb_view_waits_init(&waits);

	if (!err) {
		err = hyb_report_make(&report, &options);
		if (!err) {
			hyb_view_waits_order(&waits);
			err = hyb_json_findings(&report, &waits, to);
		}
		hyb_report_free(&report);
	}
	hyb_view_waits_free(&waits);
	return err;
}

int hyb_html_findings_write(struct hyb_html_findings *f, FILE *to)
{
	char place[PATH_MAX];
	int err;

	if (snprintf(place, sizeof(place), "%s/hybmon-view-XXXXXX", f->tmp) >= (int)sizeof(place))
		return -ENAMETOOLONG;
	if (!mkdtemp(place))
		return -errno;
	err = find(f, place, to);
	rmdir(place);
	return err;
}

static void *run(void *arg)
{
	struct hyb_html_findings *f = arg;
	char *json = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&json, &size);
	int err = to ? hyb_html_findings_write(f, to) : -ENOMEM;

	if (to && fclose(to) && !err)
		err = -ENOMEM;
	pthread_mutex_lock(&f->lock);
	f->json = json;
	f->size = size;
	f->err = err;
	f->done = true;
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

int hyb_html_findings_get(struct hyb_html_findings *f, const char **json, size_t *size)
{
	int err;

	pthread_mutex_lock(&f->lock);
	if (!f->begun) {
		f->err = -pthread_create(&f->thread, NULL, run, f);
		f->begun = !f->err;
		f->done = !f->begun;
	}
	err = f->done ? f->err : -EAGAIN;
	*json = f->json;
	*size = f->size;
	pthread_mutex_unlock(&f->lock);
	return err;
}
