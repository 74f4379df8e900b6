# SPDX-License-Identifier: BSD-3-Clause
# For tests of sinks besides OTF2: real recordings of all kinds of events, each handed to the test with what otf2-print
# has of it. Read after lib.sh. The test names the programs in its line `# programs:'.
# shellcheck shell=sh disable=SC2154,SC2034 # variables of env.sh and lib.sh
. "$hyb_source/test/lib/recordings.sh"

# name, ranks, program and arguments, whether halves may be missing
hyb_recordings='p2p|2|p2p|
coll|4|coll|
requests|2|requests|
inter|4|inter|
partitioned|2|partitioned all|
polls|1|polls|
pauses|2|pauses|incomplete
unended|2|unended|incomplete
topo|4|topo|
rma|3|rma|
io|2|io data|
threads|2|threads 4 50|'

# sink_has WORD: hybmon-merge was built with the library that this output needs
sink_has()
{
	case $1 in
	otf2*) ! lacks OTF2 ;;
	json) ! lacks JANSSON ;;
	perfetto) ! lacks PROTOBUF_C ;;
	esac
}

# with_otf2 EXPERIMENT SINK [OPTION...]: merges it into both, and prints what OTF2's own tool reads
with_otf2()
{
	"$hyb_merge" -f -q --to=otf2,"$2" "$1" || return 1
	print_otf2 "$1/traces.otf2" >"$1.otf2"
}

# same_by_threads EXPERIMENT SINK FILE: one worker and many make the same
same_by_threads()
{
	cp "$1/$3" "$1.first" || return 1
	for jobs in 2 8; do
		"$hyb_merge" -f -q -j "$jobs" --to="$2" "$1" && cmp "$1/$3" "$1.first" || return 1
	done
}

# each_recording COMMAND: for each program runs COMMAND TITLE EXPERIMENT [--incomplete]. With the MPIs in turn, or with the
# one that has what the program is about: what a sink makes of a recording does not depend on the MPI, and what each MPI's
# recordings hold, run.sh looks at.
each_recording()
{
	in_turn=$hyb_mpis
	while IFS='|' read -r name ranks program missing <&5; do
		preload=$hyb_preload
		variables="HYBMON_MPI_POLL=all"
		for mpi in $in_turn; do
			# shellcheck disable=SC2046,SC2086 # words
			launch_or_keep "$work/$mpi-$name" "$mpi" "$ranks" "$(mpi_program "$mpi" "${program%% *}")" \
				$(echo "$program" | sed 's/^[^ ]* *//') 5<&-
			[ "$status" -eq 77 ] || break
		done
		in_turn=$(echo "$in_turn" | awk '{ print $2, $1 }')
		if [ "$status" -eq 77 ]; then
			skip "$name, $mpi" 'this MPI lacks what it is about'
		else
			"$1" "$name, $mpi" "$(experiments "$work/$mpi-$name/cwd")" ${missing:+--incomplete}
		fi
	done 5<<-END
		$hyb_recordings
	END
}

# openmp_recording COMMAND: the same for OpenMP, if a compiler and a runtime that tells tools what it does are there
openmp_recording()
{
	if is_kept "$work/openmp"; then
		"$1" OpenMP "$(experiments "$work/openmp")"
		return
	fi
	for compiler in clang clang-19 clang-16 clang-14; do
		if "$compiler" -g -O1 -fopenmp -I"$hyb_source/include" "$hyb_source/test/ompt/constructs.c" \
			-o "$work/constructs" -lpthread 2>"$work/cc.log"; then
			mkdir -p "$work/openmp"
			(cd "$work/openmp" && OMP_NUM_THREADS=3 LD_PRELOAD=$hyb_preload ../constructs >/dev/null 2>&1)
			keep "$work/openmp" "$work/constructs"
			"$1" OpenMP "$(experiments "$work/openmp")"
			return
		fi
	done
	skip OpenMP 'no clang with its OpenMP runtime'
}

# odd_names COMMAND: the same for a program whose name and arguments are not what one would quote by hand
odd_names()
{
	mpi=$(echo "$hyb_mpis" | awk '{ print $1 }')
	[ -n "$mpi" ] || {
		skip 'odd names' 'there is no MPI'
		return
	}
	odd=$(printf 'so"l\\v\303\251r<\t&\377')
	mkdir -p "$work/odd"
	cp "$(mpi_program "$mpi" p2p)" "$work/odd/$odd"
	preload=$hyb_preload
	variables=
	launch "$work/odd" "$mpi" 2 "$work/odd/$odd" 'a"b' 'line
break'
	"$1" 'odd names' "$(experiments "$work/odd/cwd")"
}

# kernel_recordings COMMAND: the same for streams of the kernel, made by test/collector/streams.py, which hands each to a
# merge of its own
kernel_recordings()
{
	cat >"$work/merge" <<-END
		#!/bin/sh
		for experiment; do :; done
		$hyb_merge "\$@" || exit
		[ -e "\$experiment/traces.otf2" ] && echo "\$experiment" >>"$work/made"
	END
	chmod +x "$work/merge"
	"$hyb_python" "$hyb_source/test/collector/streams.py" "$work/merge" "$hyb_source/test/lib/otf2-check.py" "$work/kernel" \
		>"$work/kernel.results" 2>&1
	[ -s "$work/made" ] || not_ok 'streams of the kernel' "$work/kernel.results"
	while read -r experiment <&5; do
		"$1" "kernel, ${experiment##*/}" "$experiment" --incomplete
	done 5<"$work/made"
}
