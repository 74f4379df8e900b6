/* SPDX-License-Identifier: BSD-3-Clause */
/* The collector as a recorder (core/record/recorder.h): the directory of its streams, its manifest and definitions. */
#ifndef HYB_COLLECTOR_COMMON_RECORDING_H
#define HYB_COLLECTOR_COMMON_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/common/request.h"
#include "collector/common/source.h"

/* The name of stream `index`, from 0. False: there are not so many. */
typedef bool (*hyb_kernel_stream_name)(unsigned int index, char *buf, unsigned int size);

/* Makes directory, manifest and definitions. 0 or -errno. */
int hyb_kernel_recording_begin(const struct hyb_request *request);
/* The directory. */
const char *hyb_kernel_recording_directory(void);
/* A source is open: the manifest says which, and what it records. */
void hyb_kernel_recording_source(const struct hyb_source *source, const struct hyb_request *request);
/* Adds a line `key: value` to the manifest. */
void hyb_kernel_recording_note(const char *key, const char *value);
/* Writes what the kernel maps into programs beside the streams, for readers that look into it. */
void hyb_kernel_recording_vdso(void);
/* The first process of the job is recorded from this time on. */
void hyb_kernel_recording_from(uint64_t now);
/* The streams have all events up to this time, except so many that were lost. */
void hyb_kernel_recording_until(uint64_t now, uint64_t lost);
/* The end: the manifest says so, and files in a spool are moved to the experiment. */
void hyb_kernel_recording_end(hyb_kernel_stream_name stream_name, uint64_t lost);

#endif
