#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Bytes an event on disk: of a plain Enter/Leave pair, and over hpcc. Events are Enters, Leaves and the records with
# them (sends, receives, collectives); bytes are those of the streams, headers included.
. "${HYB_TEST_ENV:-test/env.sh}"
. "$hyb_source/bench/lib.sh"

"$hyb_cc" -O2 -I"$hyb_source/src" "$hyb_source/test/host/count.c" -o "$work/count" || exit 1

# measure NAME EXPERIMENT
measure()
{
	bytes=$(find "$2" -name 'thread-*.hyb' -exec du -B1 {} + | awk '{ n += $1 } END { print n }')
	"$work/count" "$2"/*/thread-*.hyb | awk -v bytes="$bytes" -v name="$1" '
		{ pairs += $3; events += $3 + $5 + $13 }
		END { printf "%-8s %d events, %.2f bytes an event, %.2f a call\n", name, events,
			bytes / events, bytes / pairs }'
}

variables=$traced
for mpi in $hyb_mpis; do
	launch "$mpi" 1 "$(build "$mpi" finalize)" >/dev/null
	measure pairs "$work/trace"
	fresh
	break
done
input=/usr/share/doc/hpcc/examples/_hpccinf.txt
if command -v hpcc >/dev/null && [ -e "$input" ]; then
	sed -e '6s/^[0-9]*/2500/' -e '11s/^[0-9]*/1/' "$input" >hpccinf.txt
	launch openmpi 2 hpcc >/dev/null
	measure hpcc "$work/trace"
fi
