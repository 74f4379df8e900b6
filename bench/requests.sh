#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What recording adds to requests, and to polls that find nothing or have nothing to do. For each round every variant
# runs once; what is added is the difference to that round's run without the library. The targets are for a counter read
# of 10 ns.
. "$(dirname "$0")/lib.sh"

threads=8
# What calls in threads cost depends on how they meet in the MPI; nanoseconds by which that is tried out.
longer=200

# more VARIANT COLUMN COUNTER READS: of $results, one number a round; in the column COUNTER is a read of the counter
more()
{
	awk -v variant="$1" -v column="$2" -v counter="$3" -v reads="$4" '
		$2 == "plain" { plain[$1] = $column }
		$2 == variant { with[$1] = $column; read[$1] = $counter }
		END { for (i in with) if (i in plain) print with[i] - plain[i] - reads * read[i] }' "$results"
}

# plain COLUMN
plain()
{
	awk -v column="$1" '$2 == "plain" { print $column }' "$results" | spread ns
}

# run FILE RANKS ARGUMENT...: the lines of all rounds
run()
{
	results=$1
	ranks=$2
	shift 2
	for round in $(rounds 11); do
		for variant in $(turn "$round" plain off growing ring); do
			launch "$variant" "$mpi" "$ranks" "$hyb_build/bench/$mpi/requests" "$@" |
				sed "s/^/$round $variant /" >>"$results"
		done
	done
}

# three COLUMN COUNTER WHAT: the rows of the three calls
three()
{
	row "$name: $3 without the library" "$(plain "$1")" -
	row "$name: $3, recording off, adds" "$(more off "$1" "$2" 0 | spread ns)" -
	for variant in growing ring; do
		row "$name: $3, $variant, adds" "$(more $variant "$1" "$2" 0 | spread ns)" 'at most 200 ns'
	done
}

for mpi in $hyb_mpis; do
	eval "name=\$${mpi}_name"
	run "$work/$mpi" 2
	row "$name: one read of the counter" "$(awk '{ print $10 }' "$results" | spread ns)" -
	three 3 10 'Irecv, Isend, Waitall'
	three 4 10 'the same, 100,000 outstanding'
	column=4
	for function in 'MPI_Test finds nothing' 'MPI_Iprobe finds nothing' 'MPI_Testany of two finds nothing' \
		'MPI_Testany of two null requests' 'MPI_Win_flush_all, idle'; do
		column=$((column + 1))
		row "$name: $function, without the library" "$(plain $column)" -
		row "$name: $function, recording off, adds" "$(more off $column 10 0 | spread ns)" -
		for variant in growing ring; do
			row "$name: $function, $variant, adds in all" \
				"$(more $variant $column 10 0 | spread ns)" 'at most 5 ns'
		done
	done
	run "$work/$mpi.threads" 1 "$threads"
	for round in $(rounds 11); do
		launch plain "$mpi" 1 "$hyb_build/bench/$mpi/requests" "$threads" "$longer" |
			sed "s/^/$round longer /" >>"$results"
	done
	three 3 4 "$threads threads, CPU time"
	row "$name: $threads threads, no library, calls longer by $longer ns, more than that" \
		"$(awk '$2 == "longer" { print $5 }' "$results" | spread ns)" -
done
