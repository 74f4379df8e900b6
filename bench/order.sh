#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What it costs to record the order of a run (HYBMON_ORDER=only), and to replay it. For each round every variant runs
# once; what is added is the difference to that round's run without the library.
. "$(dirname "$0")/lib.sh"
how_order="$how_growing HYBMON_ORDER=only"

# more COLUMN: of $results, what the order adds, one number a round
more()
{
	awk -v column="$1" '
		$2 == "plain" { plain[$1] = $column }
		$2 == "order" { with[$1] = $column }
		END { for (i in with) if (i in plain) print with[i] - plain[i] }' "$results"
}

# bytes: what a receive took of the order streams, one number; each is told
bytes()
{
	received=$(cat "$work/output")
	rm -f "$work/replay.order"
	"$hyb_build/tools/hybmon" replay --detail=none "$work/trace" --dry-run true 2>&1 >/dev/null |
		sed -n "s/.* in \([0-9]*\) bytes.*/\1 $received/p" | awk '{ print $1 / $2 }'
}

# openmp: two threads that compete, with GCC's OpenMP; of the first MPI
openmp()
{
	eval "cc=\$${mpi1}_cc"
	"$cc" -O2 -D_GNU_SOURCE -fopenmp -w "$hyb_source/bench/order-openmp.c" -o "$work/openmp" 2>"$work/errors" || {
		row 'order with OpenMP' 'the compiler has no OpenMP' -
		return
	}
	results=$work/openmp.results
	for round in $(rounds 11); do
		for variant in $(turn "$round" plain order); do
			OMP_WAIT_POLICY=passive launch "$variant" "$mpi1" 1 "$work/openmp" 2 | sed "s/^/$round $variant /" >>"$results"
		done
	done
	column=2
	for what in 'critical section of one thread' 'critical section that two compete for, 0.2 us of work each' \
		'chunk of a dynamic loop, two threads, 0.2 us of work each'; do
		column=$((column + 1))
		row "OpenMP: $what, without the library" "$(awk -v column=$column '$2 == "plain" { print $column }' "$results" | spread ns)" -
		row "OpenMP: $what, the order adds" "$(more $column | spread ns)" -
	done
}

for mpi in $hyb_mpis; do
	eval "name=\$${mpi}_name"
	results=$work/$mpi
	for round in $(rounds 11); do
		for variant in $(turn "$round" plain order); do
			launch "$variant" "$mpi" 1 "$hyb_build/bench/$mpi/order" | sed "s/^/$round $variant /" >>"$results"
		done
	done
	column=2
	for what in 'MPI_Isend, MPI_Recv of its source, MPI_Wait' 'the same from any source' \
		'MPI_Irecv from any source, MPI_Isend, MPI_Waitall' 'MPI_Irecv, MPI_Isend, two MPI_Waitany' \
		'MPI_Test finds nothing' 'MPI_Iprobe finds nothing'; do
		column=$((column + 1))
		row "$name: $what, without the library" "$(awk -v column=$column '$2 == "plain" { print $column }' "$results" | spread ns)" -
		case $column in
		3) target='at most 9 ns' ;;
		4 | 5) target='at most 11 ns' ;;
		6) target='at most 16 ns' ;;
		*) target='at most 5 ns' ;;
		esac
		row "$name: $what, the order adds" "$(more $column | spread ns)" "$target"
	done
	launch order "$mpi" 8 "$hyb_build/bench/$mpi/order" "$(size 20000 200)" >/dev/null
	row "$name: bytes for a receive from anyone of 8 ranks" "$(bytes | spread bytes %.3f)" 'at most 1 byte'
done
openmp
