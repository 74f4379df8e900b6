#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rank.sh FOLDER COMMAND...: becomes COMMAND, with its outputs in files of its own: launchers mix those of the ranks.
out=$1/rank.${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
shift
# Hydra serves a process only as long as it holds the outputs it was given: a copy stays open
for fd in 9 8 7 6 5 4 3; do
	if ! [ -e "/proc/self/fd/$fd" ]; then
		eval "exec $fd>&1"
		break
	fi
done
exec "$@" >"$out.stdout" 2>"$out.stderr"
