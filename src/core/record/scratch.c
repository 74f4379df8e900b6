/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for as long as a call lasts; see scratch.h. */
#include "core/record/scratch.h"

#include "core/sys/sys.h"

static void give_back(struct hyb_scratch *scratch)
{
	if (scratch->at)
		hyb_sys_unmap(scratch->at, scratch->size);
	scratch->at = NULL;
	scratch->size = 0;
}

void *hyb_thread_scratch(unsigned int use, size_t size)
{
	struct hyb_scratch *scratch = &hyb_self.scratch[use];
	size_t grown = 2 * scratch->size;

	if (hyb_likely(size <= scratch->size))
		return scratch->at;
	give_back(scratch);
	grown = (size > grown ? size : grown) + 4095;
	grown -= grown % 4096;
	scratch->at = hyb_sys_map_anonymous(grown, 0);
	if (scratch->at)
		scratch->size = grown;
	return scratch->at;
}

void hyb_scratch_free(struct hyb_thread *t)
{
	for (int i = 0; i < HYB_SCRATCHES; i++)
		give_back(&t->scratch[i]);
	for (int i = 0; i < HYB_KEPT; i++)
		give_back(&t->kept[i]);
}

/*
 * What a call needs while it lasts may still be in use where it is only suspended. Of the last ones it is kept; a
 * program that leaves calls by longjmp may do so any number of times.
 */
void hyb_scratch_keep(struct hyb_thread *t)
{
	for (int i = 0; i < HYB_SCRATCHES; i++) {
		struct hyb_scratch *kept = &t->kept[t->kept_next % HYB_KEPT];

		if (!t->scratch[i].at)
			continue;
		give_back(kept);
		*kept = t->scratch[i];
		t->scratch[i] = (struct hyb_scratch){ .at = NULL };
		t->kept_next++;
	}
}
