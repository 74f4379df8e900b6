#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the program's own regions cost, and functions compiled with -finstrument-functions: for each round every variant
# runs once. Two reads of the counter are a part of each pair.
. "$(dirname "$0")/lib.sh"

"$hyb_cc" -std=gnu11 -O2 -D_GNU_SOURCE -finstrument-functions \
	-finstrument-functions-exclude-file-list=clock.h -I"$hyb_source/include" -I"$hyb_source/bench" \
	"$hyb_source/bench/user.c" -o "$work/user" || exit 1
results=$work/results
for round in $(rounds 15); do
	for variant in $(turn "$round" plain growing ring); do
		rm -rf "$work/trace"
		eval "how=\$how_$variant"
		# shellcheck disable=SC2086 # one word a variable
		env $how "$work/user" 2>"$work/errors" | sed "s/^/$round $variant /" >>"$results"
	done
done

# column VARIANT COLUMN
column()
{
	awk -v variant="$1" -v column="$2" '$2 == variant { print $column }' "$results" | spread ns
}

row 'two reads of the counter' "$(column growing 3)" -
at=3
for what in 'region:10 over two reads' 'region with a parameter:-' 'region by a name made at run time:-' \
	'value of a counter:-' 'instrumented function:10 over two reads'; do
	at=$((at + 1))
	row "${what%%:*} without the library" "$(column plain $at)" -
	row "${what%%:*}" "$(column growing $at)" "${what#*:}"
	row "${what%%:*}, ring" "$(column ring $at)" -
done
