#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How much longer a program takes whose threads are sampled 997 times a second of their CPU time: with call chains by
# frame pointers, and with copies of 8 and of 64 KiB of the stack; and what is written and lost. One rank, which leaves a
# CPU to the collector, and two.
. "$(dirname "$0")/lib.sh"

how_none=$how_growing
how_chains="$how_growing HYBMON_SAMPLE=997Hz"
how_copies="$how_chains HYBMON_SAMPLE_STACK=8K"
how_large="$how_chains HYBMON_SAMPLE_STACK=64K"
program=$hyb_build/bench/$mpi1/kernel

# The collector ends after the job: it may take its time to write out what it has.
wait_for_end()
{
	for _ in $(seq 300); do
		grep -qs '^state: ended' "$work"/trace/*.kernel/manifest && return
		sleep 0.1
	done
}

# once VARIANT RANKS N: prints the figure; what was written goes into $work/said
once()
{
	if [ "$1" = none ]; then
		launch "$1" "$mpi1" "$2" "$program" work "$3"
		return
	fi
	launch "$1" "$mpi1" "$2" "$program" work "$3" "$work/trace" || return
	wait_for_end
	lost=$(sed -n 's/^lost: *\([0-9]*\).*/\1/p' "$work"/trace/*.kernel/manifest)
	cpu=$(sed -n 's/^cpu-seconds: //p' "$work"/trace/*.kernel/manifest | awk '{ print $1 + $3 }')
	bytes=$(cat "$work"/trace/*.kernel/*.hyb | wc -c)
	seconds=$(echo "$launch_begin $launch_end" | awk '{ print ($2 - $1) * 1e-9 }')
	echo "$1 $2 $lost $cpu $bytes $seconds" >>"$work/said"
}

# measure RANKS N
measure()
{
	variants='none chains copies large'
	for round in $(rounds 11); do
		# shellcheck disable=SC2086 # words
		for variant in $(turn "$round" $variants); do
			once "$variant" "$1" "$2" | sed "s/^/$round $variant /"
		done
	done >"$work/figures"
	for variant in chains copies large; do
		case $variant in
		chains) what='frame pointers' target='at most 1 %' ;;
		copies) what='copies of 8 KiB' target='at most 1 %' ;;
		large) what='copies of 64 KiB' target=- ;;
		esac
		row "samples, 997 Hz, $1 ranks, $what: longer by" "$(awk -v v="$variant" '
			$2 == "none" { none[$1] = $3 }
			$2 == v { with[$1] = $3 }
			END { for (i in with) if (i in none) print 100 * (with[i] - none[i]) / none[i] }' "$work/figures" |
			spread % %.2f)" "$target"
		row '  written; lost at most; the collector'\''s CPU' "$(awk -v v="$variant" -v ranks="$1" '
			$1 == v && $2 == ranks { n++; lost = $3 > lost ? $3 : lost; cpu += $4 / $6; rate += $5 / $6 }
			END { if (n) printf "%.2f MB/s, %d, %.2f %%", rate / n * 1e-6, lost, 100 * cpu / n }' "$work/said")" 'no loss'
	done
}

: >"$work/said"
measure 1 "$(size 3000 200)"
measure 2 "$(size 3000 200)"
