#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# timed.sh SECONDS COMMAND...: runs a test for at most so long, and adds the time that it took to its output, which
# scripts/test.sh reads: "# took 12.3 s, 8.1 s of CPU".
seconds=$1
shift
start=$(date +%s.%N)
timeout -k 10 "$seconds" "$@"
status=$?
# the CPU time of this shell's children, which it has waited for: proc(5), cutime and cstime in hundredths of a second
awk -v start="$start" -v end="$(date +%s.%N)" \
	'{ sub(/.*\) /, ""); printf "# took %.1f s, %.1f s of CPU\n", end - start, ($14 + $15) / 100 }' "/proc/$$/stat"
exit $status
