/* SPDX-License-Identifier: BSD-3-Clause */
/* Who records; see recorder.h. */
#include "core/record/recorder.h"

#include "core/record/record.h"

const struct hyb_recorder *hyb_recorder;
uint64_t hyb_recording_turns = 1;
uint64_t hyb_folding_turns = 1;
__thread struct hyb_thread hyb_self __attribute__((tls_model("initial-exec")));

void hyb_record_for(const struct hyb_recorder *recorder)
{
	hyb_recorder = recorder;
}
