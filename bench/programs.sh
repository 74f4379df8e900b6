#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How much longer programs with GCC's OpenMP take: cp2k (two molecules of water, three steps) and Quantum ESPRESSO's pw.x
# (one), both with OpenBLAS: on one rank with one, two and four threads, and on two ranks with one, bound to CPUs and not;
# in turn without and with the library. What they find is to be the same.
. "$(dirname "$0")/lib.sh"

cp2k_input()
{
	cat <<-END
		&GLOBAL
		 PROJECT water
		 RUN_TYPE MD
		 PRINT_LEVEL LOW
		&END GLOBAL
		&FORCE_EVAL
		 METHOD QS
		 &DFT
		  BASIS_SET_FILE_NAME /usr/share/cp2k/GTH_BASIS_SETS
		  POTENTIAL_FILE_NAME /usr/share/cp2k/GTH_POTENTIALS
		  &MGRID
		   CUTOFF 200
		  &END MGRID
		  &SCF
		   EPS_SCF 1e-5
		   &OT
		   &END OT
		  &END SCF
		  &XC
		   &XC_FUNCTIONAL PADE
		   &END XC_FUNCTIONAL
		  &END XC
		 &END DFT
		 &SUBSYS
		  &CELL
		   ABC 6 6 6
		  &END CELL
		  &COORD
		O 0.0 0.0 0.0
		H 0.757 0.586 0.0
		H -0.757 0.586 0.0
		O 3.0 3.0 3.0
		H 3.757 3.586 3.0
		H 2.243 3.586 3.0
		  &END COORD
		  &KIND H
		   BASIS_SET DZVP-GTH
		   POTENTIAL GTH-PADE-q1
		  &END KIND
		  &KIND O
		   BASIS_SET DZVP-GTH
		   POTENTIAL GTH-PADE-q6
		  &END KIND
		 &END SUBSYS
		&END FORCE_EVAL
		&MOTION
		 &MD
		  STEPS $(size 3 1)
		  TIMESTEP 0.5
		  TEMPERATURE 300
		 &END MD
		&END MOTION
	END
}

pw_input()
{
	cat <<-END
		&control
		 calculation = 'scf', prefix = 'water', pseudo_dir = './', outdir = './out'
		/
		&system
		 ibrav = 1, A = $(size 9.0 5.0), nat = 3, ntyp = 2, ecutwfc = 25
		/
		&electrons
		 conv_thr = 1e-6
		/
		ATOMIC_SPECIES
		O 16 O.UPF
		H 1 H.UPF
		ATOMIC_POSITIONS angstrom
		O 0 0 0
		H 0.757 0.586 0
		H -0.757 0.586 0
		K_POINTS gamma
	END
}

# compare NAME RANKS THREADS BOUND FOUND COMMAND...: FOUND: a pattern of the lines whose last number is what was found; in
# what order threads add it up changes its last digits
compare()
{
	what="$1, $2 x $3 threads$([ "$4" = true ] && echo ', bound')"
	results=$work/$1.$2.$3.$4
	ranks=$2
	found=$5
	export OMP_NUM_THREADS="$3" OMP_PROC_BIND="$4"
	shift 5
	for round in $(rounds 9); do
		for variant in $(turn "$round" plain growing); do
			launch "$variant" openmpi "$ranks" "$@" >"$work/stdout" || continue
			echo "$round $variant $launch_begin $launch_end" |
				awk '{ printf "%s %s %.6f\n", $1, $2, ($4 - $3) * 1e-9 }' >>"$results"
			grep "$found" "$work/stdout" | sed 's/ *Ry$//' | awk '{ printf "%.6f\n", $NF }' >"$results.$variant"
		done
	done
	unset OMP_NUM_THREADS OMP_PROC_BIND
	row "$what: takes longer by" "$(added relative <"$results" | spread %)" 'at most 2 %'
	row "$what: fastest run of each" "$(fastest <"$results")" -
	cmp -s "$results.plain" "$results.growing" && [ -s "$results.plain" ] ||
		row "$what: what it finds" 'is not the same' same
}

# each NAME FOUND COMMAND...: on all numbers of ranks and threads
each()
{
	command -v "$3" >/dev/null || {
		row "$1" "$3 is not there" 'at most 2 %'
		return
	}
	name=$1
	pattern=$2
	shift 2
	for bound in false true; do
		for threads in 1 2 4; do
			compare "$name" 1 "$threads" "$bound" "$pattern" "$@"
		done
		compare "$name" 2 1 "$bound" "$pattern" "$@"
	done
}

examples=/usr/share/doc/quantum-espresso/examples/CPV/EXX-wf-example
cp2k_input >water.inp
pw_input >water.in
for atom in H O; do
	gunzip -c "$examples/${atom}_HSCV_PBE-1.0.UPF.gz" >$atom.UPF 2>/dev/null
done
each cp2k 'Total energy:' cp2k.psmp -i water.inp
if [ -s O.UPF ]; then
	each pw.x '^!' pw.x -in water.in
else
	row 'pw.x' 'its pseudopotentials are not there' 'at most 2 %'
fi
