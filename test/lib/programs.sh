#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# programs.sh TEST MPIS FORTRAN-MPIS: the programs, as targets of make, that TEST.test runs: those of the rows of
# TEST.tbl (with TEST_ROWS, of these rows) and those that the script names in lines `# programs: NAME...`. MPIS are
# those that have a compiler of C here.
{
	sed -n 's/^# programs: *//p' "$1.test"
	[ ! -f "$1.tbl" ] || awk -F '|' -v rows="${TEST_ROWS-}" '
		!/^#/ && NF > 2 {
			gsub(/[ \t]/, "", $1)
			split($2, program, " ")
			if (rows == "" || index(" " rows " ", " " $1 " "))
				print program[1]
		}' "$1.tbl"
} | tr -s ' ' '\n' | sort -u | while read -r name; do
	case $name in
	fortran-*) mpis=$3 ;;
	*) mpis=$2 ;;
	esac
	for mpi in $mpis; do
		echo "test/$mpi/$name"
	done
done
