#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What recording adds to OpenMP's constructs, with LLVM's runtime: for each round every variant runs once; what
# is added is the difference to that round's run without the library, of which a part is the runtime's own: what a tool
# adds that does nothing. The targets are for a counter read of 10 ns.
. "$(dirname "$0")/lib.sh"

build_openmp || {
	row 'OpenMP' 'no clang with its OpenMP runtime' -
	exit
}
how_everything="$how_growing HYBMON_OMP=all"
how_null="OMP_TOOL_LIBRARIES=$work/null.so"

# more VARIANT COLUMN: of $results, one number a round
more()
{
	awk -v variant="$1" -v column="$2" '
		$2 == "plain" { plain[$1] = $column }
		$2 == variant { with[$1] = $column }
		END { for (i in with) if (i in plain) print with[i] - plain[i] }' "$results"
}

for threads in 1 2; do
	results=$work/results.$threads
	for round in $(rounds 11); do
		for variant in $(turn "$round" plain null growing ring everything); do
			rm -rf "$work/trace"
			eval "how=\$how_$variant"
			# shellcheck disable=SC2086 # one word a variable
			env $how "$work/openmp" "$threads" 2>"$work/errors" | sed "s/^/$round $variant /" >>"$results"
		done
	done
	name="$compiler, $threads thread(s)"
	row "$name: one read of the counter" "$(awk '{ print $8 }' "$results" | spread ns)" -
	column=2
	for what in 'empty parallel region:250' 'barrier:80' 'critical section:110' 'empty task:120' \
		'chunk of a dynamic loop:60'; do
		column=$((column + 1))
		row "$name: ${what%:*} without the library" \
			"$(awk -v column=$column '$2 == "plain" { print $column }' "$results" | spread ns)" -
		row "$name: ${what%:*}, adds" "$(more growing $column | spread ns)" "at most ${what#*:} ns"
		row "$name: ${what%:*}, a tool that does nothing adds" "$(more null $column | spread ns)" -
		row "$name: ${what%:*}, as a ring, adds" "$(more ring $column | spread ns)" -
		row "$name: ${what%:*}, HYBMON_OMP=all, adds" "$(more everything $column | spread ns)" -
	done
done
