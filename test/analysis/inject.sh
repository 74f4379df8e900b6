#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How often hybmon report names the right rank and the right cause: disturbances drawn by chance, COUNT of them, with
# the seed printed. inject.sh BUILD-FOLDER [COUNT [SEED]]; needs the right to see kernel events by BPF. No part of
# `make check`: on a busy machine other things are at fault as well.
build=$(cd "$1" && pwd) || exit 2
count=${2:-100}
seed=${3:-$(date +%s)}
here=$(cd "$(dirname "$0")" && pwd)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"; ${DELAYS_CGROUP:+rmdir "$DELAYS_CGROUP"}' EXIT
echo "seed $seed"
# A quarter of a CPU, where the system has the CPU controller of cgroups (version 1).
DELAYS_CGROUP=/sys/fs/cgroup/cpu/hybmon-inject-$$
if mkdir "$DELAYS_CGROUP" 2>/dev/null && echo 20000 >"$DELAYS_CGROUP/cpu.cfs_period_us" &&
	echo 5000 >"$DELAYS_CGROUP/cpu.cfs_quota_us"; then
	export DELAYS_CGROUP
else
	rmdir "$DELAYS_CGROUP" 2>/dev/null
	unset DELAYS_CGROUP
	echo 'no quotas: there is no CPU controller here'
fi
awk -v n="$count" -v seed="$seed" -v quota="${DELAYS_CGROUP:+1}" 'BEGIN {
	srand(seed)
	split("openmpi mpich", mpis)
	split("late_sender late_isend late_receiver late_irecv late_root early_root chain barrier allreduce ibarrier", ways)
	kinds = split("nap work faults preempted stopped sync interrupts" (quota ? " quota" : ""), causes)
	for (i = 0; i < n; i++) {
		way = int(rand() * 10) + 1
		print mpis[int(rand() * 2) + 1], ways[way], 2 + (way > 6), 4 + int(rand() * 12), 20 + int(rand() * 60),
			causes[int(rand() * kinds) + 1], int(rand() * 2)
	}
}' >"$work/drawn"
while read -r mpi way ranks times ms cause who; do
	rm -rf "$work/x"
	HYBMON_KERNEL=bpf HYBMON_KERNEL_EVENTS=sched,fault,syscall,irq HYBMON_TRACE_DIR="$work/x" LD_PRELOAD="$build/lib/libhybmon.so" \
		"mpirun.$mpi" -n "$ranks" "$build/test/$mpi/delays" "$way" "$times" "$ms" "$cause" "$who" \
		>"$work/out" 2>"$work/err" </dev/null
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		grep -qs '^state: ended' "$work"/x/*.kernel/manifest && break
		sleep 0.1
	done
	"$build/tools/hybmon" report --json "$work/x" >"$work/report" 2>>"$work/err"
	case $cause in
	nap) name='scheduled out (voluntary)' ;;
	work) name=none ;;
	faults) name='page fault' ;;
	preempted | quota) name='scheduled out (involuntary)' ;;
	stopped) name=stopped ;;
	interrupts) name='irq local_timer' ;;
	sync) name='scheduled out (voluntary)' ;;
	esac
	# shellcheck disable=SC2046 # two words
	if python3 "$here/report.py" cause "$work/report" $(sed -n 's/^culprit //p' "$work/out") "$name" >"$work/said" 2>&1; then
		echo "right: $mpi $way x$ranks $times x $ms ms $cause $who"
	else
		echo "WRONG: $mpi $way x$ranks $times x $ms ms $cause $who"
		sed 's/^/    /' "$work/said"
	fi
done <"$work/drawn" | tee "$work/all"
echo "right: $(grep -c '^right' "$work/all") of $count"
