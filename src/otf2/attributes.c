/* SPDX-License-Identifier: BSD-3-Clause */
/* The attributes of events that the archive defines. */
#include "otf2/define.h"

void hyb_define_attributes(struct define *d)
{
	static const struct {
		const char *name;
		const char *description;
		OTF2_Type type;
	} attributes[HYB_ATTRIBUTES] = {
		[HYB_ATTRIBUTE_ERROR] = { "MPI error", "what the call returned", OTF2_TYPE_INT32 },
		[HYB_ATTRIBUTE_ABANDONED] = { "abandoned", "the call never came back (longjmp or exception)",
					      OTF2_TYPE_UINT8 },
		[HYB_ATTRIBUTE_LOST_RECORDS] = { "lost records", "not recorded for want of space",
						 OTF2_TYPE_UINT64 },
		[HYB_ATTRIBUTE_LOST_CHUNKS] = { "lost chunks", "overwritten, damaged or missing",
						OTF2_TYPE_UINT64 },
		[HYB_ATTRIBUTE_POLLS] = { "polls", "how many calls in a row found nothing; the region lasts as "
					  "long as all of them together", OTF2_TYPE_UINT64 },
		[HYB_ATTRIBUTE_POLLED_UNTIL] = { "polled until",
						 "time stamp: when the last call of the row came back",
						 OTF2_TYPE_UINT64 },
		[HYB_ATTRIBUTE_EFFECTLESS] = { "without effect", "of all calls of the row: 1: nothing was under way that "
					       "they could have found; 2: no operation was open that they could have "
					       "completed", OTF2_TYPE_UINT8 },
		[HYB_ATTRIBUTE_BEGAN] = { "began later", "ns: the call may have begun so much later, but not before",
					  OTF2_TYPE_UINT64 },
		[HYB_ATTRIBUTE_OFFSET] = { "Offset", "where in the file's view an operation begins, bytes",
					   OTF2_TYPE_UINT64 },
		[HYB_ATTRIBUTE_COUNT] = { "count", "iterations, sections, tasks or teams of the construct",
					  OTF2_TYPE_UINT64 },
		[HYB_ATTRIBUTE_FIRST] = { "first", "the first iteration of a chunk", OTF2_TYPE_UINT64 },
		[HYB_ATTRIBUTE_DEVICE] = { "device", "for which something is done, -1: the host",
					   OTF2_TYPE_INT32 },
		[HYB_ATTRIBUTE_NOWAIT] = { "nowait", "nobody waits for its end", OTF2_TYPE_UINT8 },
		[HYB_ATTRIBUTE_BYTES] = { "bytes", "of an operation on a device's memory", OTF2_TYPE_UINT64 },
		[HYB_ATTRIBUTE_FROM_DEVICE] = { "from device", "-1: the host", OTF2_TYPE_INT32 },
		[HYB_ATTRIBUTE_TO_DEVICE] = { "to device", "-1: the host", OTF2_TYPE_INT32 },
		[HYB_ATTRIBUTE_TASK] = { "task", "number of the thread that created it << 32 | generation number",
					 OTF2_TYPE_UINT64 },
		[HYB_ATTRIBUTE_AFTER] = { "after", "the task that it has to wait for", OTF2_TYPE_UINT64 },
		[HYB_ATTRIBUTE_ADDRESS] = { "address", "what a task depends on", OTF2_TYPE_UINT64 },
		[HYB_ATTRIBUTE_SEVERITY] = { "severity", "1: a warning, 2: fatal", OTF2_TYPE_UINT8 },
		[HYB_ATTRIBUTE_UNFINISHED] = { "unfinished", "no end of the operation was recorded: what it moved is "
					       "not known", OTF2_TYPE_UINT8 },
	};
	uint32_t i, text, description;

	for (i = 0; i < HYB_ATTRIBUTES; i++) {
		text = name(d, attributes[i].name);
		description = name(d, attributes[i].description);
		check(d, OTF2_GlobalDefWriter_WriteAttribute(d->writer, i, text, description,
							     attributes[i].type));
	}
}
