#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the recording of calls asks of the system once it is under way: system calls, memory, locks. For the first
# two and libpthread's mutexes it is counted between two marks; for locks of other kinds the wrappers' code is read.
. "$(dirname "$0")/lib.sh"

calls=$(size 1000000 100000)

# between FILE: the system calls of the marking thread between its marks, each with its count
between()
{
	awk '
		/ write\(-1, "end"/ && on == $1 { exit }
		on == $1 && match($2, /^[a-z0-9_]+\(/) { n[substr($2, 1, RLENGTH - 1)]++ }
		/ write\(-1, "begin"/ { on = $1 }
		END { for (name in n) print n[name], name }' "$1" | sort -rn
}

# per_chunk FILE: how many there are for each write of a chunk
per_chunk()
{
	awk '
		{ all += $1 }
		$2 ~ /^pwrite/ { chunks += $1 }
		END { if (chunks) printf "%.2f a chunk, %d chunks", all / chunks, chunks; else print all + 0 }' "$1"
}

# locked ADAPTER: locked instructions in what its wrappers do in the common case
locked()
{
	objdump -d --no-show-raw-insn "$1" | awk '
		/^[0-9a-f]+ </ { hot = $2 ~ /^<w_MPI_(Comm_rank|Send)>:/; found += hot }
		hot && ($2 == "lock" || $2 == "xchg") && /\(/ { n++ }
		END { print found == 2 ? n + 0 : "wrappers not found" }'
}

# count VARIANT TARGET-FOR-MEMORY TARGET-FOR-SYSTEM-CALLS
count()
{
	launch "$1" "$mpi" 1 "$program" "$calls" >"$work/counts" || return
	row "$name: allocations, mutexes locked, $1" \
		"$(awk -v n=$((2 * calls)) '{ print $2 ", " $4 " in " n " calls" }' "$work/counts")" "$2"
	command -v strace >/dev/null || {
		row "$name: system calls, $1" 'strace is not there' "$2"
		return
	}
	launch "$1" "$mpi" 1 strace -f -o "$work/strace" "$program" "$calls" >"$work/counts" || return
	between "$work/strace" >"$work/between"
	row "$name: system calls, $1" "$(per_chunk "$work/between")" "$3"
	while read -r number call; do
		row "$name:   of these $call" "$number" -
	done <"$work/between"
}

# count_many VARIANT TARGET: what MPI allocates itself for so many is its own affair
count_many()
{
	command -v strace >/dev/null || return
	launch "$1" "$mpi" 1 strace -f -o "$work/strace" "$program" "$((calls / 20))" many >"$work/counts" || return
	between "$work/strace" >"$work/between"
	row "$name: system calls, $1, 200 requests a call" "$(per_chunk "$work/between")" "$2"
}

for mpi in $hyb_mpis; do
	eval "name=\$${mpi}_name"
	program=$hyb_build/bench/$mpi/steady
	count plain - -
	count ring none none
	count growing none 'a few a chunk'
	count_many plain -
	count_many ring none
	[ "$(uname -m)" != x86_64 ] || row "$name: locked instructions in the wrappers" \
		"$(locked "$hyb_build/lib/hybmon/libhybmon-$mpi.so")" none
done
