/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters of regions by number; see parameter.h. */
#include "merge/model/parameter.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "reader/containers/search.h"

void hyb_parameters_init(struct hyb_parameters *p)
{
	memset(p, 0, sizeof(*p));
	pthread_mutex_init(&p->lock, NULL);
}

void hyb_parameters_free(struct hyb_parameters *p)
{
	free(p->list);
	pthread_mutex_destroy(&p->lock);
}

/* Where it is, or is to be. */
static size_t place_of(const struct hyb_parameters *p, uint32_t name, enum hyb_metric_type type)
{
	return HYB_SEARCH(i, p->count, p->list[i].name < name || (p->list[i].name == name && p->list[i].type < type));
}

static bool is_at(const struct hyb_parameters *p, size_t at, uint32_t name, enum hyb_metric_type type)
{
	return at < p->count && p->list[at].name == name && p->list[at].type == type;
}

int hyb_parameters_add(struct hyb_parameters *p, uint32_t name, enum hyb_metric_type type)
{
	struct hyb_parameter *grown;
	int ret = 0;
	size_t at;

	pthread_mutex_lock(&p->lock);
	at = place_of(p, name, type);
	if (is_at(p, at, name, type))
		goto out;
	grown = hyb_array_room(p->list, &p->room, p->count, sizeof(*grown));
	if (!grown) {
		ret = -ENOMEM;
		goto out;
	}
	p->list = grown;
	memmove(&grown[at + 1], &grown[at], (p->count++ - at) * sizeof(*grown));
	grown[at] = (struct hyb_parameter){ .name = name, .type = type };
out:
	pthread_mutex_unlock(&p->lock);
	return ret;
}

uint32_t hyb_parameters_find(const struct hyb_parameters *p, uint32_t name, enum hyb_metric_type type)
{
	size_t at = place_of(p, name, type);

	return is_at(p, at, name, type) ? (uint32_t)at : UINT32_MAX;
}
