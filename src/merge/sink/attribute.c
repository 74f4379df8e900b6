/* SPDX-License-Identifier: BSD-3-Clause */
/* Names, descriptions and types of attributes. */
#include "merge/sink/attribute.h"

static const struct hyb_attribute_info infos[HYB_ATTRIBUTES] = {
	[HYB_ATTRIBUTE_ERROR] = { "MPI error", "what the call returned", HYB_VALUE_INT32 },
	[HYB_ATTRIBUTE_ABANDONED] = { "abandoned", "the call never came back (longjmp or exception)",
				      HYB_VALUE_UINT8 },
	[HYB_ATTRIBUTE_LOST_RECORDS] = { "lost records", "not recorded for want of space",
					 HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_LOST_CHUNKS] = { "lost chunks", "overwritten, damaged or missing",
					HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_POLLS] = { "polls", "how many calls in a row found nothing; the region lasts as "
				  "long as all of them together", HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_POLLED_UNTIL] = { "polled until",
					 "time stamp: when the last call of the row came back",
					 HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_EFFECTLESS] = { "without effect", "of all calls of the row: 1: nothing was under way that "
				       "they could have found; 2: no operation was open that they could have "
				       "completed", HYB_VALUE_UINT8 },
	[HYB_ATTRIBUTE_BEGAN] = { "began later", "ns: the call may have begun so much later, but not before",
				  HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_SITE] = { "called from", "function, file and line; functions that are inlined there come first, "
				 "those that they are inlined in behind <", HYB_VALUE_TEXT },
	[HYB_ATTRIBUTE_CALLPATH] = { "call path", "from the innermost function to main, each with file and line; ... where more "
				     "was not recorded, [cut] where nobody knows who called", HYB_VALUE_TEXT },
	[HYB_ATTRIBUTE_OFFSET] = { "Offset", "where in the file's view an operation begins, bytes",
				   HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_COUNT] = { "count", "iterations, sections, tasks or teams of the construct",
				  HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_FIRST] = { "first", "the first iteration of a chunk", HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_DEVICE] = { "device", "for which something is done, -1: the host",
				   HYB_VALUE_INT32 },
	[HYB_ATTRIBUTE_NOWAIT] = { "nowait", "nobody waits for its end", HYB_VALUE_UINT8 },
	[HYB_ATTRIBUTE_BYTES] = { "bytes", "of an operation on a device's memory", HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_FROM_DEVICE] = { "from device", "-1: the host", HYB_VALUE_INT32 },
	[HYB_ATTRIBUTE_TO_DEVICE] = { "to device", "-1: the host", HYB_VALUE_INT32 },
	[HYB_ATTRIBUTE_TASK] = { "task", "number of the thread that created it << 32 | generation number",
				 HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_AFTER] = { "after", "the task that it has to wait for", HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_ADDRESS] = { "address", "what a task depends on", HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_SEVERITY] = { "severity", "1: a warning, 2: fatal", HYB_VALUE_UINT8 },
	[HYB_ATTRIBUTE_UNFINISHED] = { "unfinished", "no end of the operation was recorded: what it moved is "
				       "not known", HYB_VALUE_UINT8 },
	[HYB_ATTRIBUTE_KERNEL_NEXT] = { "next task", "who has the CPU next", HYB_VALUE_TEXT },
	[HYB_ATTRIBUTE_KERNEL_STATE] = { "task state", "of the thread, as the kernel's sched_switch has it", HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_KERNEL_WAKER] = { "woken by", "the task or interrupt that made the thread ready to run", HYB_VALUE_TEXT },
	[HYB_ATTRIBUTE_KERNEL_CPU] = { "CPU", "on which the thread goes on", HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_KERNEL_HELD] = { "held by", "the task that had the CPU for longest meanwhile, if it is not the next one",
					HYB_VALUE_TEXT },
	[HYB_ATTRIBUTE_KERNEL_RETURN] = { "return value", "of the system call; negative: errno", HYB_VALUE_INT64 },
	[HYB_ATTRIBUTE_KERNEL_ADDRESS] = { "address", "that was not mapped", HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_KERNEL_INSTRUCTION] = { "instruction", "address of the one that the fault is of", HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_KERNEL_STACK] = { "call chain", "the innermost function first; behind the bar the program's", HYB_VALUE_TEXT },
	[HYB_ATTRIBUTE_KERNEL_TASK] = { "to", "whom the signal is for", HYB_VALUE_TEXT },
	[HYB_ATTRIBUTE_KERNEL_CODE] = { "signal code", "si_code", HYB_VALUE_INT64 },
	[HYB_ATTRIBUTE_KERNEL_BYTES] = { "bytes", "negative: errno", HYB_VALUE_INT64 },
	[HYB_ATTRIBUTE_KERNEL_DEVICE] = { "device", "block device", HYB_VALUE_TEXT },
	[HYB_ATTRIBUTE_KERNEL_LATENCY] = { "latency", "ns since the request was issued", HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_KERNEL_UNTIL] = { "lost until", "time stamp: up to when kernel events are missing", HYB_VALUE_UINT64 },
	[HYB_ATTRIBUTE_KERNEL_LOST] = { "lost kernel events", "0: nobody knows how many", HYB_VALUE_UINT64 },
};

const struct hyb_attribute_info *hyb_attribute_info(enum hyb_attribute_id id)
{
	return &infos[id];
}

enum hyb_value_type hyb_parameter_type(enum hyb_metric_type type)
{
	switch (type) {
	case HYB_METRIC_INT64:
		return HYB_VALUE_INT64;
	case HYB_METRIC_DOUBLE:
		return HYB_VALUE_DOUBLE;
	case HYB_PARAMETER_TEXT:
		return HYB_VALUE_TEXT;
	default:
		return HYB_VALUE_UINT64;
	}
}
