#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# side-by-side.sh [--quick] [call-cost] [requests] [openmp]: what calls cost with the library of the build folder
# BENCH_BEFORE and with that of this build, in turn: `make bench BENCH=call-cost BENCH_BEFORE=/path/to/build`. The
# programs are this build's in both cases. For each round every variant runs once with either library, in every other
# round the other way round; a difference is taken within a round. Rows have nanoseconds of the calls in all, not what
# recording adds to them.
# shellcheck disable=SC2034,SC2154 # variables of env.sh and lib.sh, and for launch
here=$(dirname "$0")
quick=
chosen=
for argument; do
	case $argument in
	--quick) quick=--quick ;;
	call-cost | requests | openmp) chosen="$chosen $argument" ;;
	*)
		echo "$0: there is no $argument side by side; there are: call-cost requests openmp" >&2
		exit 2
		;;
	esac
done
if [ ! -r "${BENCH_BEFORE-}/test/env.sh" ]; then
	echo "$0: BENCH_BEFORE is to name the build folder to compare with; there is no ${BENCH_BEFORE-}/test/env.sh" >&2
	exit 2
fi
before=$(. "$BENCH_BEFORE/test/env.sh" && echo "$hyb_preload")
set -- $quick
. "$here/lib.sh"

# how_BUILD_VARIANT: the ways to run it
how_everything="$how_growing HYBMON_OMP=all"
for variant in growing ring off everything; do
	eval "how_after_$variant=\$how_$variant how_before_$variant=\"LD_PRELOAD=\$before \${how_$variant#* }\""
done

# rounds_of MPI PROGRAM VARIANT... -- RANKS [ARGUMENT...]: the lines of all rounds in $results, with round and variant
rounds_of()
{
	mpi=$1
	program=$2
	shift 2
	variants=
	while [ "$1" != -- ]; do
		variants="$variants before_$1 after_$1"
		shift
	done
	shift
	ranks=$1
	shift
	results=$work/results
	: >"$results"
	for round in $(rounds 11); do
		for variant in $(turn "$round" $variants); do
			launch "$variant" "$mpi" "$ranks" "$program" "$@" | sed "s/^/$round $variant /" >>"$results"
		done
	done
}

# compared COLUMN WHAT VARIANT LIMIT: a row of $results; says so where the median of differences is above LIMIT
compared()
{
	awk -v column="$(($1 + 2))" -v what="$2, $3" -v variant="$3" -v limit="$4" '
		function median(x, n,   i, j, t) {
			for (i = 2; i <= n; i++)
				for (j = i; j > 1 && x[j] < x[j - 1]; j--) {
					t = x[j]
					x[j] = x[j - 1]
					x[j - 1] = t
				}
			return n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2
		}
		$2 == "before_" variant { before[$1] = $column }
		$2 == "after_" variant { after[$1] = $column }
		END {
			for (round in before) {
				if (!(round in after))
					continue
				b[++n] = before[round]
				a[n] = after[round]
				d[n] = a[n] - b[n]
			}
			if (!n) {
				printf "%-64s | nothing measured\n", what
				exit
			}
			middle = median(d, n)
			printf "%-64s | %9.1f | %9.1f | %6.1f / %5.1f / %5.1f | %s%s\n", what, median(b, n), median(a, n),
				d[1], middle, d[n], limit, (limit != "-" && middle > limit + 0) ? ", is more" : ""
		}' "$results"
}

call_cost()
{
	for mpi in $hyb_mpis; do
		eval "name=\$${mpi}_name"
		rounds_of "$mpi" "$hyb_build/bench/$mpi/call-cost" growing ring off -- 1
		compared 3 "$name: a read of the counter" growing -
		for variant in growing ring off; do
			compared 1 "$name: MPI_Comm_rank" "$variant" 1
			compared 2 "$name: MPI_Send" "$variant" 1
		done
	done
}

requests()
{
	for mpi in $hyb_mpis; do
		eval "name=\$${mpi}_name"
		rounds_of "$mpi" "$hyb_build/bench/$mpi/requests" growing ring -- 2
		compared 8 "$name: a read of the counter" growing -
		for variant in growing ring; do
			compared 1 "$name: Irecv, Isend, Waitall" "$variant" 5
			compared 2 "$name: the same, 100,000 outstanding" "$variant" 5
			compared 3 "$name: MPI_Test finds nothing" "$variant" 1
			compared 4 "$name: MPI_Iprobe finds nothing" "$variant" 1
			compared 5 "$name: MPI_Testany of two finds nothing" "$variant" 1
			compared 6 "$name: MPI_Testany of two null requests" "$variant" 1
			compared 7 "$name: MPI_Win_flush_all, idle" "$variant" 1
		done
		rounds_of "$mpi" "$hyb_build/bench/$mpi/requests" growing ring -- 1 8
		for variant in growing ring; do
			compared 1 "$name: Irecv, Isend, Waitall, 8 threads, CPU time" "$variant" -
		done
	done
}

openmp()
{
	build_openmp || {
		echo 'OpenMP: no clang with its OpenMP runtime'
		return
	}
	for threads in 1 2; do
		rounds_of '' "$work/openmp" growing ring everything -- 0 "$threads"
		name="$compiler, $threads thread(s)"
		compared 6 "$name: a read of the counter" growing -
		for variant in growing ring everything; do
			column=0
			for what in 'empty parallel region' barrier 'critical section' 'empty task' \
				'chunk of a dynamic loop'; do
				column=$((column + 1))
				compared $column "$name: $what" "$variant" 10
			done
		done
	done
}

printf '%-64s | %9s | %9s | %-22s | %s\n' "what, ns (medians)" before after 'more by min/median/max' 'at most'
for name in ${chosen:-call-cost requests openmp}; do
	case $name in
	call-cost) call_cost ;;
	*) $name ;;
	esac
done
