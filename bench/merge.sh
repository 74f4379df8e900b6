#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The rows of the table for hybmon-merge, out of merge-rate.sh on one CPU: how many records it reads a second, and how
# much memory it takes for a trace and for one ten times as long.
. "$(dirname "$0")/lib.sh"

if [ ! -x "$hyb_build/tools/hybmon-merge" ]; then
	row 'hybmon-merge' 'was not built' -
	exit
fi
cpu=${BENCH_CPU:-$(($(getconf _NPROCESSORS_ONLN) - 1))}
iterations=$(size 25000 2500)
mkdir -p "$spool"
for round in $(rounds 5); do
	MERGE_SIZES="4x$iterations 4x${iterations}0" taskset -c "$cpu" \
		sh "$hyb_source/bench/merge-rate.sh" "$hyb_build" "$spool" >"$work/rates" || exit 1
	# of its columns: records, wall seconds, KiB
	awk 'NR > 1 { print NR - 1, $2, $2 / $4 * 1e-6, $8 / 1024 }' "$work/rates" >>"$work/results"
done
for length in 1 2; do
	records=$(awk -v n="$length" '$1 == n { print $2; exit }' "$work/results")
	row "merge of $records records: rate on one CPU" \
		"$(awk -v n="$length" '$1 == n { print $3 }' "$work/results" | spread M/s %.2f)" 'at least 5 M/s'
	row "merge of $records records: memory" \
		"$(awk -v n="$length" '$1 == n { print $4 }' "$work/results" | spread MiB)" 'the same for both'
done
