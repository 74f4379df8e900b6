/* SPDX-License-Identifier: BSD-3-Clause */
/* The controlled logical clock's forward pass; see logical.h. */
#include "merge/clock/logical.h"

#include "merge/clock/saturate.h"

#define JUMP_MAX (INT64_C(1) << 62)

/* What is left of the last event's shift after so much time. */
static int64_t decay_shift(struct hyb_logical *l, int64_t gone)
{
	int64_t back;

	if (l->shift <= 0)
		return 0;
	l->owed = hyb_sat_add(l->owed, gone);
	back = l->owed / HYB_LOGICAL_DECAY;
	l->owed %= HYB_LOGICAL_DECAY;
	/* Of an interval something has to be left. */
	if (back > gone - 1)
		back = gone > 0 ? gone - 1 : 0;
	return l->shift > back ? l->shift - back : 0;
}

int64_t hyb_logical_time(struct hyb_logical *l, int64_t time, int64_t bound)
{
	int64_t at;

	if (l->begun && time < l->input)
		time = l->input;
	l->shift = l->begun ? decay_shift(l, hyb_sat_sub(time, l->input)) : 0;
	at = hyb_sat_add(time, l->shift);
	/* Where shifts are as large as numbers can be. */
	if (l->begun && at < l->last)
		at = l->last;
	if (bound != HYB_NO_BOUND && at < bound) {
		at = hyb_sat_add(at, hyb_sat_clamp(hyb_sat_sub(bound, at), JUMP_MAX));
		l->shift = hyb_sat_sub(at, time);
		l->owed = 0;
	}
	l->input = time;
	l->last = at;
	l->begun = true;
	return at;
}
