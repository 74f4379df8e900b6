#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# whole.sh [TIMES]: how much longer real programs take: hpcc (N=2500, 2 ranks) and lammps (500 atoms, 2 ranks), in turn
# without and with the library; seconds as min, median, max, and the ratio of the medians.
. "${HYB_TEST_ENV:-test/env.sh}"
. "$hyb_source/bench/lib.sh"
times=${1:-5}

# The MPI a program is linked with.
mpi_of()
{
	if ldd "$1" | grep -q libmpich; then
		echo mpich
	else
		echo openmpi
	fi
}

# compare NAME COMMAND...
compare()
{
	name=$1
	shift
	mpi=$(mpi_of "$(command -v "$1")")
	: >"$work/without"
	: >"$work/with"
	for _ in $(seq "$times"); do
		variables=$plain
		seconds launch "$mpi" 2 "$@" >>"$work/without"
		variables=$traced
		fresh
		seconds launch "$mpi" 2 "$@" >>"$work/with"
	done
	echo "$(spread <"$work/without") $(spread <"$work/with")" |
		awk -v name="$name" '{ printf "%-8s without %s %s %s  with %s %s %s  %+.1f %%\n", name,
			$1, $2, $3, $4, $5, $6, 100 * ($5 / $2 - 1) }'
}

input=/usr/share/doc/hpcc/examples/_hpccinf.txt
if command -v hpcc >/dev/null && [ -e "$input" ]; then
	sed -e '6s/^[0-9]*/2500/' -e '11s/^[0-9]*/1/' "$input" >hpccinf.txt
	compare hpcc hpcc
else
	echo 'hpcc     is not installed'
fi
if command -v lmp >/dev/null; then
	cat >in.melt <<'END'
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 1000
run 20000
END
	compare lammps lmp -in in.melt -log none
else
	echo 'lammps   is not installed'
fi
