#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Records small experiments of each kind for fuzz-merge: corpus.sh FOLDER. HYB_TEST_ENV says which build. What the
# machine lacks is left out, and said.
set -u
to=$1
. "$HYB_TEST_ENV"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export HYBMON_CHUNK=16K ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0}"
programs=$to.programs
mkdir -p "$to" "$programs"

# record NAME ENVIRONMENT COMMAND...: into FOLDER/NAME, and what it spawns beside it
record()
{
	name=$1
	settings=$2
	shift 2
	mkdir "$to/$name"
	# shellcheck disable=SC2086 # words
	(cd "$to/$name" && env HYBMON_TRACE_DIR="$to/$name/x" $settings timeout 60 "$@") \
		>"$programs/$name.out" 2>&1 || echo "$name: $(tail -n 1 "$programs/$name.out")" >&2
	find "$to/$name" -mindepth 1 -maxdepth 1 -type f -exec rm {} +
	ls -d "$to/$name"/*/*/defs.hyb >/dev/null 2>&1 || {
		echo "$name: nothing was recorded" >&2
		rm -rf "${to:?}/$name"
	}
}

# use MPI PROGRAM
use()
{
	program=$hyb_build/test/$1/$2
	eval "mpirun=\$${1}_mpirun"
}

# What is spawned has the environment that mpirun was told of.
spawn_options()
{
	[ "$1" = openmpi ] && echo "-x LD_PRELOAD -x HYBMON_TRACE_DIR -x HYBMON_CHUNK"
}

preload=LD_PRELOAD=$hyb_preload
for mpi in $hyb_mpis; do
	for each in p2p:2 coll:3 rma:2 topo:4 inter:4 threads:2 polls:2 requests:2 partitioned:2; do
		use "$mpi" "${each%:*}"
		record "$mpi-${each%:*}" "TEST_THREADS=2" \
			"$mpirun" -n "${each#*:}" env "$preload" "$program"
	done
	use "$mpi" p2p
	record "$mpi-ring" "HYBMON_RING=64K" "$mpirun" -n 2 env "$preload" "$program"
	record "$mpi-counters" "HYBMON_COUNTERS=rusage::VOLUNTARY,clock::THREAD" \
		"$mpirun" -n 2 env "$preload" "$program"
	use "$mpi" calls
	record "$mpi-profile" "HYBMON_MODE=profile" "$mpirun" -n 2 env "$preload" "$program" 3000
	use "$mpi" p2p
	record "$mpi-samples" "HYBMON_SAMPLE=9970Hz HYBMON_SAMPLE_STACK=4K" "$mpirun" -n 2 env "$preload" "$program"
	use "$mpi" spawn
	record "$mpi-spawn" "$preload" "$mpirun" $(spawn_options "$mpi") -n 2 "$program" whole
	for source in self perf bpf; do
		use "$mpi" kernel
		record "$mpi-$source" "HYBMON_KERNEL=$source HYBMON_KERNEL_PROFILE=yes" \
			"$mpirun" -n 1 env "$preload" "$program" nap 5
	done
done
for each in constructs rare-constructs; do
	clang -O1 -g -w -fopenmp -D_GNU_SOURCE "$hyb_source/test/ompt/$each.c" -o "$programs/$each" -lm 2>/dev/null &&
		record "omp-$each" "OMP_NUM_THREADS=2" env "$preload" "$programs/$each"
done
# Texts, sources of regions, parameters, counters of the program's own; functions that the compiler tells of.
"$hyb_cc" -O1 -g -w -I"$hyb_source/include" "$hyb_source/test/core/values.c" -o "$programs/values" -lpthread &&
	record user-values '' env "$preload" "$programs/values" 40 1
"$hyb_cc" -O1 -g -w -DHYBMON_WEAK -D_GNU_SOURCE -I"$hyb_source/include" "$hyb_source/test/core/regions.c" \
	-o "$programs/regions" -lpthread && record user-regions "TEST_SAID=$programs" env "$preload" "$programs/regions"
"$hyb_cc" -O1 -g -w -D_GNU_SOURCE -finstrument-functions -I"$hyb_source/include" "$hyb_source/test/core/functions.c" \
	-o "$programs/functions" -lpthread && record user-functions "TEST_SAID=$programs" env "$preload" "$programs/functions"
rm -rf "$programs"
