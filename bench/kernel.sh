#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What it costs a program that the kernel's events are recorded, by source and group; what the collector takes, and what
# is lost. Beside it, where they are there, perf trace and perf record on the same events.
. "$(dirname "$0")/lib.sh"

how_none=$how_growing
how_self="$how_growing HYBMON_KERNEL=self"
how_perf="$how_growing HYBMON_KERNEL=perf"
how_syscall="$how_growing HYBMON_KERNEL=perf HYBMON_KERNEL_EVENTS=syscall"
how_all="$how_growing HYBMON_KERNEL=perf HYBMON_KERNEL_EVENTS=all,-callchain"
program=$hyb_build/bench/$mpi1/kernel

# The collector ends after the job: it may take its time to write out what it has.
wait_for_end()
{
	for _ in $(seq 300); do
		grep -qs '^state: ended' "$work"/trace/*.kernel/manifest && return
		sleep 0.1
	done
}

# once VARIANT RANKS WHAT N: prints the figure; what the collector says goes into $work/said
once()
{
	once_dir=
	case $1 in plain|none) ;; *) once_dir=$work/trace ;; esac
	# shellcheck disable=SC2086 # none or one
	launch "$1" "$mpi1" "$2" "$program" "$3" "$4" $once_dir || return
	[ -z "$once_dir" ] || {
		wait_for_end
		sed -n "s/^lost: */$1 $3 lost /p; s/^cpu-seconds: /$1 $3 cpu /p" "$work"/trace/*.kernel/manifest >>"$work/said"
	}
}

# measure RANKS WHAT N UNIT TARGET VARIANT...
measure()
{
	ranks=$1 what=$2 n=$3 unit=$4 target=$5
	shift 5
	for round in $(rounds 5); do
		for variant in $(turn "$round" "$@"); do
			once "$variant" "$ranks" "$what" "$n" | sed "s/^/$variant /"
		done
	done >"$work/figures"
	for variant; do
		row "$what, $variant" "$(sed -n "s/^$variant //p" "$work/figures" | spread "$unit")" "$target"
		row "  lost, at most; the collector's CPU" "$(awk -v v="$variant" -v w="$what" '
			$1 == v && $2 == w && $3 == "lost" && $4 > lost { lost = $4 }
			$1 == v && $2 == w && $3 == "cpu" && $4 + $6 > cpu { cpu = $4 + $6 }
			END { printf "%d, %.3f s", lost, cpu }' "$work/said")" 'nothing'
	done
}

: >"$work/said"
variants='none self'
once perf 1 syscall 1 >/dev/null
grep -q '^kernel: perf' "$work"/trace/*.kernel/manifest 2>/dev/null && variants='none self perf'
: >"$work/said"
many=$(size 300000 3000)
# shellcheck disable=SC2086 # words
{
	measure 2 work "$(size 5000 50)" 'ns' 'at most 2 % more than none' plain $variants
	measure 1 switch "$((many / 10))" 'ns' - $variants
	measure 1 fault "$((many / 10))" 'ns' - $variants
	case $variants in *perf*) measure 1 syscall "$many" 'ns' - none perf syscall all ;; esac
}
command -v perf >/dev/null || exit 0
# perf mounts tracefs where that is not mounted, and leaves it so: it gets mounts of its own.
apart='unshare -m'
$apart true 2>/dev/null || exit 0
# shellcheck disable=SC2086 # two words
for round in $(rounds 5); do
	launch plain "$mpi1" 1 $apart perf record -o "$work/perf.data" -e raw_syscalls:sys_enter,raw_syscalls:sys_exit \
		"$program" syscall "$many"
done 2>/dev/null | grep -x '[0-9.]*' >"$work/figures"
row 'syscall, perf record' "$(spread ns <"$work/figures")" -
for round in $(rounds 5); do
	launch plain "$mpi1" 1 $apart perf trace -o "$work/perf.text" "$program" syscall "$many"
done 2>/dev/null | grep -x '[0-9.]*' >"$work/figures"
row 'syscall, perf trace' "$(spread ns <"$work/figures")" -
