# SPDX-License-Identifier: BSD-3-Clause
# What the benchmark scripts share. Read after $HYB_TEST_ENV (by default test/env.sh of the build folder they run in).
# shellcheck shell=sh disable=SC2154 # variables of env.sh
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
work=$(mktemp -d "${TMPDIR:-/tmp}/hybmon-bench-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# build MPI NAME: compiles bench/NAME.c, prints where it is
build()
{
	eval "cc=\$${1}_cc"
	$cc -O2 -std=gnu11 "$hyb_source/bench/$2.c" -o "$work/$2-$1" >&2 && echo "$work/$2-$1"
}

# launch MPI RANKS COMMAND...: quietly, its output on stdout; $variables has those of the environment
launch()
{
	eval "mpirun=\$${1}_mpirun"
	ranks=$2
	shift 2
	# shellcheck disable=SC2086
	env HYBMON_VERBOSE=error $variables "$mpirun" -n "$ranks" "$@" 2>>"$work/errors"
}

plain='' traced="LD_PRELOAD=$hyb_preload HYBMON_TRACE_DIR=$work/trace"
off="$traced HYBMON_RECORD=off"

# spread: of the numbers on stdin, one a line: min median max
spread()
{
	sort -n | awk '{ v[NR] = $1 } END { m = int((NR + 1) / 2); print v[1], v[m], v[NR] }'
}

# seconds COMMAND...: wall time
seconds()
{
	begin=$(date +%s%N)
	"$@" >"$work/output" 2>&1 || echo "failed: $*" >&2
	end=$(date +%s%N)
	echo $(((end - begin) / 1000)) | awk '{ printf "%.6f\n", $1 / 1e6 }'
}

fresh()
{
	rm -rf "$work"/trace*
}
