#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hybmon view of 100 million events: how long until it shows a first picture, and all of it, the first time and again, how much memory it takes, how long it takes to
# give tiles, what a screen of 64 rows needs, messages and sums, and how smooth the page is in Chromium. view.py asks for
# them over one connection, as a browser does.
. "$(dirname "$0")/lib.sh"

if ! command -v python3 >/dev/null || "$hyb_build/tools/hybmon-view" --export=/dev/null / 2>&1 | grep -q 'built without'; then
	row 'hybmon view' 'was not built, or there is no python3' -
	exit
fi
experiment=$memory/view
"$hyb_build/bench/gen-experiment" "$experiment" 64 "$(size 54000 2000)" || exit 1
python3 "$hyb_source/bench/view.py" "$hyb_build/tools/hybmon-view" "$experiment" "$(rounds 3 | wc -w)" |
	while IFS='|' read -r what value target; do
		row "$what" "$value" "$target"
	done
python3 "$hyb_source/bench/frames.py" "$hyb_build/tools/hybmon-view" "$experiment" "$(rounds 3 | wc -w)" |
	while IFS='|' read -r what value target; do
		row "$what" "$value" "$target"
	done
rm -rf "$experiment"
