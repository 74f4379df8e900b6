#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The longest times that a recording took, beside those of an empty loop on the same CPU in the same run.
. "$(dirname "$0")/lib.sh"

# MPI_Comm_rank is two events
calls=$(size 50000000 5000000)

# field FILE LOOP NAME
field()
{
	awk -v loop="$2" -v name="$3" '
		$1 == loop { for (i = 2; i < NF; i += 2) if ($i == name) print $(i + 1) }' "$1"
}

# both NAME: of the recordings and of the empty loop
both()
{
	echo "$(field "$results" recorded "$1") / $(field "$results" empty "$1")"
}

# below_20us LOOP: the share in per cent
below_20us()
{
	awk -v all="$(field "$results" "$1" samples)" -v over="$(field "$results" "$1" over-20us)" \
		'BEGIN { printf "%.6f", all ? 100 * (1 - over / all) : 0 }'
}

set -- ${hyb_mpis:?no MPI was found}
results=$work/results
for where in growing memory ring; do
	sync
	launch "$where" "$1" 1 "$bench/$1/stalls" "$calls" >"$results" || continue
	case $where in
	growing) what="on $(stat -f -c %T "$work")" ;;
	memory) what='spool in memory' ;;
	ring) what=ring ;;
	esac
	what="$what, $((calls / 500000)) M events"
	row "$what: below 20 us / empty loop" "$(below_20us recorded) / $(below_20us empty) %" \
		'at least 99.99 %'
	row "$what: 99.99 % are below / empty loop" "$(both 99.99%-us) us" 'at most 20 us'
	row "$what: the longest / empty loop" "$(both longest-us) us" -
	row "$what: of 1 ms or more / empty loop" "$(both over-1ms)" -
	row "$what:   thread was preempted / empty loop" "$(both preempted)" -
	row "$what:   thread had to wait / empty loop" "$(both waited)" none
	row "$what:   neither / empty loop" "$(both neither)" 'no more than there'
	[ -z "${BENCH_HISTOGRAM-}" ] || grep '^histogram' "$results"
done
