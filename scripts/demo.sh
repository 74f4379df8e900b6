#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# From a checkout to a trace: builds hybmon in ./build, records the example solver on four ranks
# with each MPI there is, merges, and shows what came out. Installs nothing but Debian packages that
# are missing.
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
for mpi in $hyb_mpis; do
	eval "mpirun=\$${mpi}_mpirun name=\$${mpi}_name"
	if [ -z "$mpirun" ]; then
		echo "no launcher for $name was found" >&2
		continue
	fi
	solver=$top/build/examples/$mpi/solver
	experiment=solver-$mpi
	printf '\n=== %s ===\n' "$name"
	run env LD_PRELOAD="$hyb_lib" HYBMON_TRACE_DIR="$experiment" "$mpirun" -n 4 "$solver"
	run "$top/build/tools/hybmon-merge" "$experiment"
	printf '\n$ %s\n' "otf2-print $experiment/traces.otf2 | head -n 40"
	otf2-print "$experiment/traces.otf2" >"$experiment.txt"
	head -n 40 "$experiment.txt"
	printf '\n$ %s\n' "hybmon-print --summary $experiment"
	"$top/build/tools/hybmon-print" --summary "$experiment"
done
printf '\nthe experiments are in %s\n' "$demo"
