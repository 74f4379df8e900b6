#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The rows of the table for hybmon-merge, out of merge-rate.sh on one CPU: how many records it reads a second, and how
# much memory it takes for a trace and for one ten times as long. The figure to go by is the one in seconds of the
# clock, which others on the CPU can only make worse; merge-rate.sh's own, in seconds of the CPU, is that of the best
# of three runs.
. "$(dirname "$0")/lib.sh"

[ -x "$hyb_build/tools/hybmon-merge" ] || {
	row 'hybmon-merge' 'was not built' -
	exit
}
iterations=$(size 50000 10000)
for _ in $(rounds 5); do
	MERGE_SIZES="4x$iterations 4x${iterations}0" taskset -c "$cpu" \
		sh "$hyb_source/bench/merge-rate.sh" "$hyb_build" "$memory" >"$work/rates" || exit 1
	# of its columns: records, millions of them a second and a CPU second, KiB
	awk 'NR > 1 && $4 > 0 { print NR - 1, $2, $2 / $4 * 1e-6, $6, $8 / 1024 }' "$work/rates" >>"$work/results"
done
for length in 1 2; do
	records=$(awk -v n="$length" '$1 == n { print $2; exit }' "$work/results")
	row "merge of $records records: rate on one CPU" \
		"$(awk -v n="$length" '$1 == n { print $3 }' "$work/results" | spread M/s %.2f)" 'at least 5 M/s'
	row "merge of $records records: rate a CPU second, best of 3" \
		"$(awk -v n="$length" '$1 == n { print $4 }' "$work/results" | spread M/s %.2f)" -
	row "merge of $records records: memory" \
		"$(awk -v n="$length" '$1 == n { print $5 }' "$work/results" | spread MiB)" 'the same for both'
done
