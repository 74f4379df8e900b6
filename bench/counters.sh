#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What counters add to a pair of Enter and Leave: to that of the same call without counters, round by round, less what
# two readings of the set take, which hybmon counters --cost measures in the same round.
. "$(dirname "$0")/lib.sh"

set_one=perf::PAGE-FAULTS
set_four=perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES,perf::CPU-MIGRATIONS,perf::MINOR-FAULTS
set_rusage=rusage::VOLUNTARY
how_none=$how_growing
for each in one four rusage; do
	eval "how_$each=\"\$how_growing HYBMON_COUNTERS=\$set_$each\""
done

for round in $(rounds 11); do
	for variant in $(turn "$round" none one four rusage); do
		figure=$(launch "$variant" "$mpi1" 1 "$hyb_build/bench/$mpi1/counters") || exit 1
		reading=0
		if [ "$variant" != none ]; then
			eval "names=\$set_$variant"
			reading=$("$hyb_build/tools/hybmon" counters --cost "$names" | sed -n 's/^a reading takes \([0-9]*\) ns.*/\1/p')
		fi
		echo "$round $variant ${figure%% *} $reading"
	done
done >"$work/results"

for variant in one four rusage; do
	eval "names=\$set_$variant"
	awk -v variant="$variant" '
		$2 == "none" { none[$1] = $3 }
		$2 == variant { with[$1] = $3; reading[$1] = $4 }
		END { for (i in with) print with[i] - none[i], reading[i], with[i] - none[i] - 2 * reading[i] }' \
		"$work/results" >"$work/$variant"
	row "counters: $variant: a pair, adds" "$(cut -d' ' -f1 "$work/$variant" | spread ns)" -
	row "counters: $variant: one reading" "$(cut -d' ' -f2 "$work/$variant" | spread ns)" -
	row "counters: $variant: a pair, adds over two readings" "$(cut -d' ' -f3 "$work/$variant" | spread ns)" 'at most 25 ns'
done
