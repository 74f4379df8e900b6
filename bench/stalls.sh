#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The longest times that a recording took, beside those of an empty loop on the same CPU in the same run.
# BENCH_HISTOGRAM=1 shows both distributions.
. "$(dirname "$0")/lib.sh"

# both COLUMN: of the recordings and of the empty loop
both()
{
	awk -v column="$1" '
		$1 == "us" { for (i = 1; i <= NF; i++) if ($i == column) n = i }
		$1 == "recorded" || $1 == "empty-loop" { printf "%s%s", $1 == "recorded" ? "" : " / ", $n }' "$results"
}

millions=$(size 100 10)
results=$work/results
for where in growing memory ring; do
	sync
	launch "$where" "$mpi1" 1 "$hyb_build/bench/$mpi1/stalls" "$millions" >"$results" || continue
	case $where in
	growing) what="on $(stat -f -c %T "$work")" ;;
	memory) what='spool in memory' ;;
	ring) what=ring ;;
	esac
	what="$what, $millions M events"
	row "$what: below 20 us / empty loop" "$(awk '
		$1 == "recorded" || $1 == "empty-loop" {
			printf "%s%.5f", $1 == "recorded" ? "" : " / ", 100 * (1 - $7 / $2)
		}' "$results") %" 'at least 99.99 %'
	row "$what: 99.99 % are below / empty loop" "$(both 99.99%) us" 'at most 20 us'
	row "$what: the longest / empty loop" "$(both longest) us" -
	row "$what: over 1 ms / empty loop" "$(both '>1ms')" -
	row "$what:   thread was preempted / empty loop" "$(both preempted)" -
	row "$what:   thread had to wait / empty loop" "$(both waited)" none
	row "$what:   neither / empty loop" "$(both neither)" 'no more than there'
	[ -z "${BENCH_HISTOGRAM-}" ] || sed -n '/below us/,$p' "$results"
done
