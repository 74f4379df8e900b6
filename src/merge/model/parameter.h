/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs say of their regions: each name and type once, by number. The numbers are known when all streams were
 * read once, and are the same in each run.
 */
#ifndef HYB_MERGE_MODEL_PARAMETER_H
#define HYB_MERGE_MODEL_PARAMETER_H

#include <pthread.h>
#include <stdint.h>

#include "format/format.h"

struct hyb_parameter {
	uint32_t name; /* number of a text of the model */
	enum hyb_metric_type type;
};

struct hyb_parameters {
	struct hyb_parameter *list; /* by name and type */
	size_t count;
	size_t room;
	pthread_mutex_t lock;
};

void hyb_parameters_init(struct hyb_parameters *p);
void hyb_parameters_free(struct hyb_parameters *p);
/* While streams are read for the first time: there is such a one. 0 or -ENOMEM. Thread-safe. */
int hyb_parameters_add(struct hyb_parameters *p, uint32_t name, enum hyb_metric_type type);
/* After that: its number, UINT32_MAX: there is none. */
uint32_t hyb_parameters_find(const struct hyb_parameters *p, uint32_t name, enum hyb_metric_type type);

#endif
