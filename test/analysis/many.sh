#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What hybmon replay promises, counted; no part of `make check`:
# - A replay is the same run. Each mode of order.c and threads.c, and their siblings in Fortran, is recorded once under
#   noise with each MPI and replayed with each under other noise, HYB_REPLAYS times in all: what it says is the same, to
#   the last bit. Beside that stands what it says of runs that are not replayed.
# - Where all ranks were killed, each comes in the replay to where its recording ends. endless.c is killed HYB_KILLS times
#   at moments drawn by chance, each from another seed.
# HYB_MODES and HYB_KINDS choose among them, HYB_JOBS says how many run at once, HYB_SEED which noise.
# programs: order endless fortran-order-h fortran-order-f08
. "$HYB_TEST_ENV"
. "$hyb_source/test/lib/lib.sh"
trap - EXIT
tool=$hyb_build/tools/hybmon
replays=${HYB_REPLAYS:-1000}
kills=${HYB_KILLS:-100}
jobs=${HYB_JOBS:-2}
seed=${HYB_SEED:-1}
kinds=${HYB_KINDS:-recv waitany waitsome waitall test testsome probe}
limit=${TEST_TIMEOUT:-120}
export HYBMON_VERBOSE=error OMP_WAIT_POLICY=passive

# program_of MODE MPI: how mode and MPI are run; fails if it cannot be built here
program_of()
{
	case $1 in
	threads-f08 | threads-mpi) command="2 $work/built/$1.$2" ;;
	threads-*) command="2 $work/built/threads.$2 ${1#threads-} 10" ;;
	fortran-*) command="4 $hyb_build/test/$2/fortran-order-${1#fortran-}" ;;
	*) command="4 $hyb_build/test/$2/order $1 20" ;;
	esac
	# shellcheck disable=SC2086 # words
	set -- $command
	[ -x "$2" ]
}

# run MPI WORDS COMMAND: by hybmon run or replay with these words; what it says into $out and $out.errors
run()
{
	eval "mpirun=\$${1}_mpirun"
	# shellcheck disable=SC2086,SC2154 # words; by eval
	timeout -k 10 "$limit" env ${hyb_sanitizer_preload:+LD_PRELOAD="$hyb_sanitizer_preload"} "$tool" $2 \
		"$mpirun" -n $3 >"$out" 2>"$out.errors" </dev/null
}

# failed WHAT: one line, why, and what is left of it
failed()
{
	echo "$1: see $2" >>"$work/failures"
	grep -h '^hybmon' "$2.errors" 2>/dev/null | head -n 5 | sed 's/^/    /' >>"$work/failures"
}

# replayed NUMBER: of $mode, recorded with $mpi, under $other
replayed()
{
	out=$folder/$other.$1
	detail=$([ $(($1 % 2)) -eq 0 ] && echo none || echo mpi)
	run "$other" "replay --detail=$detail $folder/recording --noise=$((seed * 1000 + $1)) --trace-dir=$out.trace" "$command" &&
		cmp -s "$folder/recorded" "$out" && rm -rf "$out.trace" "$out" "$out.errors" && return
	failed "$mode, recorded with $mpi, replay $1 with $other" "$out"
	return 1
}

# What a mode does follows from clocks, too.
wants_times()
{
	[ "$1" = timed ] || [ "$1" = clocks ]
}

# recorded_run: $mode with $mpi into $folder/recording
recorded_run()
{
	program_of "$mode" "$mpi"
	out=$folder/recorded
	run "$mpi" "run --order=only $(wants_times "$mode" && echo --order-time=yes) --noise=$seed \
		--trace-dir=$folder/recording" "$command" && [ -s "$out" ] && return
	failed "$mode with $mpi was not recorded" "$out"
	return 1
}

# Is it the same if nothing makes it so?
free_run()
{
	out=$folder/free
	run "$mpi" "run --noise=$((seed + 1)) --trace-dir=$out.trace" "$command" && cmp -s "$folder/recorded" "$out" &&
		free_same=$((free_same + 1))
	free=$((free + 1))
	rm -rf "$out.trace"
}

# a_mode MODE: all that $work/pairs has of it, and a line about it
a_mode()
{
	mode=$1
	all=0 same=0 free=0 free_same=0 before='' by_pair=''
	grep "^$mode " "$work/pairs" >"$work/pairs.$mode"
	while read -r _ mpi other times <&3; do
		folder=$work/$mode.$mpi
		if [ "$mpi" != "$before" ]; then
			before=$mpi
			mkdir "$folder"
			recorded_run && free_run
		fi
		program_of "$mode" "$other"
		its_same=0
		for number in $(seq "$times"); do
			[ ! -s "$folder/recorded" ] || ! replayed "$number" || its_same=$((its_same + 1))
		done
		all=$((all + times))
		same=$((same + its_same))
		by_pair="$by_pair, $mpi-$other $its_same of $times"
	done 3<"$work/pairs.$mode"
	printf '%-16s %s of %s the same (%s); not replayed: %s of %s\n' "$mode" "$same" "$all" "${by_pair#, }" "$free_same" "$free"
	echo "replays $same $all" >>"$work/counts"
	[ "$same" -ne "$all" ] || rm -rf "$work/$mode".*
}

# processes FILE: those that say there that they have begun
processes()
{
	sed -n 's/^begun \([0-9]*\)$/\1/p' "$1" 2>/dev/null
}

# until_so COMMAND: while $launcher runs; fails if that ended, or after $limit
until_so()
{
	for turn in $(seq $((limit * 10))); do
		"$@" && return
		kill -0 "$launcher" 2>/dev/null || return 1
		sleep 0.1
	done
	return 1
}

all_begun()
{
	[ "$(processes "$out" | wc -l)" -eq 4 ]
}

# What is another run says so in an error.
all_at_end()
{
	[ "$(sed -n 's/^hybmon\[\([0-9]*\)\..*here the recording ends.*/\1/p' "$out.errors" 2>/dev/null | sort -u | wc -l)" -eq 4 ]
}

kill_all()
{
	# shellcheck disable=SC2046 # one word each
	kill -KILL $(processes "$out") 2>/dev/null
	wait "$launcher"
}

# killed NUMBER: $kind is killed, and replayed up to there
killed()
{
	folder=$work/killed-$kind.$1
	mkdir "$folder"
	# what an MPI that yields does in a second the other one may need minutes for, with more ranks than there are cores
	noise="--noise=$((seed * 1000 + $1)) --noise-max=$([ $(($1 % 2)) -eq 0 ] && echo 200 || echo 1000)"
	out=$folder/recorded
	run "$mpi" "run --order=only $noise --trace-dir=$folder/recording" "4 $hyb_build/test/$mpi/endless $kind" 2>/dev/null &
	launcher=$!
	until_so all_begun && sleep "$(awk -v seed="$seed" -v n="$1" 'BEGIN { srand(seed * 1000 + n); print 0.1 + 0.9 * rand() }')"
	kill_all 2>/dev/null
	out=$folder/replayed
	run "$other" "replay --detail=none --at-end=run $folder/recording --verbose=note --trace-dir=$folder/trace" \
		"4 $hyb_build/test/$other/endless $kind" 2>/dev/null &
	launcher=$!
	until_so all_at_end
	status=$?
	kill_all 2>/dev/null
	[ "$status" -eq 0 ] && ! grep -q 'hybmon.*: error: ' "$out.errors" && rm -rf "$folder" && return
	failed "killed in $kind, recorded with $mpi, replayed with $other (kill $1)" "$out"
	return 1
}

# a_kind KIND: each so many kills are of it, and go through pairs of MPIs
a_kind()
{
	kind=${1#killed-}
	number=0 all=0 same=0
	for a_kill in $(seq "$kills"); do
		# shellcheck disable=SC2086 # words
		set -- $kinds
		shift $(((a_kill - 1) % $#))
		[ "$1" = "$kind" ] || continue
		# shellcheck disable=SC2086 # words
		set -- $mpi_pairs
		shift $((2 * (number % ($# / 2))))
		mpi=$1 other=$2
		number=$((number + 1))
		all=$((all + 1))
		killed "$a_kill" && same=$((same + 1))
	done
	printf '%-16s %s of %s come to the end\n' "killed-$kind" "$same" "$all"
	echo "kills $same $all" >>"$work/counts"
}

# Each takes what no other has taken yet.
worker()
{
	for item in $items; do
		mkdir "$work/taken-$item" 2>/dev/null || continue
		case $item in
		killed-*) a_kind "$item" ;;
		*) a_mode "$item" ;;
		esac
	done
}

build_threads()
{
	mkdir "$work/built"
	for mpi in $hyb_mpis; do
		$(mpi_cc "$mpi") -g -O1 -fopenmp -w "$hyb_here/threads.c" -o "$work/built/threads.$mpi" 2>>"$work/cc.log"
		for flavour in mpi f08; do
			eval "fc=\$${mpi}_fc"
			mkdir "$work/built/$flavour.$mpi"
			# shellcheck disable=SC2154 # by eval
			[ -z "$fc" ] || "$fc" -cpp "-D$(echo "$flavour" | tr a-z A-Z)" -g -O1 -fopenmp -w -J "$work/built/$flavour.$mpi" \
				"$hyb_here/threads.f90" -o "$work/built/threads-$flavour.$mpi" 2>>"$work/cc.log"
		done
	done
}

build_threads
modes=${HYB_MODES-master waitany waitsome testany testsome tests many persistent nbx cancel mprobe sendrecv timed clocks nobody sends eager windows
	fortran-h fortran-f08 threads-recv threads-any threads-post threads-probe threads-improbe threads-sendrecv
	threads-persistent threads-modes threads-own threads-mpi threads-f08}
mpi_pairs=
items=
for mpi in $hyb_mpis; do
	for other in $hyb_mpis; do
		mpi_pairs="$mpi_pairs $mpi $other"
	done
done
for mode in $modes; do
	for mpi in $hyb_mpis; do
		for other in $hyb_mpis; do
			program_of "$mode" "$mpi" && program_of "$mode" "$other" && echo "$mode $mpi $other"
		done
	done >"$work/of_mode"
	cat "$work/of_mode" >>"$work/all_pairs"
	[ -s "$work/of_mode" ] && items="$items $mode" || echo "$mode: it cannot be built here"
done
[ "$replays" -gt 0 ] && [ -n "$items" ] || items=
[ "$kills" -eq 0 ] || items="$items $(printf ' killed-%s' $kinds)"
awk -v all="$replays" '
	{ line[NR] = $0 }
	END { for (i = 1; i <= NR; i++) print line[i], int(all * i / NR) - int(all * (i - 1) / NR) }' "$work/all_pairs" >"$work/pairs"
: >"$work/failures"
for job in $(seq "$jobs"); do
	worker &
done
wait
cat "$work/failures"
awk '
	{ same[$1] += $2; all[$1] += $3 }
	END {
		if (all["replays"])
			print same["replays"] " of " all["replays"] " replays are the same run"
		if (all["kills"])
			print same["kills"] " of " all["kills"] " killed runs come in a replay to where their recording ends"
		exit !(all["replays"] + all["kills"]) || same["replays"] < all["replays"] || same["kills"] < all["kills"]
	}' "$work/counts"
status=$?
[ "$status" -ne 0 ] || rm -rf "$work"
exit "$status"
