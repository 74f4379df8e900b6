#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# From a checkout to a trace: builds hybmon in ./build, records the example solver with each MPI there is, on four ranks,
# and on two with threads in each and what the kernel did to them, merges, and shows what came out. Installs nothing but
# Debian packages that are missing.
set -eu
cd "$(dirname "$0")/.."
top=$(pwd)
. scripts/packages.sh
# shellcheck disable=SC2086 # one word a package
hyb_install $hyb_packages_demo
hyb_allow_mpi

# run COMMAND...: shows what is done, then does it
run()
{
	printf '\n$ %s\n' "$*"
	"$@"
}

quietly()
{
	log=$top/build/demo.log
	printf '%s ... ' "$1" >&2
	shift
	if "$@" >"$log" 2>&1; then
		echo 'done' >&2
	else
		echo 'failed:' >&2
		tail -n 30 "$log" >&2
		exit 1
	fi
}

mkdir -p build
[ -x configure ] || quietly bootstrap ./bootstrap
cd build
[ -f Makefile ] || quietly configure ../configure
quietly make make -j"$(nproc)" all examples
. test/env.sh

demo=$(mktemp -d "$top/build/demo-XXXXXX")
cd "$demo"

# show EXPERIMENT PATTERN LINES: merges it, and shows its first events from where the pattern is first found
show()
{
	run "$top/build/tools/hybmon-merge" "$1"
	printf '\n$ %s\n' "otf2-print $1/traces.otf2"
	otf2-print "$1/traces.otf2" >"$1.txt"
	awk -v pattern="$2" -v lines="$3" '$0 ~ pattern { on = 1 } on && shown++ < lines' "$1.txt"
}

for mpi in $hyb_mpis; do
	eval "mpirun=\$${mpi}_mpirun name=\$${mpi}_name"
	if [ -z "$mpirun" ]; then
		echo "no launcher for $name was found" >&2
		continue
	fi
	solver=$top/build/examples/$mpi/solver
	printf '\n=== %s ===\n' "$name"
	run env LD_PRELOAD="$hyb_lib" HYBMON_TRACE_DIR="solver-$mpi" "$mpirun" -n 4 "$solver"
	show "solver-$mpi" '^ENTER' 30
	printf '\n=== %s, threads, and the kernel ===\n' "$name"
	run env OMP_NUM_THREADS=2 "$top/build/tools/hybmon" run --trace-dir="threads-$mpi" --kernel=auto \
		"$mpirun" -n 2 "$solver-threads"
	show "threads-$mpi" 'ENTER.*parallel @' 40
	printf '\n$ %s\n' "hybmon-print --summary threads-$mpi"
	"$top/build/tools/hybmon-print" --summary "threads-$mpi"
done
printf '\nthe experiments are in %s\n' "$demo"
