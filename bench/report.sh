#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hybmon report on made-up experiments in which two thirds of all calls communicate, one ten times as long as the other:
# records and events read a second, on one CPU and on two, and memory. The rate in CPU seconds is what other work on the
# machine changes least.
. "$(dirname "$0")/lib.sh"

[ -x "$hyb_build/tools/hybmon-report" ] || {
	row 'hybmon report' 'was not built' -
	exit
}
cpus=$(getconf _NPROCESSORS_ONLN)
for iterations in $(size '50000 500000' '2000 20000'); do
	"$hyb_build/bench/gen-experiment" "$memory/x" 4 "$iterations" || exit 1
	records=$((80 * iterations))
	# An iteration is 29 events of a rank: the merge tells of messages, and of begin and end of collective operations.
	events=$((116 * iterations))
	for count in 1 2; do
		[ "$count" -le "$cpus" ] || continue
		rm -f "$work/times"
		for _ in $(rounds 5); do
			TMPDIR=$memory taskset -c "$((cpus - count))-$((cpus - 1))" /usr/bin/time -a -o "$work/times" \
				-f '%e %U %S %M' "$hyb_build/tools/hybmon-report" "$memory/x" >"$work/output" || exit 1
		done
		row "report of $records records, $count CPU: records" \
			"$(awk -v n="$records" '{ print n / $1 * 1e-6 }' "$work/times" | spread M/s %.2f)" -
		row "report of $records records, $count CPU: events a CPU second" \
			"$(awk -v n="$events" '$2 + $3 > 0 { print n / ($2 + $3) * 1e-6 }' "$work/times" | spread M/s %.2f)" \
			'at least 5 M/s'
		row "report of $records records, $count CPU: memory" \
			"$(awk '{ print $4 / 1024 }' "$work/times" | spread MiB)" 'the same for both lengths'
	done
	rm -rf "$memory/x"
done
