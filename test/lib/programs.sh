#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# programs.sh TEST MPIS FORTRAN-MPIS SANITIZERS: the programs, as targets of make, that TEST.test runs: those of the rows
# of TEST.tbl that are run (rows.awk) and those that the script names in lines `# programs: NAME...`. MPIS are those
# that have a compiler of C here.
{
	for name in $(sed -n 's/^# programs: *//p' "$1.test"); do
		echo "$name $2"
	done
	[ ! -f "$1.tbl" ] || awk -v mpis="$2" -v rows="${TEST_ROWS-}" -v all="${TEST_ALL-}" -v sanitizers="$4" -f "${0%/*}/rows.awk" "$1.tbl" |
		cut -d' ' -f2-
} | while read -r name mpis; do
	for mpi in $mpis; do
		case $name in
		fortran-*) [ "${3#*"$mpi"}" != "$3" ] || continue ;;
		esac
		echo "test/$mpi/$name"
	done
done | sort -u
