/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See phases.h. Each window is a phase at first; of two side by side those become one that are most alike, until no two
 * are alike enough (Ward's criterion, over the shares of the time).
 */
#include "analysis/profile/phases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * What two phases may differ by and be one, as the square of the distance of their shares by the windows that weigh it:
 * ten windows beside many, of which a fifth of the time is something else. One window never is a phase.
 */
#define ALIKE 1.0

int hyb_phases_init(struct hyb_phases *p, size_t track_count)
{
	memset(p, 0, sizeof(*p));
	pthread_mutex_init(&p->lock, NULL);
	p->track_count = track_count;
	p->useful = calloc(track_count + 1, sizeof(*p->useful));
	return p->useful ? 0 : -ENOMEM;
}

void hyb_phases_free(struct hyb_phases *p)
{
	for (size_t i = 0; p->useful && i < p->track_count; i++)
		free(p->useful[i]);
	free(p->useful);
	pthread_mutex_destroy(&p->lock);
}

void hyb_phases_span(struct hyb_phases *p, int64_t first, int64_t last)
{
	pthread_mutex_lock(&p->lock);
	p->first = first;
	p->length = last - first;
	pthread_mutex_unlock(&p->lock);
}

int64_t hyb_phases_begin(const struct hyb_phases *p, uint32_t window)
{
	/* Not the product of the length, which may not fit. */
	return p->first + p->length / HYB_WINDOWS * window +
	       p->length % HYB_WINDOWS * window / HYB_WINDOWS;
}

static uint32_t window_of(const struct hyb_phases *p, int64_t time)
{
	uint32_t window;

	if (time <= p->first)
		return 0;
	if (time - p->first >= p->length)
		return HYB_WINDOWS - 1;
	window = (uint32_t)((double)(time - p->first) / (double)p->length * HYB_WINDOWS);
	window = window < HYB_WINDOWS ? window : HYB_WINDOWS - 1;
	while (window && hyb_phases_begin(p, window) > time)
		window--;
	while (window + 1 < HYB_WINDOWS && hyb_phases_begin(p, window + 1) <= time)
		window++;
	return window;
}

/* The next part of a time that lies in one window: its length; *from moves on. */
static int64_t next_part(const struct hyb_phases *p, int64_t *from, int64_t to, uint32_t *window)
{
	int64_t begin = *from, end;

	*window = window_of(p, begin);
	end = *window + 1 < HYB_WINDOWS ? hyb_phases_begin(p, *window + 1) : to;
	*from = end < to ? end : to;
	return *from - begin;
}

void hyb_phases_spend(const struct hyb_phases *p, struct hyb_track_windows *windows,
		      enum hyb_time_class class, int64_t from, int64_t to)
{
	if (from >= windows->begin && to <= windows->end) {
		windows->in[class][windows->window] += to - from;
		return;
	}
	while (p->length && from < to) {
		int64_t ns = next_part(p, &from, to, &windows->window);

		windows->in[class][windows->window] += ns;
		windows->begin = hyb_phases_begin(p, windows->window);
		windows->end = hyb_phases_begin(p, windows->window + 1);
	}
}

void hyb_phases_wait(struct hyb_phases *p, int64_t from, int64_t to)
{
	uint32_t window;

	while (p->length && from < to) {
		int64_t ns = next_part(p, &from, to, &window);

		p->windows[window].waited += ns;
	}
}

void hyb_phases_idle(struct hyb_phases *p, int64_t from, int64_t to)
{
	uint32_t window;

	while (p->length && from < to) {
		int64_t ns = next_part(p, &from, to, &window);

		p->windows[window].in[HYB_TIME_OMP_WAIT] -= ns;
		p->windows[window].in[HYB_TIME_OMP_IDLE] += ns;
	}
}

static bool in_openmp(const struct hyb_track_windows *windows)
{
	for (int i = 0; i < HYB_WINDOWS; i++) {
		if (windows->in[HYB_TIME_OMP_WAIT][i])
			return true;
	}
	return false;
}

int hyb_phases_add(struct hyb_phases *p, uint32_t track, const struct hyb_track_windows *windows,
		   bool rank)
{
	int64_t *useful = rank ? calloc(HYB_WINDOWS, sizeof(*useful)) : NULL;
	bool counts = rank || in_openmp(windows);

	if (rank && !useful)
		return -ENOMEM;
	for (int k = 0; useful && k < HYB_TIMES; k++)
		for (int i = 0; k != HYB_TIME_MPI && i < HYB_WINDOWS; i++)
			useful[i] += windows->in[k][i];
	p->useful[track] = useful;
	pthread_mutex_lock(&p->lock);
	p->ranks += rank;
	for (int k = 0; k < HYB_TIMES; k++)
		for (int i = 0; i < HYB_WINDOWS; i++)
			p->windows[i].in[k] += windows->in[k][i];
	for (int k = 0; k < HYB_TIMES; k++)
		for (int i = 0; counts && k != HYB_TIME_MPI && k != HYB_TIME_OMP_WAIT && i < HYB_WINDOWS; i++)
			p->windows[i].useful += windows->in[k][i];
	pthread_mutex_unlock(&p->lock);
	return 0;
}

static int64_t sum_of(const struct hyb_window *w)
{
	int64_t sum = 0;

	for (int k = 0; k < HYB_TIMES; k++)
		sum += w->in[k];
	return sum;
}

/* What is waiting in MPI, and what is not, are two. */
static double difference(const struct hyb_phase *a, const struct hyb_phase *b)
{
	double all_a = (double)sum_of(&a->sums), all_b = (double)sum_of(&b->sums), sum = 0, d;
	double n_a = a->to - a->from, n_b = b->to - b->from;

	all_a = all_a > 0 ? all_a : 1;
	all_b = all_b > 0 ? all_b : 1;
	for (int k = 0; k < HYB_TIMES; k++) {
		d = (double)a->sums.in[k] / all_a - (double)b->sums.in[k] / all_b;
		if (k == HYB_TIME_MPI)
			d -= (double)a->sums.waited / all_a - (double)b->sums.waited / all_b;
		sum += d * d;
	}
	d = (double)a->sums.waited / all_a - (double)b->sums.waited / all_b;
	return (sum + d * d) * n_a * n_b / (n_a + n_b);
}

static void join(struct hyb_phases *p, uint32_t i)
{
	struct hyb_phase *a = &p->list[i], *b = a + 1;

	a->to = b->to;
	a->sums.waited += b->sums.waited;
	a->sums.useful += b->sums.useful;
	for (int k = 0; k < HYB_TIMES; k++)
		a->sums.in[k] += b->sums.in[k];
	p->count--;
	memmove(b, b + 1, (p->count - i - 1) * sizeof(*b));
}

static void sum_useful(struct hyb_phases *p, struct hyb_phase *phase)
{
	phase->busiest = UINT32_MAX;
	for (size_t i = 0; i < p->track_count; i++) {
		int64_t useful = 0;

		for (uint32_t k = phase->from; p->useful[i] && k < phase->to; k++)
			useful += p->useful[i][k];
		phase->useful += useful;
		if (p->useful[i] && (phase->busiest == UINT32_MAX || useful > phase->most_useful)) {
			phase->most_useful = useful;
			phase->busiest = (uint32_t)i;
		}
	}
}

void hyb_phases_cut(struct hyb_phases *p)
{
	p->count = p->length ? HYB_WINDOWS : 0;
	for (uint32_t i = 0; i < p->count; i++)
		p->list[i] = (struct hyb_phase){ .from = i, .to = i + 1, .sums = p->windows[i] };
	while (p->count > 1) {
		double least = ALIKE, d;
		uint32_t at = UINT32_MAX;

		for (uint32_t i = 0; i + 1 < p->count; i++) {
			d = difference(&p->list[i], &p->list[i + 1]);
			if (d < least) {
				least = d;
				at = i;
			}
		}
		if (at == UINT32_MAX)
			break;
		join(p, at);
	}
	for (uint32_t i = 0; i < p->count; i++)
		sum_useful(p, &p->list[i]);
}
