#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How much longer MPI_Init takes when a program is recorded: the slower of two ranks, the difference round by round. With
# the kernel's events by each source, when the program waits for its collector, and when it does not.
. "$(dirname "$0")/lib.sh"

for source in self perf bpf; do
	eval "how_$source=\"$how_growing HYBMON_KERNEL=$source HYBMON_KERNEL_WAIT=10000\""
	eval "how_${source}0=\"$how_growing HYBMON_KERNEL=$source HYBMON_KERNEL_WAIT=0\""
done
variants='growing self self0 perf perf0 bpf bpf0'

# The next run is to find a node without a collector.
wait_for_end()
{
	for file in "$work"/trace/*.kernel/manifest; do
		while [ -f "$file" ] && ! grep -q '^state: ended' "$file"; do sleep 0.05; done
	done
}

for mpi in $hyb_mpis; do
	results=$work/$mpi
	for round in $(rounds 11); do
		# shellcheck disable=SC2086 # words
		for variant in $(turn "$round" plain $variants); do
			launch "$variant" "$mpi" 2 "$hyb_build/bench/$mpi/init" | sort -n |
				tail -n 1 | sed "s/^/$round $variant /" >>"$results"
			wait_for_end
		done
	done
	eval "name=\$${mpi}_name"
	row "$name: MPI_Init, without" "$(awk '$2 == "plain" { print $3 }' "$results" | spread ms)" -
	for variant in $variants; do
		row "$name: MPI_Init, $variant, longer by" "$(awk -v v="$variant" '
			$2 == "plain" { plain[$1] = $3 }
			$2 == v { with[$1] = $3 }
			END { for (i in with) if (i in plain) print with[i] - plain[i] }' "$results" | spread ms)" -
	done
done
