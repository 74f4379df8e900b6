# SPDX-License-Identifier: BSD-3-Clause
# What the benchmark scripts share. Read at their start, with their arguments: --quick is to see that they work, with
# few rounds and small sizes. They run in the build folder, or with HYB_TEST_ENV naming the test/env.sh there.
# shellcheck shell=sh disable=SC2034,SC2154 # variables of env.sh, and for the scripts that read this

HYB_TEST_ENV=${HYB_TEST_ENV:-$PWD/test/env.sh}
if [ ! -r "$HYB_TEST_ENV" ]; then
	echo "$0: there is no $HYB_TEST_ENV: start it in the build folder, or with \`make bench\`" >&2
	exit 2
fi
. "$HYB_TEST_ENV"
. "$hyb_source/scripts/packages.sh"
hyb_allow_mpi
for variable in $(env | sed -n 's/^\(HYBMON_[A-Za-z0-9_]*\)=.*/\1/p'); do
	unset "$variable"
done
unset LD_PRELOAD
export LC_ALL=C

mpi1=${hyb_mpis%% *}
mpi1=${mpi1:-${hyb_mpis##* }}
[ -n "$mpi1" ] || {
	echo "$0: no MPI was found" >&2
	exit 1
}
quick=
for argument; do
	[ "$argument" = --quick ] || {
		echo "usage: $0 [--quick]" >&2
		exit 2
	}
	quick=yes
done
cpu=${BENCH_CPU:-$(($(getconf _NPROCESSORS_ONLN) - 1))}
export BENCH_CPU="$cpu"
work=$(mktemp -d "${TMPDIR:-/tmp}/hybmon-bench-XXXXXX") || exit 1
# for what is to be in memory
memory=/dev/shm/${work##*/}
trap 'status=$?; [ ! -e "$work/failed" ] || status=1; rm -rf "$work" "$memory"; exit $status' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$memory" || exit 1
cd "$work" || exit 1

# how_VARIANT: the environment of a run without the library, and of the ways to run with it
how_plain=''
how_growing="LD_PRELOAD=$hyb_preload HYBMON_VERBOSE=warning HYBMON_TRACE_DIR=$work/trace"
how_off="$how_growing HYBMON_RECORD=off"
how_memory="$how_growing HYBMON_SPOOL=$memory"
how_ring="$how_growing HYBMON_RING=1M"
how_profile="$how_growing HYBMON_MODE=profile"
how_beneath="$how_profile HYBMON_KERNEL=bpf HYBMON_KERNEL_PROFILE=yes HYBMON_KERNEL_EVENTS=sched,fault,syscall,irq"
how_both="$how_growing HYBMON_MODE=both"
how_stack="$how_growing HYBMON_CALLSTACK=8"

# size FULL QUICK: the one that is to be used
size()
{
	if [ "$quick" ]; then
		echo "$2"
	else
		echo "$1"
	fi
}

# rounds FULL: the numbers of the rounds; BENCH_ROUNDS says how many otherwise
rounds()
{
	seq "${BENCH_ROUNDS:-$(size "$1" 2)}"
}

# turn ROUND WORD...: the words, backwards in every other round, so that no variant is always the one that comes first
turn()
{
	turn_round=$1
	shift
	turn_words=
	for turn_word; do
		if [ $((turn_round % 2)) -eq 1 ]; then
			turn_words="$turn_words $turn_word"
		else
			turn_words="$turn_word $turn_words"
		fi
	done
	echo "$turn_words"
}

# row WHAT FIGURE TARGET: a line of the table
row()
{
	printf '%-64s | %-32s | %s\n' "$1" "$2" "$3"
}

# spread UNIT [FORMAT]: min / median / max of the numbers on stdin, one a line
spread()
{
	sort -n | awk -v unit="$1" -v format="${2:-%.1f}" '
		{ x[NR] = $1 }
		END {
			if (!NR) {
				print "nothing measured"
				exit
			}
			middle = NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2
			printf format " / " format " / " format " %s\n", x[1], middle, x[NR], unit
		}'
}

# added [relative]: of lines `ROUND VARIANT FIGURE` what growing adds to plain, round by round; relative in per cent
added()
{
	awk -v relative="${1:+1}" '
		{ figure[$1, $2] = $3; if ($1 > last) last = $1 }
		END {
			for (i = 1; i <= last; i++) {
				if (!((i, "plain") in figure && (i, "growing") in figure))
					continue
				more = figure[i, "growing"] - figure[i, "plain"]
				print relative ? 100 * more / figure[i, "plain"] : more
			}
		}'
}

# fastest: the fastest run with the library over the fastest without; what others do to the machine is least in these
fastest()
{
	awk '!($2 in best) || $3 < best[$2] { best[$2] = $3 }
		END {
			if (!("plain" in best) || !("growing" in best))
				print "nothing measured"
			else
				printf "%+.1f %%\n", 100 * (best["growing"] / best["plain"] - 1)
		}'
}

# mpi_of PROGRAM: the MPI that it is linked with
mpi_of()
{
	if ldd "$(command -v "$1")" | grep -q libmpich; then
		echo mpich
	else
		echo openmpi
	fi
}

# launch VARIANT MPI RANKS COMMAND...: under that MPI's launcher, or without one where MPI is empty. What was recorded is in $work/trace until the next
# time, the nanoseconds of its begin and end in $launch_begin and $launch_end. The output comes only from a run that
# went well, with everything recorded, so that no other can get into the figures.
launch()
{
	rm -rf "$work/trace"
	launch_variant=$1
	eval "launch_how=\$how_$1 launch_mpirun=\${${2:-no}_mpirun-}"
	launch_ranks=$3
	shift 3
	launch_begin=$(date +%s%N)
	# shellcheck disable=SC2086 # one word a variable
	env $launch_how ${launch_mpirun:+"$launch_mpirun" -n "$launch_ranks"} "$@" >"$work/output" 2>"$work/errors" || {
		echo "$0: exit status $? of $* ($launch_variant)" >&2
		cat "$work/errors" >&2
		touch "$work/failed"
		return 1
	}
	launch_end=$(date +%s%N)
	case $launch_variant in
	plain | *off) ;;
	*)
		if [ -z "$(find -L "$work/trace/" -name '*-0.hyb' 2>/dev/null)" ] ||
		   grep -q '^hybmon\[.*warning' "$work/errors"; then
			echo "$0: nothing, or not all, was recorded of $* ($launch_variant)" >&2
			cat "$work/errors" >&2
			touch "$work/failed"
			return 1
		fi
		;;
	esac
	cat "$work/output"
}

# build_openmp: bench/openmp.c and the tool that does nothing in $work, by the first compiler that has LLVM's runtime, in
# $compiler; fails where there is none
build_openmp()
{
	for compiler in ${BENCH_CLANG-} clang clang-19 clang-14; do
		if command -v "$compiler" >/dev/null && "$compiler" -O2 -fopenmp -I"$hyb_source/bench" \
			"$hyb_source/bench/openmp.c" -o "$work/openmp" 2>"$work/cc.log" &&
			"$compiler" -O2 -shared -fPIC -I"$hyb_source/src" "$hyb_source/bench/openmp-null.c" \
				-o "$work/null.so" 2>"$work/cc.log"; then
			return
		fi
	done
	return 1
}

# hpcc_input: hpccinf.txt for hpcc in the folder where it runs
hpcc_input()
{
	sed "s/^2500 /$(size 2500 500) /" "$hyb_source/bench/hpccinf.txt" >hpccinf.txt
}
