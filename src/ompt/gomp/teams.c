/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teams on the host. libgomp has the thread that comes to them execute one team after another, so their league is a
 * region of one thread.
 */
#include "ompt/gomp/call.h"

static void begin_league(ompt_data_t *league, unsigned int teams, const void *code)
{
	hyb_omp_parallel_begin(NULL, NULL, league, teams, ompt_parallel_league, code);
	hyb_omp_implicit_task(ompt_scope_begin, league, NULL, 1, 0, ompt_task_initial);
}

static void end_league(ompt_data_t *league, const void *code)
{
	hyb_omp_implicit_task(ompt_scope_end, NULL, NULL, 0, 0, ompt_task_initial);
	hyb_omp_parallel_end(league, NULL, 0, code);
}

void hyb_gomp_GOMP_teams_reg(void (*function)(void *), void *data, long teams, long d, long e, long f, long g);
void hyb_gomp_GOMP_teams_reg(void (*function)(void *), void *data, long teams, long d, long e, long f, long g)
{
	typedef void (*next_t)(void (*)(void *), void *, long, long, long, long, long);
	const next_t next = HYB_GOMP_NEXT(GOMP_teams_reg, next_t);
	const void *code = HYB_GOMP_SITE;
	ompt_data_t league;

	if (hyb_unlikely(!hyb_gomp_is_on())) {
		next(function, data, teams, d, e, f, g);
		return;
	}
	begin_league(&league, (unsigned int)teams, code);
	next(function, data, teams, d, e, f, g);
	end_league(&league, code);
}

static void begin_another(long teams, const void *code)
{
	struct hyb_gomp_target *target = &hyb_gomp_self.target;

	if (target->leagues++ || !hyb_gomp_is_on())
		return;
	target->told = true;
	begin_league(&target->league, (unsigned int)teams, code);
}

static void end_latest(const void *code)
{
	struct hyb_gomp_target *target = &hyb_gomp_self.target;

	if (!target->leagues || --target->leagues || !target->told)
		return;
	target->told = false;
	end_league(&target->league, code);
}

void hyb_gomp_end_leagues(const void *code)
{
	while (hyb_unlikely(hyb_gomp_self.target.leagues))
		end_latest(code);
}

/* Asked before each team, the first time for so many; false: there are no more. */
bool hyb_gomp_GOMP_teams4(long teams, long b, long c, bool first, long e, long f);
bool hyb_gomp_GOMP_teams4(long teams, long b, long c, bool first, long e, long f)
{
	const void *code = HYB_GOMP_SITE;
	bool some = HYB_GOMP_NEXT(GOMP_teams4, bool (*)(long, long, long, bool, long, long))(teams, b, c, first, e, f);

	if (first)
		begin_another(teams, code);
	else if (!some)
		end_latest(code);
	return some;
}

/*
 * GCC until 11: the host executes one team, which ends with the target construct. Where a task executes that, it is not
 * known when that is.
 */
void hyb_gomp_GOMP_teams(long teams, long b, long c, long d);
void hyb_gomp_GOMP_teams(long teams, long b, long c, long d)
{
	const void *code = HYB_GOMP_SITE;

	HYB_GOMP_NEXT(GOMP_teams, void (*)(long, long, long, long))(teams, b, c, d);
	if (hyb_gomp_self.target.inside)
		begin_another(teams, code);
}
