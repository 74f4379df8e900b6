#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What recording adds to a cheap call. For each round every variant runs once; what is added is the difference to that
# round's run without the library, and, where the call is recorded, less two reads of the counter.
. "$(dirname "$0")/lib.sh"

batches=$(size 20 5)

# added FILE FUNCTION VARIANT READS: one number a round
added()
{
	awk -v name="$2" -v variant="$3" -v reads="$4" '
		{ cost[$1, $2, $3] = $4; if ($1 > last) last = $1 }
		END {
			for (i = 1; i <= last; i++) {
				if ((i, variant, name) in cost && (i, "plain", name) in cost)
					print cost[i, variant, name] - cost[i, "plain", name] \
						- reads * cost[i, variant, "counter"]
			}
		}' "$1"
}

for mpi in $hyb_mpis; do
	results=$work/$mpi
	for round in $(rounds 11); do
		for variant in $(turn "$round" plain off growing ring); do
			launch "$variant" "$mpi" 1 "$bench/$mpi/call-cost" "$batches" |
				sed "s/^/$round $variant /" >>"$results"
		done
	done
	eval "name=\$${mpi}_name"
	row "$name: one read of the counter" "$(awk '$3 == "counter" { print $4 }' "$results" | spread ns)" -
	for function in MPI_Comm_rank MPI_Send; do
		row "$name: $function without the library" "$(awk -v name="$function" \
			'$2 == "plain" && $3 == name { print $4 }' "$results" | spread ns)" -
		row "$name: $function, recording off, adds" \
			"$(added "$results" "$function" off 0 | spread ns)" "at most 3 ns"
		for variant in growing ring; do
			row "$name: $function, $variant, adds over two reads" \
				"$(added "$results" "$function" "$variant" 2 | spread ns)" "at most 15 ns"
		done
	done
done
