#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh [TIMES]: all benchmarks, one after the other, as a table. Run it in the build folder of a build without
# sanitizers, on a quiet machine; it takes some minutes and a few GiB in $TMPDIR.
. "${HYB_TEST_ENV:-test/env.sh}"
HYB_TEST_ENV=$(cd "$(dirname "${HYB_TEST_ENV:-test/env.sh}")" && pwd)/env.sh
export HYB_TEST_ENV
. "$hyb_source/bench/lib.sh"
times=${1:-9}

# column N FILE: min median max of a column
column()
{
	awk -v n="$1" '{ print $n }' "$2" | spread
}

# Per call, in turn without the library, with it, and with it but recording off.
call_cost()
{
	program=$(build "$1" call-cost)
	rm -f "$work"/cost.*
	for _ in $(seq "$times"); do
		for how in plain traced off; do
			eval "variables=\$$how"
			fresh
			launch "$1" 1 "$program" >>"$work/cost.$how"
		done
	done
	printf '%-34s %s\n' "$1, counter, ns" "$(column 3 "$work/cost.plain")"
	n=0
	for call in MPI_Comm_rank 'MPI_Send to nobody'; do
		n=$((n + 1))
		for how in plain traced off; do
			printf '%-34s %s\n' "$1, $call, $how, ns" "$(column $n "$work/cost.$how")"
		done
		echo "$(column $n "$work/cost.plain") $(column $n "$work/cost.traced") $(column $n "$work/cost.off") \
$(column 3 "$work/cost.plain")" | awk '{ printf "%-34s %+.1f ns recorded (%+.1f over two counter reads), %+.1f ns off\n",
				"  medians add", $5 - $2, $5 - $2 - 2 * $11, $8 - $2 }'
	done
}

finalize()
{
	program=$(build "$1" finalize)
	rm -f "$work"/finalize.*
	for _ in $(seq "$times"); do
		for how in plain traced; do
			eval "variables=\$$how"
			fresh
			launch "$1" 2 "$program" >>"$work/finalize.$how"
		done
	done
	for how in plain traced; do
		printf '%-34s %s\n' "$1, MPI_Finalize, $how, ms" "$(column 1 "$work/finalize.$how")"
	done
}

stalls()
{
	program=$(build "$1" stalls)
	for how in plain traced; do
		eval "variables=\$$how"
		fresh
		echo "$1, 100 million events, $how:"
		launch "$1" 1 "$program"
	done
	fresh
}

echo "$(uname -m), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores; min median max"
for mpi in $hyb_mpis; do
	call_cost "$mpi"
	finalize "$mpi"
	stalls "$mpi"
done
sh "$hyb_source/bench/size.sh"
sh "$hyb_source/bench/whole.sh"
