#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh [--quick] [BENCHMARK...]: all benchmarks, or those named, one after the other, as one table. Run it in the build
# folder of a build without sanitizers, after `make bench-programs`, on a quiet machine; it takes some minutes and a few
# GiB in $TMPDIR and /dev/shm. BENCH_ROUNDS and BENCH_CPU set the number of rounds and the CPU for what runs on one.
# BENCH_BEFORE names another build folder: side-by-side.sh.
here=$(dirname "$0")
all='call-cost counters user requests order openmp stalls whole lammps programs finalize init size merge report view steady kernel samples'
quick=
chosen=
for argument; do
	case " $all " in
	*" $argument "*)
		chosen="$chosen $argument"
		continue
		;;
	esac
	case $argument in
	--quick) quick=--quick ;;
	-*)
		echo "usage: $0 [--quick] [BENCHMARK...]; there are: $all" >&2
		exit 2
		;;
	*)
		echo "$0: there is no benchmark $argument; there are: $all" >&2
		exit 2
		;;
	esac
done

echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(getconf _NPROCESSORS_ONLN) CPUs," \
	"$(uname -s -r -m), load $(cut -d ' ' -f 1-3 /proc/loadavg)"
if [ -n "${BENCH_BEFORE-}" ]; then
	# shellcheck disable=SC2086 # words
	sh "$here/side-by-side.sh" $quick $chosen
	status=$?
	echo "load $(cut -d ' ' -f 1-3 /proc/loadavg)"
	exit $status
fi
printf '%-64s | %-32s | %s\n' what 'min / median / max' target
status=0
for name in ${chosen:-$all}; do
	# shellcheck disable=SC2086 # empty or one word
	sh "$here/$name.sh" $quick || status=1
done
echo "load $(cut -d ' ' -f 1-3 /proc/loadavg)"
exit $status
