#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How much longer MPI_Finalize takes after many events: the slower of two ranks, the difference round by round.
. "$(dirname "$0")/lib.sh"

events=$(size 4000000 400000)
for mpi in $hyb_mpis; do
	results=$work/$mpi
	for round in $(rounds 11); do
		for variant in $(turn "$round" plain growing); do
			launch "$variant" "$mpi" 2 "$hyb_build/bench/$mpi/finalize" "$events" | sort -n |
				tail -n 1 | sed "s/^/$round $variant /" >>"$results"
		done
	done
	eval "name=\$${mpi}_name"
	row "$name: MPI_Finalize, $events events a rank, without" \
		"$(awk '$2 == "plain" { print $3 }' "$results" | spread ms)" -
	row "$name: MPI_Finalize, $events events a rank, longer by" \
		"$(added '' <"$results" | spread ms)" 'at most 10 ms'
done
