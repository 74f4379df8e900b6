#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How much longer real programs take: hpcc (N=2500, 2 ranks), which polls millions of times, and lammps (500 atoms, 2
# ranks), in turn without and with the library.
. "$(dirname "$0")/lib.sh"

# between: of sorted numbers, those that the true median lies between in 95 of 100 cases, whatever their distribution
between()
{
	awk '{ x[NR] = $1 }
		END {
			k = int((NR - 1.96 * sqrt(NR)) / 2)
			if (k < 1)
				print "not to be said of so few"
			else
				printf "%.1f .. %.1f %%\n", x[k], x[NR + 1 - k]
		}'
}

# compare NAME ROUNDS TARGET COMMAND...
compare()
{
	what=$1
	number=$2
	target=$3
	shift 3
	command -v "$1" >/dev/null || {
		row "$what" "$1 is not there" "$target"
		return
	}
	mpi=$(mpi_of "$1")
	results=$work/$1.seconds
	for round in $(rounds "$number"); do
		for variant in $(turn "$round" plain growing); do
			launch "$variant" "$mpi" 2 "$@" >"$work/stdout" || continue
			echo "$round $variant $launch_begin $launch_end" |
				awk '{ printf "%s %s %.6f\n", $1, $2, ($4 - $3) * 1e-9 }' >>"$results"
		done
	done
	for variant in plain growing; do
		row "$what: seconds, $variant" "$(awk -v variant="$variant" \
			'$2 == variant { print $3 }' "$results" | spread s %.2f)" -
	done
	row "$what: takes longer by" "$(added relative <"$results" | spread %)" "$target"
	row "$what: that median is, at 95 %" "$(added relative <"$results" | sort -n | between)" -
	row "$what: fastest run of each" "$(fastest <"$results")" -
}

hpcc_input
compare "hpcc, N=$(size 2500 500)" 15 'at most 4 %' hpcc
compare 'lammps, 500 atoms' 31 'at most 1 %' \
	lmp -in "$hyb_source/bench/lj.in" -var steps "$(size 30000 2000)" -log none
