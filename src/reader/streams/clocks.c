/* SPDX-License-Identifier: BSD-3-Clause */
/* The clocks of an experiment, one for each host; see clock.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/streams/clock.h"
#include "reader/containers/array.h"

#define TUPLES_MAX 65536 /* of one host; beyond, the better of two neighbours stays */

struct host {
	char *name;
	char *boot;
	uint32_t counter;
	uint64_t hz;
	struct hyb_def_clock *tuples;
	size_t count;
	size_t room;
	struct hyb_clock clock;
};

struct hyb_clocks {
	struct host *hosts;
	size_t count;
	size_t room;
	size_t last; /* found last: processes of one host often come in a row */
};

int hyb_clocks_new(struct hyb_clocks **clocks)
{
	*clocks = calloc(1, sizeof(**clocks));
	return *clocks ? 0 : -ENOMEM;
}

void hyb_clocks_free(struct hyb_clocks *clocks)
{
	if (!clocks)
		return;
	for (size_t i = 0; i < clocks->count; i++) {
		struct host *h = &clocks->hosts[i];

		free(h->name);
		free(h->boot);
		free(h->tuples);
		hyb_clock_free(&h->clock);
	}
	free(clocks->hosts);
	free(clocks);
}

/* A kernel that was booted once is one machine, whatever names its containers have; time namespaces were taken out. */
static bool is_host(const struct host *h, const char *host, const char *boot, uint32_t counter)
{
	return h->counter == counter && !strcmp(h->boot, boot) && (*boot || !strcmp(h->name, host));
}

static int add_host(struct hyb_clocks *clocks, const char *host, const char *boot, uint32_t counter)
{
	struct host *h = hyb_array_room(clocks->hosts, &clocks->room, clocks->count, sizeof(*h));

	if (!h)
		return -ENOMEM;
	clocks->hosts = h;
	h = &clocks->hosts[clocks->count];
	memset(h, 0, sizeof(*h));
	h->counter = counter;
	h->name = strdup(host);
	h->boot = strdup(boot);
	if (!h->name || !h->boot) {
		free(h->name);
		free(h->boot);
		return -ENOMEM;
	}
	clocks->count++;
	return 0;
}

static int by_counter(const void *a, const void *b)
{
	const struct hyb_def_clock *x = a, *y = b;

	return x->counter < y->counter ? -1 : x->counter > y->counter;
}

/* Halves the tuples but for the first and the last, which say most about the slope. */
static void thin_out(struct host *h)
{
	size_t n = 1;

	qsort(h->tuples, h->count, sizeof(*h->tuples), by_counter);
	for (size_t i = 1; i + 2 < h->count; i += 2)
		h->tuples[n++] =
			h->tuples[h->tuples[i].width <= h->tuples[i + 1].width ? i : i + 1];
	h->tuples[n++] = h->tuples[h->count - 1];
	h->count = n;
}

static int add_tuple(struct host *h, const struct hyb_def_clock *tuple)
{
	struct hyb_def_clock *tuples;

	if (h->count == TUPLES_MAX)
		thin_out(h);
	tuples = hyb_array_room(h->tuples, &h->room, h->count, sizeof(*tuples));
	if (!tuples)
		return -ENOMEM;
	h->tuples = tuples;
	h->tuples[h->count++] = *tuple;
	return 0;
}

int hyb_clocks_add(struct hyb_clocks *clocks, const char *host, const char *boot, uint32_t counter,
		   uint64_t nominal_hz, const struct hyb_def_clock *tuples, size_t count)
{
	size_t i = clocks->last;
	int err;

	if (i >= clocks->count || !is_host(&clocks->hosts[i], host, boot, counter)) {
		for (i = 0; i < clocks->count; i++) {
			if (is_host(&clocks->hosts[i], host, boot, counter))
				break;
		}
	}
	if (i == clocks->count) {
		err = add_host(clocks, host, boot, counter);
		if (err)
			return err;
	}
	clocks->last = i;
	if (!clocks->hosts[i].hz)
		clocks->hosts[i].hz = nominal_hz;
	for (size_t t = 0; t < count; t++) {
		err = add_tuple(&clocks->hosts[i], &tuples[t]);
		if (err)
			return err;
	}
	return (int)i;
}

int hyb_clocks_fit(struct hyb_clocks *clocks)
{
	for (size_t i = 0; i < clocks->count; i++) {
		struct host *h = &clocks->hosts[i];
		struct hyb_clock clock;
		int err = hyb_clock_fit(h->tuples, h->count, HYB_CLOCK_TRACE, h->counter, h->hz,
					&clock);

		if (err)
			return err;
		hyb_clock_free(&h->clock);
		h->clock = clock;
	}
	return 0;
}

size_t hyb_clocks_count(const struct hyb_clocks *clocks)
{
	return clocks->count;
}

const struct hyb_def_clock *hyb_clocks_tuples(const struct hyb_clocks *clocks, size_t number, size_t *count)
{
	*count = clocks->hosts[number].count;
	return clocks->hosts[number].tuples;
}

const struct hyb_clock *hyb_clocks_get(const struct hyb_clocks *clocks, size_t number)
{
	return &clocks->hosts[number].clock;
}

const char *hyb_clocks_host(const struct hyb_clocks *clocks, size_t number)
{
	return clocks->hosts[number].name;
}
