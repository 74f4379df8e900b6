/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectors of kernel events end after the job, a moment later: a merge that comes at once waits for them, since they
 * write out what they have at their end.
 */
#include "merge/model/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOK_NS	    20000000 /* between two looks */
#define SAY_AFTER   50	     /* looks without a word */
#define PATIENCE    1500     /* looks: they write what is left within seconds, or hang */

/* Whether it writes now, here; of other hosts' nothing is known. */
static bool writes(const struct hyb_process *p)
{
	return !p->missing && hyb_kernel_is_node(p) && hyb_model_collects(p);
}

static bool job_runs(const struct hyb_experiment *x)
{
	size_t i;

	for (i = 0; i < x->count; i++)
		if (!x->processes[i].missing && x->processes[i].has_manifest && !hyb_kernel_is_node(&x->processes[i]) &&
		    x->processes[i].manifest.state != HYB_RUN_ENDED && hyb_model_is_alive(&x->processes[i].manifest))
			return true;
	return false;
}

static bool has_ended(const struct hyb_process *p)
{
	struct hyb_process now = { .owner = p->owner };
	char *path;
	bool ended;

	if (asprintf(&path, "%s/manifest", p->path) < 0)
		return true;
	ended = hyb_manifest_read(path, p->owner, NULL, &now.manifest) != 0;
	free(path);
	if (ended)
		return true;
	/* Where its state is that it has ended it may still move its files from their spool. */
	ended = !hyb_model_collects(&now);
	hyb_manifest_free(&now.manifest);
	return ended;
}

static int wait_for(struct hyb_model *m, const struct hyb_process *p)
{
	const struct timespec moment = { .tv_nsec = LOOK_NS };
	unsigned int i;

	for (i = 0; i < PATIENCE && !has_ended(p); i++) {
		if (*m->options.stop)
			return -EINTR;
		if (i == SAY_AFTER)
			hyb_diag_say(m->options.diag, HYB_SEV_NOTE, "waits for the collector of kernel events in %s to end",
				     p->path);
		nanosleep(&moment, NULL);
	}
	if (i == PATIENCE)
		hyb_diag_say(m->options.diag, HYB_SEV_WARNING,
			     "the collector of kernel events in %s (process %lld) does not end: merged is what it has written; "
			     "end it with SIGTERM and merge again",
			     p->path, (long long)p->manifest.pid);
	return 0;
}

int hyb_model_wait(struct hyb_model *m)
{
	const struct hyb_experiment *x;
	bool waited = false;
	size_t i, j;
	int ret = 0;

	for (i = 0; i < m->family.count; i++) {
		x = m->family.members[i];
		for (j = 0; !ret && j < x->count; j++) {
			if (!writes(&x->processes[j]) || job_runs(x))
				continue;
			waited = true;
			ret = wait_for(m, &x->processes[j]);
		}
	}
	if (ret || !waited)
		return ret;
	hyb_family_close(&m->family);
	/* What there is to be said of them was. */
	return hyb_family_open(m->options.dirs, m->options.dir_count, NULL, &m->family);
}
