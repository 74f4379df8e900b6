# SPDX-License-Identifier: BSD-3-Clause
# "Nodes" on one machine, for jobs over several of them: each has its own host name, boot id, network, /dev/shm, process
# numbers and time namespace, and all see the same files. Read after lib.sh, which it uses. Needs root.
#
#	nodes_up 3 || ...	node0 to node2; fails, with the reason in $nodes_why, where the machine cannot have them
#	nodes_launch FOLDER MPI RANKS COMMAND...	as launch of lib.sh, ranks dealt out to the nodes in turn
#	nodes_down
#
# Nothing outlives nodes_down: a node is what hangs on one sleeping process, and its end takes the node's processes,
# mounts and network with it. The launcher runs beside the nodes, in a network namespace with the bridge that joins
# them, so the machine's own network is not touched.
# shellcheck shell=sh disable=SC2154 # variables of env.sh and lib.sh

nodes=0
nodes_net=10.77.0

# nodes_hold NAME OPTION...: begins namespaces that hang on a process, whose number is left in $node_pid
nodes_hold()
{
	node_name=$1
	shift
	cat >"$work/nodes/$node_name.sh" <<-'END'
		hostname "$1"
		mount --bind "$2/hosts" /etc/hosts
		mount -t tmpfs tmpfs /dev/shm
		[ ! -f "$2/$1.boot" ] || mount --bind "$2/$1.boot" /proc/sys/kernel/random/boot_id
		ip link set lo up
		: >"$2/$1.up"
		exec sleep 100000
	END
	unshare "$@" --kill-child --fork sh -e "$work/nodes/$node_name.sh" "$node_name" "$work/nodes" \
		>"$work/nodes/$node_name.log" 2>&1 </dev/null &
	node_holder=$!
	nodes_holders="$nodes_holders $node_holder"
	while [ ! -f "$work/nodes/$node_name.up" ]; do
		kill -0 "$node_holder" 2>/dev/null || {
			nodes_why="$node_name: $(tr '\n' ' ' <"$work/nodes/$node_name.log")"
			return 1
		}
		sleep 0.02
	done
	node_pid=$(cat "/proc/$node_holder/task/$node_holder/children")
	node_pid=${node_pid% }
	echo "$node_pid" >"$work/nodes/$node_name.pid"
}

# nodes_join NUMBER NAME: connects the node with the bridge
nodes_join()
{
	nsenter -t "$nodes_front" -n ip link add "v$1" type veth peer name eth0 netns "$node_pid" &&
		nsenter -t "$nodes_front" -n ip link set "v$1" master bridge up &&
		nsenter -t "$node_pid" -n ip addr add "$nodes_net.$((10 + $1))/24" dev eth0 &&
		nsenter -t "$node_pid" -n ip link set eth0 up
}

nodes_make()
{
	nodes_hold front --net --uts --mount --propagation private || return 1
	nodes_front=$node_pid
	nsenter -t "$nodes_front" -n ip link add bridge type bridge &&
		nsenter -t "$nodes_front" -n ip addr add "$nodes_net.1/24" dev bridge &&
		nsenter -t "$nodes_front" -n ip link set bridge up || return 1
	for node in $(seq 0 $((nodes - 1))); do
		cat /proc/sys/kernel/random/uuid >"$work/nodes/node$node.boot"
		# clocks as of machines that were started at different times
		nodes_hold "node$node" --net --uts --ipc --pid --mount-proc --mount --propagation private \
			--time --monotonic $((node * 1000)) --boottime $((node * 1000)) || return 1
		nodes_join "$node" || return 1
	done
}

# nodes_up COUNT
nodes_up()
{
	nodes=$1
	nodes_holders=
	nodes_why=
	rm -rf "$work/nodes"
	mkdir -p "$work/nodes"
	{
		echo 127.0.0.1 localhost
		echo "$nodes_net.1" front
		for node in $(seq 0 $((nodes - 1))); do
			echo "$nodes_net.$((10 + node))" "node$node"
		done
	} >"$work/nodes/hosts"
	# what launchers call in place of ssh: AGENT [-x] NODE COMMAND...
	cat >"$work/nodes/agent" <<-END
		#!/bin/sh
		while [ "\${1#-}" != "\$1" ]; do shift; done
		pid=\$(cat "$work/nodes/\$1.pid") || exit 255
		shift
		exec nsenter --all --root --wd="\$PWD" --target "\$pid" sh -c "\$*"
	END
	chmod 755 "$work/nodes/agent"
	if ! nodes_make 2>"$work/nodes/errors"; then
		nodes_why="${nodes_why:-$(tr '\n' ' ' <"$work/nodes/errors")}"
		nodes_down
		return 1
	fi
}

nodes_down()
{
	for holder in $nodes_holders; do
		kill -9 "$holder" 2>/dev/null
		wait "$holder" 2>/dev/null
	done
	nodes_holders=
}

# nodes_launch FOLDER MPI RANKS COMMAND...: as launch of lib.sh. The library is preloaded into the ranks only.
nodes_launch()
{
	folder=$1
	nodes_mpi=$2
	eval "mpirun=\$${2}_mpirun"
	ranks=$3
	shift 3
	mkdir -p "$folder/cwd" "$folder/expect" "$folder/count"
	list=$(seq -s, -f "node%.0f" 0 $((nodes - 1)))
	case $nodes_mpi in
	openmpi)
		options="--mca plm_rsh_agent $work/nodes/agent --host $(echo "$list" | sed 's/node[0-9]*/&:99/g')
			--map-by node --mca oob_tcp_if_include $nodes_net.0/24
			--mca btl_tcp_if_include $nodes_net.0/24" ;;
	*)
		options="-launcher ssh -launcher-exec $work/nodes/agent -hosts $list -ppn 1" ;;
	esac
	status=0
	# shellcheck disable=SC2086 # one word each
	(cd "$folder/cwd" && exec nsenter -t "$nodes_front" --net --uts --mount --root --wd="$PWD" \
		timeout -k 10 "${TEST_TIMEOUT:-120}" "$mpirun" $options -n "$ranks" \
		env TEST_EXPECT="$folder/expect" TEST_COUNT="$folder/count" $variables \
		${preload:+LD_PRELOAD="$preload"} sh "$hyb_source/test/lib/rank.sh" "$folder" "$@" \
		>"$folder/mpirun.stdout" 2>"$folder/mpirun.stderr" </dev/null 3<&-) || status=$?
	echo "exit status $status" >"$folder/status"
	cat "$folder"/*.stderr | grep '^hybmon\[' | grep -v ': note: recorded into ' >"$folder/said"
}
