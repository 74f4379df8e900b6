/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks of one job may run different programs, one of them several behind each other, but their default experiment
 * has one name: that of whoever comes first. A link tells the others while he runs; who comes when he has ended, and
 * with him the link, looks for what he has made.
 *
 * What the link holds is the name and, as if it were a file in it, who made the link. So what killed processes have
 * left is taken away by the next one that makes a link there.
 */
#include <string.h>
#include <time.h>

#include "core/sys/alive.h"
#include "core/sys/directory.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "core/job/experiment.h"

#define PREFIX		".hybmon-job-"
#define LINK_TRIES	4	/* others may have made links of that name; they count for nothing */
#define MAX_CANDIDATES	1000	/* experiments to be looked at */
#define MAX_LEFT	64	/* left links to be looked at */
#define MAX_READS	4096	/* of a directory */

struct search {
	const struct hyb_job *job;
	long directory;
	char self[HYB_ALIVE_TEXT];
	unsigned int candidates;
	unsigned int left;
	char *name;		/* where the experiment's goes */
	size_t size;
};

/*
 * Whether `name` is that of an experiment of a job with this id: hybmon-<program>[-<label>]-<id>, perhaps with a
 * suffix.
 */
static bool is_named_after(const char *name, const char *id)
{
	size_t length = strlen(id);

	if (strncmp(name, "hybmon-", 7))
		return false;
	for (const char *p = name + 6; (p = strchr(p, '-')) != NULL; p++) {
		if (!strncmp(p + 1, id, length) && (!p[1 + length] || p[1 + length] == '.'))
			return true;
	}
	return false;
}

static void remove_if_left(struct search *s, const char *link)
{
	char text[256 + HYB_ALIVE_TEXT];
	const char *slash;

	if (!s->self[0] || s->left++ >= MAX_LEFT || hyb_owned_link(s->directory, link, text, sizeof(text)) <= 0)
		return;
	slash = strchr(text, '/');
	if (slash && hyb_alive_told_is_gone(slash + 1, s->self))
		HYB_SYS(unlinkat, s->directory, link, 0, 0, 0, 0);
}

/* Whether this entry is the job's experiment. */
static bool look_at(const char *name, void *search)
{
	struct search *s = search;
	struct hyb_identity identity;
	long fd;

	if (!strncmp(name, PREFIX, sizeof(PREFIX) - 1))
		remove_if_left(s, name);
	if (!is_named_after(name, s->job->id) || strlen(name) >= s->size || s->candidates++ >= MAX_CANDIDATES)
		return false;
	fd = hyb_place_look(s->directory, name, s->job, (long long)time(NULL), &identity);
	if (fd < 0)
		return false;
	hyb_sys_close(fd);
	hyb_text_format(s->name, s->size, "%s", name);
	return true;
}

/* The experiment that another program of this job has made becomes *name, if there is one. */
static void find_made(struct search *s, char *name, size_t size)
{
	s->name = name;
	s->size = size;
	hyb_directory_read(HYB_SYS(openat, s->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0), MAX_READS,
			   look_at, s);
}

/* 0: the link's name is in `name`; -errno as of hyb_owned_link(). */
static int read_name(long directory, const char *link, char *name, size_t size)
{
	char other[256 + HYB_ALIVE_TEXT];
	long n = hyb_owned_link(directory, link, other, sizeof(other));

	if (n < 0)
		return (int)n;
	other[strcspn(other, "/")] = 0;
	if (strncmp(other, "hybmon-", 7) || strlen(other) >= size)
		return HYB_STRANGE;
	hyb_text_format(name, size, "%s", other);
	return 0;
}

static long make_link(struct search *s, const char *link, char *name, size_t size)
{
	char text[256 + HYB_ALIVE_TEXT];
	long err;

	hyb_alive_tell(s->self);
	find_made(s, name, size);
	hyb_text_format(text, sizeof(text), s->self[0] ? "%s/%s" : "%s", name, s->self);
	err = HYB_SYS(symlinkat, text, s->directory, link, 0, 0, 0);
	if (err == -EEXIST)
		read_name(s->directory, link, name, size);
	return err;
}

void hyb_rendezvous_agree(struct hyb_place *place, const struct hyb_job *job, const char *dir, char *name,
			  size_t size)
{
	struct search s = { .job = job, .directory = hyb_owned_named(dir) };
	char link[128];
	long err = HYB_FOREIGN;

	if (s.directory < 0)
		return;
	for (unsigned int n = 1; n <= LINK_TRIES && (err == HYB_FOREIGN || err == HYB_STRANGE); n++) {
		hyb_text_format(link, sizeof(link), n == 1 ? PREFIX "%s" : PREFIX "%s.%u", job->id, n);
		err = read_name(s.directory, link, name, size);
	}
	if (err == -ENOENT && hyb_text_format(place->rendezvous, sizeof(place->rendezvous), "%s/%s", dir, link) <
			      sizeof(place->rendezvous))
		err = make_link(&s, link, name, size);
	else
		err = err ? err : -EEXIST;
	if (err)
		place->rendezvous[0] = 0;
	hyb_sys_close(s.directory);
}
