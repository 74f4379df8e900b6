/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector as one who records (record/recorder.h): the directory of its streams, its manifest and definitions. */
#ifndef HYB_KERNEL_RECORDING_H
#define HYB_KERNEL_RECORDING_H

#include <stdint.h>

#include "kernel/collect.h"

/* Makes them. 0 or -errno. */
int hyb_kernel_recording_begin(const struct hyb_collect_options *options);
/* Where they are. */
const char *hyb_kernel_recording_directory(void);
/* A source has begun: which one, and what it gives, for the manifest. */
void hyb_kernel_recording_source(const struct hyb_source *source, const struct hyb_collect_options *options);
/* A line `key: value` of the manifest. */
void hyb_kernel_recording_note(const char *key, const char *value);
/* Up to when all events are in the streams, and how many were lost. */
void hyb_kernel_recording_until(uint64_t now, uint64_t lost);
/* The end: the manifest says so, and the files go to the experiment if they are not there. */
void hyb_kernel_recording_end(const struct hyb_source *source, uint64_t lost);

#endif
