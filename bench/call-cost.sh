#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What recording adds to a cheap call. For each round every variant runs once; what is added is the difference to that
# round's run without the library, and, where the call is recorded, less two reads of the counter.
. "$(dirname "$0")/lib.sh"

# more VARIANT COLUMN READS: of $results, one number a round
more()
{
	awk -v variant="$1" -v column="$2" -v reads="$3" '
		$2 == "plain" { plain[$1] = $column }
		$2 == variant { with[$1] = $column; counter[$1] = $5 }
		END { for (i in with) if (i in plain) print with[i] - plain[i] - reads * counter[i] }' "$results"
}

for mpi in $hyb_mpis; do
	results=$work/$mpi
	for round in $(rounds 11); do
		for variant in $(turn "$round" plain off growing ring profile beneath both stack); do
			# the collector of the kernel's sums takes some tenths of a second to begin
			wait=
			[ "$variant" != beneath ] || wait=1500
			launch "$variant" "$mpi" 1 "$hyb_build/bench/$mpi/call-cost" $wait |
				sed "s/^/$round $variant /" >>"$results"
		done
	done
	eval "name=\$${mpi}_name"
	row "$name: one read of the counter" "$(awk '{ print $5 }' "$results" | spread ns)" -
	column=2
	for function in MPI_Comm_rank MPI_Send; do
		column=$((column + 1))
		row "$name: $function without the library" \
			"$(awk -v column=$column '$2 == "plain" { print $column }' "$results" | spread ns)" -
		row "$name: $function, recording off, adds" "$(more off $column 0 | spread ns)" 'at most 3 ns'
		for variant in growing ring; do
			row "$name: $function, $variant, adds over two reads" \
				"$(more $variant $column 2 | spread ns)" 'at most 15 ns'
		done
		row "$name: $function, growing, with 8 frames, adds over two reads" \
			"$(more stack $column 2 | spread ns)" 'at most 25 ns'
		for variant in profile both; do
			row "$name: $function, $variant, adds over two reads" \
				"$(more $variant $column 2 | spread ns)" 'at most 25 ns'
		done
		row "$name: $function, profile with the kernel's sums, adds over two reads" \
			"$(more beneath $column 2 | spread ns)" 'at most 25 ns'
	done
done
