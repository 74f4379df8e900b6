#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What recording adds to lammps (500 atoms, 2 ranks): runs of 300 steps with recording switched on and off in turn, within
# one process. The same without the library shows what such a comparison finds where nothing differs.
. "$(dirname "$0")/lib.sh"

program=$hyb_build/bench/openmpi/lammps
if [ ! -x "$program" ] || [ -z "$(find /usr/lib -name liblammps.so.0 2>/dev/null)" ]; then
	row 'lammps, 500 atoms' 'liblammps is not there' 'at most 1 %'
	exit 0
fi
for round in $(rounds 4); do
	for variant in $(turn "$round" plain growing); do
		launch "$variant" openmpi 2 "$program" "$hyb_source/bench/lj.in" 300 "$(size 200 10)" |
			awk '{ print 100 * ($1 / $2 - 1) }' >>"$work/$variant.pairs"
	done
done
for variant in growing plain; do
	sort -n "$work/$variant.pairs" | awk -v variant="$variant" '
		{ x[NR] = $1 }
		END {
			k = int((NR - 1.96 * sqrt(NR)) / 2)
			if (k < 1)
				k = 1
			printf "%.2f %% (%.2f .. %.2f, %d pairs)\n", (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2,
				x[k], x[NR + 1 - k], NR
		}' >"$work/$variant.median"
done
row 'lammps, 500 atoms: recording on over off, median (at 95 %)' "$(cat "$work/growing.median")" 'at most 1 %'
row 'the same without the library' "$(cat "$work/plain.median")" 0
