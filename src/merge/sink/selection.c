/* SPDX-License-Identifier: BSD-3-Clause */
/* What is told of all that was recorded; see selection.h. */
#include "merge/sink/selection.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "merge/model/metric.h"
#include "merge/model/region.h"

bool hyb_selection_parse_time(const char *text, int64_t *ns)
{
	static const struct {
		const char *word;
		double ns;
	} units[] = { { "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
	char *end;
	double value;
	size_t i;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return false;
	errno = 0;
	value = strtod(text, &end);
	if (errno || end == text)
		return false;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].word))
			break;
	/* Beyond 146 years: a number that is none, too. */
	if (i == sizeof(units) / sizeof(units[0]) || !(value * units[i].ns < 4.6e18))
		return false;
	*ns = (int64_t)(value * units[i].ns + 0.5);
	return true;
}

static bool parse_rank(const char **text, uint32_t *rank)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	value = strtoul(*text, &end, 10);
	if (errno || value > INT32_MAX)
		return false;
	*rank = (uint32_t)value;
	*text = end;
	return true;
}

int hyb_selection_parse_ranks(const char *text, struct hyb_selection *s)
{
	struct hyb_rank_range range, *grown;

	do {
		if (!parse_rank(&text, &range.first))
			return -EINVAL;
		range.last = range.first;
		if (*text == '-') {
			text++;
			if (!parse_rank(&text, &range.last) || range.last < range.first)
				return -EINVAL;
		}
		if (*text && *text != ',')
			return -EINVAL;
		grown = hyb_array_room(s->ranks, &s->rank_room, s->rank_count, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		s->ranks = grown;
		s->ranks[s->rank_count++] = range;
	} while (*text++);
	return 0;
}

/* The larger ones first. */
static const struct {
	const char *word;
	uint32_t groups;
} words[] = {
	{ "all", HYB_SELECT_ALL }, { "mpi", HYB_SELECT_MPI }, { "p2p", HYB_SELECT_P2P },
	{ "coll", HYB_SELECT_COLL }, { "rma", HYB_SELECT_RMA }, { "io", HYB_SELECT_IO },
	{ "omp", HYB_SELECT_OMP }, { "kernel", HYB_SELECT_KERNEL }, { "user", HYB_SELECT_USER },
	{ "counters", HYB_SELECT_COUNTERS },
};

#define WORDS (sizeof(words) / sizeof(words[0]))

bool hyb_selection_parse_groups(const char *text, uint32_t *groups)
{
	size_t length, i;
	bool minus;

	*groups = *text == '-' ? HYB_SELECT_ALL : 0;
	do {
		minus = *text == '-';
		text += minus;
		length = strcspn(text, ",");
		for (i = 0; i < WORDS; i++)
			if (strlen(words[i].word) == length && !strncmp(text, words[i].word, length))
				break;
		if (i == WORDS)
			return false;
		*groups = minus ? *groups & ~words[i].groups : *groups | words[i].groups;
		text += length;
	} while (*text++);
	return true;
}

const char *hyb_selection_words(uint32_t groups, char buf[HYB_SELECTION_WORDS])
{
	size_t i;
	char *at = buf;

	*at = '\0';
	for (i = 0; i < WORDS; i++) {
		if ((groups & words[i].groups) != words[i].groups)
			continue;
		at = stpcpy(stpcpy(at, at == buf ? "" : ","), words[i].word);
		groups &= ~words[i].groups;
	}
	return *buf ? buf : "none";
}

void hyb_selection_free(struct hyb_selection *s)
{
	free(s->ranks);
	s->ranks = NULL;
	s->rank_count = s->rank_room = 0;
}

bool hyb_selection_has_rank(const struct hyb_selection *s, uint32_t rank)
{
	size_t i;

	for (i = 0; i < s->rank_count; i++)
		if (rank >= s->ranks[i].first && rank <= s->ranks[i].last)
			return true;
	return false;
}

/* What completes requests belongs to all that has some. */
static bool completes(const struct hyb_gregion *region)
{
	return region->kind == HYB_REGION_COMPLETION;
}

static uint32_t groups_of_mpi(const struct hyb_gregion *region)
{
	if (completes(region))
		return HYB_SELECT_P2P | HYB_SELECT_COLL | HYB_SELECT_RMA | HYB_SELECT_IO;
	switch (region->role) {
	case HYB_ROLE_P2P:
		return HYB_SELECT_P2P;
	case HYB_ROLE_BARRIER:
	case HYB_ROLE_ONE2ALL:
	case HYB_ROLE_ALL2ONE:
	case HYB_ROLE_ALL2ALL:
	case HYB_ROLE_COLL_OTHER:
		return HYB_SELECT_COLL;
	case HYB_ROLE_RMA:
		return HYB_SELECT_RMA;
	case HYB_ROLE_FILE_IO:
	case HYB_ROLE_FILE_META:
		return HYB_SELECT_IO;
	default:
		return HYB_SELECT_MPI_OTHER;
	}
}

static uint32_t groups_of_region(const struct hyb_gregion *region)
{
	if (region->kernel != HYB_REGION_NO_KERNEL)
		return HYB_SELECT_KERNEL;
	switch (region->paradigm) {
	case HYB_PARADIGM_MPI:
		return groups_of_mpi(region);
	case HYB_PARADIGM_OPENMP:
		return HYB_SELECT_OMP;
	case HYB_PARADIGM_KERNEL:
		return HYB_SELECT_KERNEL;
	default:
		return HYB_SELECT_USER;
	}
}

bool hyb_selection_has_event(const struct hyb_selection *s, const struct hyb_merge_event *e)
{
	if (s->groups == HYB_SELECT_ALL)
		return true;
	if (e->kind <= HYB_KIND_LEAVE)
		return e->region->paradigm == HYB_PARADIGM_MEASUREMENT || s->groups & groups_of_region(e->region);
	if (e->kind < HYB_KIND_METRIC)
		return true;
	if (e->kind == HYB_KIND_SAMPLE)
		return true;
	if (e->kind == HYB_KIND_METRIC)
		return s->groups & (e->metric.class->kernel ? HYB_SELECT_KERNEL : HYB_SELECT_COUNTERS);
	if (e->kind < HYB_KIND_COLLECTIVE_BEGIN)
		return s->groups & HYB_SELECT_P2P;
	if (e->kind < HYB_KIND_RMA_OP)
		return s->groups & HYB_SELECT_COLL;
	if (e->kind < HYB_KIND_IO_CREATE)
		return s->groups & HYB_SELECT_RMA;
	if (e->kind < HYB_KIND_FORK)
		return s->groups & HYB_SELECT_IO;
	return s->groups & HYB_SELECT_OMP;
}
