#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What it costs a program that the kernel's events are recorded, by source and group; what the collector takes, what is
# lost, and what it costs others on the machine. Beside it, where they are there, perf record and perf trace on the same
# events, with rings of the same size.
. "$(dirname "$0")/lib.sh"

how_none=$how_growing
how_self="$how_growing HYBMON_KERNEL=self"
how_perf="$how_growing HYBMON_KERNEL=perf"
how_bpf="$how_growing HYBMON_KERNEL=bpf"
how_syscall="$how_growing HYBMON_KERNEL=perf HYBMON_KERNEL_EVENTS=syscall"
how_all="$how_growing HYBMON_KERNEL=perf HYBMON_KERNEL_EVENTS=all,-callchain"
# Debian's perf is a script, before Debian 12, that wants the version of the kernel that runs: any will do.
find_perf()
{
	for found in "$(command -v perf)" /usr/bin/perf_*; do
		if [ -n "$found" ] && "$found" --version >/dev/null 2>&1; then
			echo "$found"
			return
		fi
	done
}
perf=$(find_perf)
# perf mounts tracefs where that is not mounted, and leaves it so: it gets mounts of its own.
apart='unshare -m'
recorded="$apart $perf record -a -m 2M -c 1 -k monotonic_raw -o $work/perf.data"
default=sched:sched_switch,sched:sched_waking,sched:sched_migrate_task,signal:signal_generate,signal:signal_deliver
default=$default,page-faults,minor-faults,major-faults
how_record="$recorded -e $default -- env $how_growing"
how_record_syscall="$recorded -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -- env $how_growing"
how_trace="$apart $perf trace -a -m 2M -o $work/perf.text -- env $how_growing"
program=$hyb_build/bench/$mpi1/kernel

# The collector ends after the job: it may take its time to write out what it has.
wait_for_end()
{
	for _ in $(seq 300); do
		grep -qs '^state: ended' "$work"/trace/*.kernel/manifest && return
		sleep 0.1
	done
}

is_collected()
{
	case $1 in plain | none | record* | trace) return 1 ;; esac
}

# once VARIANT RANKS WHAT N: prints the figure; what the collector says goes into $work/said
once()
{
	once_dir=
	! is_collected "$1" || once_dir=$work/trace
	# shellcheck disable=SC2086 # none or one
	launch "$1" "$mpi1" "$2" "$program" "$3" "$4" $once_dir || return
	[ -z "$once_dir" ] || {
		wait_for_end
		sed -n "s/^lost: */$1 $3 lost /p; s/^cpu-seconds: /$1 $3 cpu /p" "$work"/trace/*.kernel/manifest >>"$work/said"
	}
	# of perf's only what is lost
	sed -n "s/.*[Ll]ost \([0-9]*\) .*/$1 $3 lost \1/p" "$work/errors" >>"$work/said"
}

# measure ROUNDS RANKS WHAT N TARGET VARIANT...: nanoseconds; what each variant adds to none is by rounds
measure()
{
	most=$1 ranks=$2 what=$3 n=$4 unit=ns target=$5
	shift 5
	for round in $(rounds "$most"); do
		for variant in $(turn "$round" "$@"); do
			once "$variant" "$ranks" "$what" "$n" | sed "s/^/$round $variant /"
		done
	done >"$work/figures"
	for variant; do
		row "$what, $variant" "$(sed -n "s/^[0-9]* $variant //p" "$work/figures" | spread "$unit")" -
		case $variant in plain | none) continue ;; esac
		row '  more than none' "$(awk -v v="$variant" '
			$2 == "none" { none[$1] = $3 }
			$2 == v { with[$1] = $3 }
			END { for (i in with) if (i in none) print 100 * (with[i] - none[i]) / none[i] }' "$work/figures" |
			spread '%')" "$target"
		row "  lost, at most; the collector's CPU" "$(awk -v v="$variant" -v w="$what" '
			$1 == v && $2 == w && $3 == "lost" && $4 > lost { lost = $4 }
			$1 == v && $2 == w && $3 == "cpu" && $4 + $6 > cpu { cpu = $4 + $6 }
			END { printf "%d, %s", lost, cpu ? sprintf("%.3f s", cpu) : "-" }' "$work/said")" 'nothing'
	done
}

# has SOURCE: it can be had here
has()
{
	once "$1" 1 syscall 1 >/dev/null 2>&1
	grep -q "^kernel: $1" "$work"/trace/*.kernel/manifest 2>/dev/null
}

: >"$work/said"
sources=
for source in self perf bpf; do
	"$hyb_build/lib/hybmon/hybmon-collect" --try --source="$source" 2>/dev/null | grep -q "^source: $source" || continue
	! has "$source" || sources="$sources $source"
done
rm -f "$work/failed"
: >"$work/said"
others=
record=
trace=
if [ -n "$perf" ] && $apart true 2>/dev/null; then
	others=record
	record=record_syscall
	trace=trace
fi
many=$(size 300000 3000)
# shellcheck disable=SC2086 # words
{
	measure 5 2 work "$(size 5000 50)" 'at most 2 %' plain none $sources $others
	measure 3 1 switch "$((many / 10))" - none $sources $others
	measure 3 1 fault "$((many / 10))" - none $sources $others
}
case $sources in *perf*) ;; *) exit 0 ;; esac
case $sources in *bpf*) how_bpf="$how_bpf HYBMON_KERNEL_EVENTS=syscall" bpf=bpf ;; *) bpf= ;; esac
# shellcheck disable=SC2086
measure 3 1 syscall "$many" - none perf syscall $bpf all $record
# perf trace takes its time
# shellcheck disable=SC2086
[ -z "$trace" ] || measure 2 1 syscall "$((many / 10))" - none $trace

# More events a second than a program will make: one CPU does nothing but system calls, of two events each.
flood=$(size 4000000 50000)
for variant in syscall $bpf; do
	: >"$work/said"
	for round in $(rounds 3); do
		once "$variant" 1 syscall "$flood" | awk '{ print 2e3 / $1 }'
	done >"$work/figures"
	row "flood, $variant" "$(spread 'million events a second' %.2f <"$work/figures")" 'more than 1'
	row '  lost of each run; the collector'\''s CPU' "$(awk -v n="$flood" '
		$3 == "lost" { lost = lost (lost ? " / " : "") $4 }
		$3 == "cpu" && $4 + $6 > cpu { cpu = $4 + $6 }
		END { printf "%s; %.3f s", lost, cpu }' "$work/said")" 'nothing'
done

# What system calls cost a process that is none of the job's.
stranger()
{
	env LD_PRELOAD= "$program" syscall "$many"
}
for round in $(rounds 3); do
	stranger | sed 's/^/nobody /'
	for variant in syscall $bpf; do
		rm -rf "$work/trace"
		launch "$variant" "$mpi1" 1 "$program" nap "$(size 1500 300)" "$work/trace" >/dev/null &
		until grep -qs '^kernel: ' "$work"/trace/*.kernel/manifest; do
			sleep 0.1
		done
		stranger | sed "s/^/$variant /"
		wait $!
		wait_for_end
	done
done >"$work/figures"
for variant in nobody syscall $bpf; do
	row "syscall of a stranger, recorded: $variant" "$(sed -n "s/^$variant //p" "$work/figures" | spread ns)" -
done
