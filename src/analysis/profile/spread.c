/* SPDX-License-Identifier: BSD-3-Clause */
/* See spread.h. */
#include "analysis/profile/spread.h"

#include <errno.h>
#include <stdlib.h>

#include "reader/containers/sort.h"

/* An outlier is further from the median than that many times what is usual, and than a tenth of it. */
#define FAR 3.0
#define USUAL 1.4826 /* standard deviations of a normal distribution in its median deviation */
#define FEWEST 5u    /* processes of which one may be said to be unlike the others */

struct value {
	double far; /* from the median */
	int64_t ns;
	uint32_t process;
};

static int by_time(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	HYB_SORT_BY(x->ns, y->ns);
	HYB_SORT_BY(x->process, y->process);
	return 0;
}

static int by_distance(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	HYB_SORT_BY(x->far, y->far);
	HYB_SORT_BY(y->process, x->process);
	return 0;
}

/* Leaves the values by their distance from the median. */
static int find_outliers(struct value *values, size_t count, struct hyb_spread *s)
{
	size_t half = count / 2;
	double median, usual;

	if (count < FEWEST)
		return 0;
	median = count % 2 ? (double)values[half].ns : ((double)values[half - 1].ns + (double)values[half].ns) / 2;
	for (size_t i = 0; i < count; i++)
		values[i].far =
			(double)values[i].ns > median ? (double)values[i].ns - median : median - (double)values[i].ns;
	qsort(values, count, sizeof(*values), by_distance);
	usual = FAR * USUAL * (count % 2 ? values[half].far : (values[half - 1].far + values[half].far) / 2);
	if (usual < median / 10)
		usual = median / 10;
	while (s->outlier_count < count && values[count - 1 - s->outlier_count].far > usual)
		s->outlier_count++;
	s->outliers = calloc(s->outlier_count + 1, sizeof(*s->outliers));
	if (!s->outliers)
		return -ENOMEM;
	for (size_t i = 0; i < s->outlier_count; i++)
		s->outliers[i] = values[count - 1 - i].process;
	return 0;
}

int hyb_spread_find(struct hyb_spread *spread, const int64_t *times, size_t count)
{
	struct value *values = calloc(count + 1, sizeof(*values));
	double sum = 0;
	int err;

	*spread = (struct hyb_spread){ .mean = 0 };
	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		values[i].process = (uint32_t)i;
		values[i].ns = times[i];
		sum += (double)times[i];
	}
	qsort(values, count, sizeof(*values), by_time);
	if (count) {
		spread->mean = sum / (double)count;
		spread->least = values[0].ns;
		spread->least_in = values[0].process;
		spread->most = values[count - 1].ns;
		spread->most_in = values[count - 1].process;
	}
	err = find_outliers(values, count, spread);
	free(values);
	return err;
}

void hyb_spread_free(struct hyb_spread *spread)
{
	free(spread->outliers);
	spread->outliers = NULL;
}
