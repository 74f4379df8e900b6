#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh TABLE: runs each row of a table with each MPI, first without and then with the library, and checks what
# can be seen, what was recorded and what was merged. The columns: test/README.md.
. "$HYB_TEST_ENV"
. "$hyb_source/test/lib/lib.sh"

# wants WORD: the row's expectations have it
wants()
{
	case " $expectations " in
	*" $1 "*) return 0 ;;
	esac
	return 1
}

# values KEY: of all expectations KEY=VALUE
values()
{
	for word in $expectations; do
		case $word in
		"$1"=*) printf '%s\n' "${word#*=}" ;;
		esac
	done
}

# The lines the library may say, each of which must come; no others. Where it is to be quiet, not even where
# the experiment is.
check_said()
{
	if wants quiet && cat "$traced"/*.stderr | grep '^hybmon\['; then
		return 1
	fi
	patterns=$(values says)
	for pattern in $patterns; do
		grep -q -- "$pattern" "$traced/said" || {
			echo "not said: $pattern"
			return 1
		}
	done
	cut -d: -f1 "$traced/said" | sed 's/[.].*//' | sort | uniq -d | grep . && {
		echo 'said more than one line'
		cat "$traced/said"
		return 1
	}
	if [ -n "$patterns" ]; then
		set -- $(printf ' -e %s' $patterns)
		! grep -v "$@" "$traced/said"
	else
		! grep . "$traced/said"
	fi
}

# A rank that was killed by the launcher may have been so between writing down a call and making it, or between
# its Leave and writing that down: two lines at the end of each of its threads.
same_but_for_the_end()
{
	awk '
		FILENAME == ARGV[1] { expected[$1, ++lines[$1]] = $0; next }
		{ recorded[$1]++ }
		recorded[$1] <= lines[$1] && $0 != expected[$1, recorded[$1]] {
			print "expected: " expected[$1, recorded[$1]] ", recorded: " $0
			exit failed = 1
		}
		END {
			if (failed)
				exit 1
			for (thread in recorded)
				lines[thread] += 0
			for (thread in lines) {
				difference = recorded[thread] - lines[thread]
				if (difference < -2 || difference > 2) {
					print thread " expected lines: " lines[thread] ", recorded: " recorded[thread] + 0
					exit 1
				}
			}
		}' "$1" "$2"
}

# Where a rank dies, which of the ranks' ends the launcher makes its own is not compared.
looks_same()
{
	if [ -n "$(values dies)" ]; then
		both_failed "$plain" "$traced" || return 1
		launcher_broken "$traced" && return
		cp "$plain/status" "$traced/status"
	fi
	shown_same "$plain" "$traced" "$(values stderr)" && return
	wants loses_output && loses_output
}

# MPICH 4.2's launcher now and then loses what a program wrote that took a rank's place, also without the library: then the
# pair is run again, up to four times.
loses_output()
{
	[ "$mpi" = mpich ] || return 1
	for _ in 1 2 3 4; do
		retries=$((retries + 1))
		rm -rf "$plain" "$traced"
		preload=
		launch "$plain" "$mpi" "$ranks" "$command" $arguments
		preload=$hyb_preload
		launch "$traced" "$mpi" "$ranks" "$command" $arguments
		! shown_same "$plain" "$traced" || return 0
	done
	return 1
}

check_events()
{
	expected "$traced" >"$traced/expected"
	recorded "$experiment" >"$traced/recorded" || return 1
	if wants polls; then
		grep -v '^[^ ]* poll ' "$traced/recorded" >"$traced/recorded.others"
		mv "$traced/recorded.others" "$traced/recorded"
	fi
	if wants calls; then
		for side in expected recorded; do
			grep -E '^[^ ]+ (enter|leave) ' "$traced/$side" >"$traced/$side.calls"
			mv "$traced/$side.calls" "$traced/$side"
		done
	fi
	[ -s "$traced/recorded" ] || {
		echo 'nothing was recorded'
		return 1
	}
	dies=$(values dies)
	if [ -z "$dies" ]; then
		diff "$traced/expected" "$traced/recorded"
		return
	fi
	for rank in $(seq 0 $((ranks - 1))); do
		grep "^$rank[.]" "$traced/expected" >"$traced/expected.$rank"
		grep "^$rank[.]" "$traced/recorded" >"$traced/recorded.$rank"
		if [ "$rank" -eq "$dies" ]; then
			# MPI_Abort of MPICH 4.2 comes back
			grep -v ' leave MPI_Abort$' "$traced/recorded.$rank" |
				diff "$traced/expected.$rank" - || return 1
		else
			same_but_for_the_end "$traced/expected.$rank" "$traced/recorded.$rank" || return 1
		fi
	done
}

# The trace has the operations on files, with offsets and bytes, that the program wrote down.
check_files()
{
	awk '
		function value(key,   i) {
			for (i = 3; i <= NF; i++)
				if (index($i, key "=") == 1)
					return substr($i, length(key) + 2)
			return "-"
		}
		$2 == "io" && $3 ~ /^(read|write|flush)$/ {
			line[++n] = int($1) " " $3 " " value("offset") " " value("bytes")
			done[n] = value("done")
			id[n] = int($1) SUBSEP value("request")
		}
		$2 == "io" && $3 == "done" { ended[int($1), value("request")] = value("bytes") }
		$2 == "io" && $3 == "failed" { ended[int($1), value("request")] = "failed" }
		END {
			for (i = 1; i <= n; i++)
				print line[i] " " (id[i] in ended ? ended[id[i]] : done[i])
		}' "$traced/expected" | LC_ALL=C sort >"$traced/operations"
	[ -s "$traced/operations" ] || {
		echo 'the program did nothing with files'
		return 1
	}
	"$hyb_python" "$hyb_source/test/lib/otf2-check.py" --io "$experiment/traces.otf2" | diff "$traced/operations" -
}

# Nothing that was recorded is left out of the archive for want of its other half.
check_whole()
{
	! grep -E ' [1-9][0-9]* (sends and|receives without|of operations that some)|that nobody described' \
		"$experiment.summary"
}

# The same of one-sided communication. What completes an operation is the first that says so.
check_rma()
{
	awk -f "$hyb_source/test/pmpi/rma.awk" "$traced/expected" "$traced/expected" | LC_ALL=C sort >"$traced/operations"
	[ -s "$traced/operations" ] || {
		echo 'the program did nothing with windows'
		return 1
	}
	"$hyb_python" "$hyb_source/test/lib/otf2-check.py" --rma "$experiment/traces.otf2" | diff "$traced/operations" -
}

# The shapes of communicators that each rank printed are in the definitions, and in the archive for another reader.
check_shapes()
{
	for rank in $(seq 0 $((ranks - 1))); do
		sed -n "s/^shape /$rank /p" "$traced/rank.$rank.stdout"
	done | LC_ALL=C sort >"$traced/shapes"
	[ -s "$traced/shapes" ] || {
		echo 'the program made no shapes'
		return 1
	}
	"$hyb_print" --defs --no-times "$experiment" | sed -n 's/^\([0-9]*\) def topology /\1 /p' | LC_ALL=C sort |
		diff "$traced/shapes" - || return 1
	# copies have the shape of what they are copies of, which the archive says of each
	for rank in $(seq 0 $((ranks - 1))); do
		sed -n "s/^\(shape\|copied\) /$rank /p" "$traced/rank.$rank.stdout"
	done | LC_ALL=C sort >"$traced/shapes"
	[ -z "$hyb_otf2" ] || [ -z "$hyb_python" ] ||
		"$hyb_python" "$hyb_source/test/lib/otf2-shapes.py" "$experiment/traces.otf2" | LC_ALL=C sort |
		diff "$traced/shapes" -
}

# The summary has as many of each kind of operation as there are lines of it.
check_summary()
{
	awk '
		$2 == "enter" || $2 == "leave" { n[$2]++ }
		$2 == "rma" { n[$3 == "done" ? "rma-done" : $3 ~ /^(put|get|accumulate|get-accumulate|fetch-and-op|compare-and-swap)$/ ? "rma" : "rma-sync"]++ }
		$2 == "io" { n[$3 ~ /^(read|write)$/ ? $3 : $3 == "done" ? "io-done" : "file"]++ }
		END { for (kind in n) print kind, n[kind] }' "$traced/recorded" | LC_ALL=C sort >"$traced/kinds"
	"$hyb_print" --summary "$experiment" | awk '
		$1 == "count" && $2 ~ /^(enter|leave|rma|rma-sync|rma-done|read|write|file|io-done)$/ { n[$2] += $4 }
		END { for (kind in n) print kind, n[kind] }' | LC_ALL=C sort | diff "$traced/kinds" -
}

# The archive says of so many operations that no end of theirs was recorded.
check_unfinished()
{
	marked=$(grep -c '"unfinished"' "$experiment.otf2")
	[ "$marked" -eq "$(values unfinished)" ] && grep -q "^unfinished   $marked " "$experiment.summary" || {
		echo "marked are $marked"
		cat "$experiment.summary"
		return 1
	}
}

check_ended()
{
	for word in $(values ended); do
		rank=${word%%:*}
		how=$(printf '%s' "${word#*:}" | tr + ' ')
		got=$(manifest "$experiment" "$rank" ended)
		if [ "$got" != "$how" ]; then
			echo "rank $rank ended: $got, not: $how"
			return 1
		fi
	done
}

check_trace()
{
	count=$(experiments "$traced/cwd" | wc -l)
	wanted=$(values experiments)
	[ "$count" -eq "${wanted:-1}" ] || {
		not_ok "$title: one experiment" "$traced/said" "$traced/mpirun.stderr"
		return
	}
	[ "$count" -eq 1 ] || return 0
	experiment=$(experiments "$traced/cwd")
	wants events=no || check "$title: every call is recorded, once" check_events
	if wants files || wants windows; then
		check "$title: the summary counts it" check_summary
	fi
	wants counts && check "$title: what was not recorded was counted" counted "$traced" "$experiment"
	[ -z "$(values ended)" ] || check "$title: the manifest says how it ended" check_ended
	if [ -z "$hyb_otf2" ]; then
		skip "$title: merged" 'built without OTF2'
	elif wants alike && [ -z "${TEST_ALL-}" ] && [ "$mpi" != "${row_mpis%% *}" ]; then
		# the same was recorded with the first MPI, and has been merged
		:
	else
		check "$title: merged, and read by others" merged "$experiment" $(values otf2)
		if wants files && [ -n "$hyb_python" ]; then
			check "$title: the trace has all that was done with files" check_files
		fi
		if [ "$(values unfinished)" ]; then
			check "$title: what has no end is marked" check_unfinished
		fi
		if wants whole; then
			check "$title: all halves are found" check_whole
		fi
		if wants shapes; then
			check "$title: communicators have their shapes" check_shapes
		fi
		if wants windows && [ -n "$hyb_python" ]; then
			check "$title: the trace has all that was done with windows" check_rma
		fi
	fi
}

run_row()
{
	title="$name, $mpi"
	arguments=${program#"${program%% *}"}
	case $program in
	fortran-*)
		has_fortran "$mpi" || {
			skip "$title" "$mpi has no Fortran compiler here"
			return
		} ;;
	esac
	command=$(mpi_program "$mpi" "${program%% *}")
	plain=$work/$name.$mpi/plain
	traced=$work/$name.$mpi/traced
	variables=$(printf '%s' "$row_variables" | sed "s,@work@,$work/$name.$mpi,g")
	case $variables in
	*/spool*) mkdir -p "$work/$name.$mpi/spool" ;;
	esac
	preload=
	# shellcheck disable=SC2086 # one word an argument
	launch "$plain" "$mpi" "$ranks" "$command" $arguments
	[ "$status" -ne 77 ] || {
		skip "$title" "$mpi lacks what this is about"
		return
	}
	# launchers end with the signal or with 128 more: MPICH 4.2 crashes where MPI_Init comes after a session
	case $status in
	6 | 11 | 134 | 139)
		[ -n "$(values dies)" ] || {
			skip "$title" "this MPI crashes in it, also without the library"
			return
		} ;;
	# MPICH 4.2 does not come back from MPI_Finalize of a program in mpi_f08 that had a session before MPI_Init
	124)
		skip "$title" "this MPI does not come to its end, also without the library"
		return ;;
	esac
	preload=$hyb_preload
	# shellcheck disable=SC2086
	launch "$traced" "$mpi" "$ranks" "$command" $arguments
	check "$title: looks the same with and without" looks_same
	check "$title: says what it should" check_said
	check_trace
	[ -n "$(values dies)" ] || wants untidy || check "$title: nothing is left behind" tidy "$work/$name.$mpi"
}

table=$1
"$hyb_awk" -v mpis="$hyb_mpis" -v rows="${TEST_ROWS-}" -v all="${TEST_ALL-}" -v sanitizers="$hyb_sanitizers" -f "$hyb_source/test/lib/rows.awk" \
	"$table" >"$work/rows"
hyb_declared=$(cut -d' ' -f2 "$work/rows" | tr '\n' ' ')
exec 3<"$table"
while IFS='|' read -r name program ranks row_variables expectations <&3; do
	name=$(echo "$name" | tr -d '[:blank:]')
	row_mpis=$(sed -n "s/^$name [^ ]* //p" "$work/rows")
	[ -n "$row_mpis" ] || continue
	program=$(echo $program)
	ranks=$(echo "$ranks" | tr -d '[:blank:]')
	[ "$(echo $row_variables)" = - ] && row_variables=
	if [ -z "${TEST_ROWS-}${TEST_ALL-}" ] && [ -n "$(values less)" ]; then
		program="${program%% *} $(values less | tr + ' ')"
	fi
	for mpi in $row_mpis; do
		run_row
	done
	if wants alike && [ "$(echo $row_mpis | wc -w)" -gt 1 ]; then
		same "$name: recorded alike with every MPI" "$work/$name.openmpi/traced/recorded" \
			"$work/$name.mpich/traced/recorded"
	fi
done
finish
