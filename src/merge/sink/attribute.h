/* SPDX-License-Identifier: BSD-3-Clause */
/* What events say besides what their kind has: numbers and texts with a name of their own. */
#ifndef HYB_MERGE_SINK_ATTRIBUTE_H
#define HYB_MERGE_SINK_ATTRIBUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

enum hyb_value_type {
	HYB_VALUE_UINT8,
	HYB_VALUE_INT32,
	HYB_VALUE_INT64,
	HYB_VALUE_UINT64,
	HYB_VALUE_DOUBLE, /* its bits */
	HYB_VALUE_TEXT, /* number of a text of the model (struct hyb_names) */
};

/* attribute.c has the name, description and type of each. */
enum hyb_attribute_id {
	HYB_ATTRIBUTE_ERROR = 0,    /* what the call returned */
	HYB_ATTRIBUTE_ABANDONED,    /* 1, the call never came back */
	HYB_ATTRIBUTE_LOST_RECORDS,
	HYB_ATTRIBUTE_LOST_CHUNKS,
	HYB_ATTRIBUTE_POLLS,	    /* calls that the region stands for */
	HYB_ATTRIBUTE_POLLED_UNTIL, /* when the last of them came back, a time stamp */
	HYB_ATTRIBUTE_EFFECTLESS,   /* enum hyb_poll_kind, where the calls were not in vain */
	HYB_ATTRIBUTE_BEGAN,	    /* so many ns later it may have begun */
	HYB_ATTRIBUTE_OFFSET,	    /* of an operation on a file, bytes in the view */
	HYB_ATTRIBUTE_COUNT,	    /* iterations, sections or tasks */
	HYB_ATTRIBUTE_FIRST,	    /* the first of them */
	HYB_ATTRIBUTE_DEVICE,	    /* for which something is done, -1: the host */
	HYB_ATTRIBUTE_NOWAIT,	    /* 1, nobody waits for it */
	HYB_ATTRIBUTE_BYTES,	    /* of an operation on a device's memory */
	HYB_ATTRIBUTE_FROM_DEVICE,
	HYB_ATTRIBUTE_TO_DEVICE,
	HYB_ATTRIBUTE_TASK,	    /* creating thread's number << 32 | the task's generation number */
	HYB_ATTRIBUTE_AFTER,	    /* the task that it has to wait for, in the same way */
	HYB_ATTRIBUTE_ADDRESS,	    /* what a task depends on */
	HYB_ATTRIBUTE_SEVERITY,	    /* enum hyb_message_kind */
	HYB_ATTRIBUTE_UNFINISHED,   /* 1, no end of the operation was recorded */
	HYB_ATTRIBUTE_SITE,	    /* where the program made the call, a text */
	HYB_ATTRIBUTE_CALLPATH,	    /* and how it came there, a text */
	HYB_ATTRIBUTE_KERNEL,	    /* of what the kernel did, from here on */
	HYB_ATTRIBUTE_KERNEL_NEXT = HYB_ATTRIBUTE_KERNEL, /* who has the CPU next */
	HYB_ATTRIBUTE_KERNEL_STATE,	  /* of the thread, as the kernel's sched_switch has it */
	HYB_ATTRIBUTE_KERNEL_WAKER,	  /* who made it ready to run */
	HYB_ATTRIBUTE_KERNEL_CPU,	  /* where it goes on */
	HYB_ATTRIBUTE_KERNEL_HELD,	  /* who had the CPU for longest meanwhile, if it is not the next one */
	HYB_ATTRIBUTE_KERNEL_RETURN,	  /* what the system call returned */
	HYB_ATTRIBUTE_KERNEL_ADDRESS,
	HYB_ATTRIBUTE_KERNEL_INSTRUCTION,
	HYB_ATTRIBUTE_KERNEL_STACK,
	HYB_ATTRIBUTE_KERNEL_TASK,	  /* to whom a signal goes */
	HYB_ATTRIBUTE_KERNEL_CODE,	  /* si_code */
	HYB_ATTRIBUTE_KERNEL_BYTES,
	HYB_ATTRIBUTE_KERNEL_DEVICE,
	HYB_ATTRIBUTE_KERNEL_LATENCY,	  /* ns */
	HYB_ATTRIBUTE_KERNEL_UNTIL,	  /* time stamp: up to when kernel events are missing */
	HYB_ATTRIBUTE_KERNEL_LOST,	  /* how many, 0: not known */
	HYB_ATTRIBUTES, /* from here on what programs say themselves: the first of the model's parameters */
};

struct hyb_attribute {
	enum hyb_attribute_id id;
	uint64_t value; /* in as many bits as its type has */
};

struct hyb_attribute_info {
	const char *name;
	const char *description;
	enum hyb_value_type type;
};

const struct hyb_attribute_info *hyb_attribute_info(enum hyb_attribute_id id);
/* The type of what a parameter says. */
enum hyb_value_type hyb_parameter_type(enum hyb_metric_type type);

static inline bool hyb_attribute_is_parameter(enum hyb_attribute_id id)
{
	return id >= HYB_ATTRIBUTES;
}

#endif
