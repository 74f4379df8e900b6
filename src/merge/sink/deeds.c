/* SPDX-License-Identifier: BSD-3-Clause */
/* What an MPI call did; see deeds.h. */
#include "merge/sink/deeds.h"

#include <string.h>

void hyb_deeds_add(struct hyb_deeds *d, enum hyb_kind kind, const struct hyb_field *fields, size_t count)
{
	struct hyb_deed *deed = &d->list[d->count];
	size_t i;

	if (!d->depth || !count || d->count == HYB_DEEDS)
		return;
	for (i = 0; i < d->count; i++)
		if (d->list[i].kind == kind)
			return;
	deed->kind = kind;
	deed->count = count;
	memcpy(deed->fields, fields, count * sizeof(*fields));
	d->count++;
}
