/* SPDX-License-Identifier: BSD-3-Clause */
/* The clocks of two nodes, at a time between two steps. */
#include <math.h>

#include "merge/clock/inside.h"
#include "merge/clock/saturate.h"

int hyb_pair_band(struct hyb_offsets *o, const struct hyb_pair *p, int64_t at, uint32_t steps, struct hyb_band *band)
{
	double hops = (double)p->hops[HYB_UPPER] + (double)p->hops[HYB_LOWER];
	struct hyb_band_query q = {
		.envelope = &p->envelope,
		.from = steps ? p->steps[steps - 1].after - 1 : INT64_MIN,
		.to = steps < p->step_count ? p->steps[steps].before + 1 : INT64_MAX,
		.rates = { p->rates[steps][0], p->rates[steps][1] },
		/* Of a circle of three messages each is thought to take a third. */
		.share = hops > 0 ? p->hops[HYB_UPPER] / hops : 0.5,
	};

	return hyb_band_at(&o->room, &q, hyb_sat_sub(at, p->origin), band);
}

int hyb_pair_to_b(struct hyb_offsets *o, const struct hyb_pair *p, int64_t a, uint32_t steps, int64_t *b)
{
	struct hyb_band band;
	int err = hyb_pair_band(o, p, a, steps, &band);

	*b = hyb_sat_add(a, hyb_sat_add(p->base, hyb_sat_round(band.ahead)));
	return err;
}

int hyb_pair_to_a(struct hyb_offsets *o, const struct hyb_pair *p, int64_t b, uint32_t steps, int64_t *a)
{
	int64_t guess = hyb_sat_sub(b, p->base), back;
	struct hyb_band band;
	int err = hyb_pair_band(o, p, guess, steps, &band);

	guess = hyb_sat_sub(guess, hyb_sat_round(band.ahead));
	if (!err)
		err = hyb_pair_band(o, p, guess, steps, &band);
	back = hyb_sat_add(guess, hyb_sat_add(p->base, hyb_sat_round(band.ahead)));
	*a = hyb_sat_sub(guess, hyb_sat_round((double)hyb_sat_sub(back, b) / (1 + band.slope)));
	return err;
}
