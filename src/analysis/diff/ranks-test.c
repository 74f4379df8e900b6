/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See ranks-test.h. Equal values share the mean of their ranks, so ranks are counted in halves. How many choices of
 * b_count of all ranks have which sum is counted, value by value.
 */
#include "analysis/diff/ranks-test.h"

#include <math.h>
#include <stdlib.h>

#include "reader/containers/sort.h"

#define EXACT 64u /* values: their ways still fit into a double */

struct value {
	double x;
	size_t twice_rank;
	int of_b;
};

static int by_value(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	HYB_SORT_BY(x->x, y->x);
	return 0;
}

static void rank(struct value *values, size_t count, double *ties)
{
	*ties = 0;
	for (size_t i = 0, end; i < count; i = end) {
		double same;

		for (end = i; end < count && values[end].x == values[i].x; end++)
			;
		/* Ranks i + 1 to end. */
		for (size_t k = i; k < end; k++)
			values[k].twice_rank = i + 1 + end;
		same = (double)(end - i);
		*ties += same * same * same - same;
	}
}

/* Of all ways to choose b of the ranks the part whose sum is at least that. */
static double exact(const struct value *values, size_t count, size_t b, size_t sum)
{
	const size_t width = count * (count + 1) + 1;
	double *ways = calloc((b + 1) * width, sizeof(*ways)), more = 0, all = 0;

	if (!ways)
		return -1;
	ways[0] = 1;
	for (size_t i = 0; i < count; i++)
		for (size_t k = b; k-- > 0;)
			for (size_t s = width - values[i].twice_rank; s-- > 0;)
				ways[(k + 1) * width + s + values[i].twice_rank] += ways[k * width + s];
	for (size_t s = 0; s < width; s++) {
		all += ways[b * width + s];
		more += s >= sum ? ways[b * width + s] : 0;
	}
	free(ways);
	return more / all;
}

static double approximate(size_t a, size_t b, size_t sum, double ties)
{
	const double n = (double)(a + b), mean = (double)b * (n + 1) / 2;
	const double variance = (double)a * (double)b / 12 * (n + 1 - ties / (n * (n - 1)));

	return variance > 0 ? erfc(((double)sum / 2 - mean - 0.5) / sqrt(2 * variance)) / 2 : 1;
}

double hyb_ranks_test(const double *a, size_t a_count, const double *b, size_t b_count)
{
	const size_t count = a_count + b_count;
	struct value *values = calloc(count + 1, sizeof(*values));
	double ties, p;
	size_t sum = 0;

	if (!values)
		return -1;
	for (size_t i = 0; i < count; i++)
		values[i] = (struct value){ .x = i < a_count ? a[i] : b[i - a_count], .of_b = i >= a_count };
	qsort(values, count, sizeof(*values), by_value);
	rank(values, count, &ties);
	for (size_t i = 0; i < count; i++)
		sum += values[i].of_b ? values[i].twice_rank : 0;
	p = count <= EXACT ? exact(values, count, b_count, sum) : approximate(a_count, b_count, sum, ties);
	free(values);
	return p;
}
