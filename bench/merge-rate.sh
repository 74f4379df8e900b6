#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How fast hybmon-merge is on one core, and that its memory does not grow with the trace.
# usage: bench/merge-rate.sh [BUILD-FOLDER] [WORK-FOLDER]
# The work folder should be in memory (/dev/shm), or the disk is measured; it needs 6 GB. MERGE_SIZES has other sizes
# than those below: words RANKSxITERATIONS.
build=${1:-.}
merge=$build/tools/hybmon-merge
generate=$build/bench/gen-experiment
for program in "$merge" "$generate" /usr/bin/time; do
	[ -x "$program" ] || {
		echo "merge-rate.sh: $program is missing (make bench)" >&2
		exit 2
	}
done
work=$(mktemp -d "${2:-/dev/shm}/hybmon-bench-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# measure RANKS ITERATIONS: best of three by time on the processor
measure()
{
	"$generate" "$work/x" "$1" "$2" || exit 1
	for _ in 1 2 3; do
		/usr/bin/time -a -o "$work/times" -f '%e %U %S %M' \
			"$merge" --force "$work/x" >"$work/summary" || exit 1
	done
	awk -v ranks="$1" -v events="$(sed -n 's/^events *//p' "$work/summary")" '
		{ cpu = $2 + $3 }
		NR == 1 || cpu < best { best = cpu; wall = $1 }
		$4 > memory { memory = $4 }
		END {
			split(events, n, " ")
			printf "%6d %12d %12d %8.2f %8.2f %10.1f %10.1f %8d\n", ranks, n[1], n[4], wall, best,
				n[1] / best / 1e6, n[4] / best / 1e6, memory
		}' "$work/times"
	rm -rf "$work/x" "$work/times"
}

echo " ranks      records  OTF2 events  wall, s   cpu, s  M rec/cpu s  M ev/cpu s  RSS, KiB"
for size in ${MERGE_SIZES:-4x50000 4x500000 4x2000000 64x30000}; do
	measure "${size%x*}" "${size#*x}"
done
