#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# compare-recordings.sh [OPTION...] BEFORE AFTER: whether the libraries of two build folders record the same. For who
# rebuilds something that must not change what is recorded. Runs the programs of AFTER's tests, the same binaries with
# both libraries, under each MPI, and those with OpenMP with each of LLVM's runtimes (HYB_LIBOMPS as in test/README.md).
# compare-recordings.py compares, for each process and thread, what hybmon-print tells and as which kinds of records it
# is written; definitions, manifests, headers of streams, files, messages, outputs and exit statuses. It runs again what
# differs, so that what differs by chance is known.
#
# Left out are programs that need their tests beside them (die, gap, handlers, kernel, victim, waits), and the
# collector.
# shellcheck disable=SC2154 # variables of env.sh

# Where things are, in the source of this script and in the build folder AFTER.
table() { find "$hyb_source/test" -name "$1.tbl"; }
program() { echo "$hyb_build/test/$1/$2"; }
programs_built() { (cd "$hyb_build" && make -s -j2 "$@" >&2); } # files as program() has them
omp_source() { echo "$hyb_source/test/ompt/$1"; }
example() { echo "$hyb_source/examples/$1"; }
here=$(cd "$(dirname "$0")" && pwd)
tables='programs rma io fortran life ends config'

usage()
{
	cat >&2 <<'TEXT'
usage: compare-recordings.sh [OPTION...] BEFORE AFTER
  --quick        some programs only
  --rows REGEX   only the rows whose whole names match
  --jobs N       so many runs at a time (2)
  --rounds N     so many runs with each library at most (5)
  --keep FOLDER  leave there what was recorded of rows that differ
Test programs that AFTER has not are built there. There is a line for each row: `same`; `same at LEVEL`, where order or
numbers differ by chance; `noisy`, where the runs with BEFORE's library have nothing in common either; `differs`, and
what differs first. Exit status: 1 if something differs, 2 if it was not compared.
TEXT
	exit 2
}

quick_rows='p2p|coll|requests|requests-unusual|polls|inter|comm|threads|brief-ring|storm-fold|errors|enter-leave'
quick_rows="$quick_rows|pcontrol|api|rma|rma-threads|io|basics-f08|requests-h|calls-mpi|windows-f08|fork|exec|chdir"
quick_rows="$quick_rows|small-threads|exit|kill|mpi_abort|wrong-value|chunk|spool|groups-p2p|session-beside-2"
quick_rows="$quick_rows|spawn-whole-2|fibers-jump|connect|omp-(constructs|tasks|rare-constructs|all|fake-all)-.*"
quick_rows="$quick_rows|gomp-tasks|hybrid.*"
rows='.*'
options=
while :; do
	case ${1-} in
	--quick) rows=$quick_rows ;;
	--rows) rows=${2-} && shift ;;
	--jobs | --rounds | --keep) options="$options $1=${2-}" && shift ;;
	-*) usage ;;
	*) break ;;
	esac
	shift
done
[ $# -eq 2 ] || usage
for build; do
	[ -r "$build/test/env.sh" ] || {
		echo "$0: $build is no build folder: there is no test/env.sh in it" >&2
		exit 2
	}
done
before=$(cd "$1" && pwd)
after=$(cd "$2" && pwd)
. "$after/test/env.sh"
. "$here/packages.sh"
hyb_allow_mpi
for variable in $(env | sed -n 's/^\(HYBMON_[A-Za-z0-9_]*\)=.*/\1/p'); do
	unset "$variable"
done
unset LD_PRELOAD
export LC_ALL=C OMPI_MCA_mpi_yield_when_idle=1
work=$(mktemp -d "${TMPDIR:-/tmp}/hybmon-compare-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
list=$work/list
mkdir "$work/bin"

# chosen NAME
chosen()
{
	printf '%s\n' "$1" | grep -Exq -- "$rows"
}

# row NAME HOW RANKS VARIABLES COMMAND...: a line for compare-recordings.py. HOW is an MPI, under whose launcher it runs
# on so many ranks, or -; or the command has the library by itself: alone.
row()
{
	chosen "$1" || return 0
	printf '%s|%s|%s|%s|' "$1" "$2" "$3" "$4"
	shift 4
	printf '%s\n' "$*"
}

# of_table FILE: its rows, with each MPI
of_table()
{
	sed '/^#/d; s/[[:blank:]]*|[[:blank:]]*/|/g; s/[[:blank:]]*$//' "$1" |
	while IFS='|' read -r name command ranks variables _; do
		[ "$variables" != - ] || variables=
		chosen "$name" || continue
		for mpi in $hyb_mpis; do
			eval "fc=\$${mpi}_fc"
			case $command,$fc in
			fortran-*,) ;;
			*) row "$name" "$mpi" "$ranks" "$variables" "$(program "$mpi" "$command")" ;;
			esac
		done
	done
}

# own ROW: as in a table
own()
{
	printf '%s\n' "$1" >"$work/own"
	of_table "$work/own"
}

# more_rows: what tests without a table run
more_rows()
{
	for way in jump switch above move inside; do
		own "fibers-$way|fibers $way|1|-"
	done
	for group in p2p coll io rma none; do
		own "groups-$group|enter-leave data|2|HYBMON_MPI=$group"
	done
	own 'busy|busy 2 5000|2|HYBMON_CHUNK=16K'
	own 'busy-ring|busy 2 20000|2|HYBMON_RING=256K'
	own 'steady-16K|steady 2000|2|HYBMON_CHUNK=16K'
	for ranks in 2 4; do
		for how in only beside again; do
			own "session-$how-$ranks|session $how|$ranks|-"
		done
		for how in whole halves several; do
			own "spawn-$how-$ranks|spawn $how|$ranks|-"
		done
	done
	for binding in h mpi f08; do
		own "spawn-ours-$binding|fortran-spawn-$binding ours|2|-"
		own "spawn-several-$binding|fortran-spawn-$binding several|2|-"
	done
	for mpi in $hyb_mpis; do
		eval "mpirun=\$${mpi}_mpirun"
		row "connect" "$mpi" - '' sh "$work/bin/connect.sh" "$mpirun" "$(program "$mpi" connect)"
	done
}

# Two jobs that find each other, which takes a server under Open MPI.
cat >"$work/bin/connect.sh" <<'SCRIPT'
mkdir ready
case $1 in
*mpich* | *hydra*) ;;
*)
	ompi-server --no-daemonize -r "$PWD/uri" >/dev/null 2>&1 &
	server=$!
	for again in 1 2 3 4 5 6 7 8 9 10; do
		[ -s uri ] || sleep 1
	done
	export OMPI_MCA_pmix_server_uri="file:$PWD/uri" ;;
esac
for side in accept connect; do
	mkdir -p $side
	(cd $side && exec "$1" -n 2 "$2" $side ../ready join) &
	eval "$side=\$!"
done
wait "$accept"
status=$?
[ $status -eq 0 ] || echo 0 >ready/published
wait "$connect" || status=1
[ -z "$server" ] || kill "$server"
rm -rf ready uri
exit $status
SCRIPT

# built OUTPUT COMPILER...: true if it compiles
built()
{
	built_output=$work/bin/$1
	shift
	"$@" -o "$built_output" 2>>"$work/cc.log"
}

# omp_of COMPILER VERSION RUNTIME: the programs of test/omp by an LLVM compiler, with its own runtime or one of
# HYB_LIBOMPS; also each in one thread, where their order is no chance
omp_of()
{
	tag=clang$2${3:+-$(echo "$3" | sed 's,/lib/*$,,; s,.*/,,')}
	env="OMP_CANCELLATION=true${3:+ LD_LIBRARY_PATH=$3}"
	for name in constructs rare-constructs tasks teams cancel ends handover; do
		row "omp-$name-$tag" - - "$env" "$work/bin/$name-$2"
		case $name in ends | handover) continue ;; esac # where threads wait for each other
		row "omp-$name-$tag-1" - - "$env OMP_THREAD_LIMIT=1" "$work/bin/$name-$2"
	done
	for name in constructs rare-constructs; do
		row "omp-all-$name-$tag" - - "$env HYBMON_OMP=all" "$work/bin/$name-$2"
		row "omp-all-$name-$tag-1" - - "$env OMP_THREAD_LIMIT=1 HYBMON_OMP=all" "$work/bin/$name-$2"
	done
	row "omp-graph-1-$tag" - - "$env" "$work/bin/graph-$2" 1 3000 18
	row "omp-graph-3-$tag" - - "$env" "$work/bin/graph-$2" 3 3000 20
	row "omp-flood-$tag" - - "$env HYBMON_RING=64K" "$work/bin/flood-$2" 20000
	row "omp-ring-$tag" - - "$env HYBMON_RING=64K HYBMON_CHUNK=16K" "$work/bin/tasks-$2"
	row "omp-none-$tag" - - "$env HYBMON_OMP=none" "$work/bin/constructs-$2"
	row "omp-named-$tag" alone - "$env OMP_TOOL_LIBRARIES=@lib@" "$work/bin/constructs-$2"
	for how in '' fatal fatal-silent; do
		row "omp-errors${how:+-}$how-$tag" - - "$env" "$work/bin/errors-$2" $how
	done
	row "omp-names-$tag" - - "$env" "$work/bin/names-$2"
	for mpi in $hyb_mpis; do
		row "hybrid-$tag" "$mpi" 2 "$env" "$work/bin/hybrid-$mpi-$2"
	done
}

# clangs: with its version each clang that builds OpenMP programs, one of each version
clangs()
{
	echo 'int main(void) { return 0; }' >"$work/try.c"
	for compiler in clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
		command -v "$compiler" >/dev/null && built try "$compiler" -fopenmp "$work/try.c" &&
			"$compiler" -dumpversion | sed "s/^\([0-9]*\).*/$compiler \1/"
	done | sort -u -k2,2
}

omp_rows()
{
	clangs | while read -r compiler version; do
		for name in constructs rare-constructs tasks teams cancel ends handover graph flood; do
			version50=
			case $name in graph | flood) version50=-fopenmp-version=50 ;; esac
			built "$name-$version" "$compiler" -g -O1 -fopenmp $version50 -I"$hyb_source/include" \
				"$(omp_source $name.c)" -lpthread
		done
		built "errors-$version" "$compiler" -g -O1 -fopenmp -fopenmp-version=51 "$(omp_source errors.c)" -ldl
		built "names-$version" "$compiler" -g0 -O1 -fopenmp "$(omp_source names.cc)"
		for mpi in $hyb_mpis; do
			eval "cc=\$${mpi}_cc"
			OMPI_CC=$compiler MPICH_CC=$compiler built "hybrid-$mpi-$version" $cc -g -O1 -fopenmp -w \
				"$(omp_source hybrid.c)"
		done
		for runtime in '' ${HYB_LIBOMPS-}; do
			omp_of "$compiler" "$version" "$runtime"
		done
	done
	for compiler in flang-new flang-new-19 flang-new-18; do
		command -v "$compiler" >/dev/null || continue
		for runtime in '' ${HYB_LIBOMPS-}; do
			for name in loops schedules; do
				built "$name-flang" "$compiler" -g -fopenmp ${runtime:+-L"$runtime"} -J "$work/bin" \
					"$(omp_source say.f90)" "$(omp_source $name.f90)" && row "omp-$name-flang" - - \
					"KMP_WARNINGS=off ${runtime:+LD_LIBRARY_PATH=$runtime}" "$work/bin/$name-flang"
			done
		done
		break
	done
}

# Programs by GCC, with libgomp: by hybmon run of either build.
gomp_rows()
{
	run='@hybmon@ run'
	for name in gomp tasks teams ends cancel; do
		built "$name-gcc" "$hyb_cc" -g -O1 -w -fopenmp -I"$hyb_source/include" "$(omp_source $name.c)" -lpthread &&
			row "gomp-$name" alone - OMP_CANCELLATION=true "$run $work/bin/$name-gcc"
	done
	for mpi in $hyb_mpis; do
		eval "cc=\$${mpi}_cc fc=\$${mpi}_fc mpirun=\$${mpi}_mpirun"
		built "hybrid-gcc-$mpi" $cc -g -O1 -fopenmp -w "$(omp_source hybrid.c)" &&
			row "gomp-hybrid-$mpi" alone - '' "$run $mpirun -n 2 $work/bin/hybrid-gcc-$mpi"
		built "solver-gcc-$mpi" $cc -g -O1 -fopenmp "$(example solver.c)" -lm &&
			row "gomp-solver-$mpi" alone - OMP_NUM_THREADS=2 \
				"$run $mpirun -n 2 $work/bin/solver-gcc-$mpi -n 40 -i 50"
		[ -z "$fc" ] || ! built "hybridf-gcc-$mpi" "$fc" -g -fopenmp -w -J "$work/bin" "$(omp_source say.f90)" \
			"$(omp_source hybrid.f90)" || row "gomp-hybridf-$mpi" alone - '' \
			"$run $mpirun -n 2 $work/bin/hybridf-gcc-$mpi"
	done
}

# Calls of OMPT by a runtime of our own, which have an order.
fake_rows()
{
	built fake-omp "$hyb_cc" -std=gnu11 -D_GNU_SOURCE -O1 -w -I"$hyb_source/src" "$(omp_source fake-omp.c)" -ldl \
		-lpthread || return 0
	for what in target older bare control moved single barriers 'deep 40'; do
		row "omp-fake-${what%% *}" - - '' "$work/bin/fake-omp" "$what"
		row "omp-fake-all-${what%% *}" - - HYBMON_OMP=all "$work/bin/fake-omp" "$what"
	done
}

{
	for name in $tables; do
		of_table "$(table "$name")"
	done
	more_rows
	omp_rows
	gomp_rows
	fake_rows
} >"$list"
[ -s "$list" ] || {
	echo "$0: there is no such row" >&2
	exit 2
}
# one call for all, since each takes make a while
# shellcheck disable=SC2046 # names of files
programs_built $(tr '| ' '\n\n' <"$list" | grep "^$(program '[^/]*' '')." | sed "s,^$hyb_build/,," | sort -u) || exit 2
# shellcheck disable=SC2086 # one word each
python3 "$here/compare-recordings.py" $options "$before" "$after" "$work" <"$list"
