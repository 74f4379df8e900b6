#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Bytes an event on disk: of a plain Enter/Leave pair, and over hpcc. Events are Enters, Leaves and the records with
# them (sends, receives, begun and complete, collectives), as in OTF2. Bytes are those of the streams, headers and what is left free included, and
# beside it those of the records alone.
. "$(dirname "$0")/lib.sh"

# measure TIMES: of $work/trace the bytes for TIMES events, and how many events there are
measure()
{
	bytes=$(find -L "$work/trace" -name 'thread-*.hyb' -exec stat -L -c %s {} + |
		awk '{ n += $1 } END { print n + 0 }')
	"$hyb_build/tools/hybmon-print" --summary "$work/trace" | awk -v bytes="$bytes" -v times="$1" '
		$1 == "count" && $2 ~ /^(enter|leave|send|recv|coll|isend|sent|started|irecv|cancelled)$/ { events += $4 }
		$1 == "count" && $2 ~ /^(enter|leave)$/ { calls += $4 }
		$1 == "total" {
			match($0, / words=[0-9]+/)
			words = substr($0, RSTART + 7, RLENGTH - 7)
			match($0, / events=[0-9]+/)
			rows = substr($0, RSTART + 8, RLENGTH - 8) - calls
		}
		END {
			# a row of polls is an Enter and a Leave
			events += 2 * rows
			if (events)
				printf "%.2f / %.2f bytes, %d events", times * bytes / events,
					times * 8 * words / events, events
		}'
}

if launch growing "$mpi1" 1 "$hyb_build/bench/$mpi1/finalize" "$(size 4000000 400000)" >"$work/stdout"; then
	row 'a plain Enter/Leave pair, in the file / its records' "$(measure 2)" '16 bytes'
fi
hpcc_input
if [ -z "$openmpi_cc" ] || ! command -v hpcc >/dev/null; then
	row 'an event of hpcc' 'hpcc is not there' 'at most 12 bytes'
elif launch growing openmpi 2 hpcc >"$work/stdout"; then
	row 'an event of hpcc, in the file / its records' "$(measure 1)" 'at most 12 bytes'
fi
