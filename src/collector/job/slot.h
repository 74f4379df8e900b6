/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that ask where the kernel adds up what it does to them (format/kernel-slot.h), and what they are told. */
#ifndef HYB_COLLECTOR_JOB_SLOT_H
#define HYB_COLLECTOR_JOB_SLOT_H

#include <stdint.h>

#include "collector/common/source.h"

/* Answers the thread tid of process tgid, which is at the other end of the connection. */
void hyb_slot_answer(int connection, const struct hyb_source *source, uint32_t tgid, uint32_t tid);

#endif
