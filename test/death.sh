#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# death.sh N: one rank dies N times of each cause with each MPI, at moments drawn from seeds. The launcher ends as
# it does without the library, and every call that was complete when the job died is in the merged trace.
# `make check` runs it with a small N (death.test). TEST_MPIS and TEST_KINDS choose among them.
times=${1:-100}
HYB_TEST_ENV=${HYB_TEST_ENV:-$PWD/test/env.sh}
. "$HYB_TEST_ENV"
. "$hyb_source/test/lib.sh"

# How the manifest of the rank that died says it.
wanted_end()
{
	case $1 in
	kill) echo 'signal 9' ;;
	segv) echo 'signal 11' ;;
	term) echo 'signal 15' ;;
	abort) echo 'signal 6' ;;
	mpi_abort) echo 'MPI_Abort 9' ;;
	*) echo 'exit 7' ;;
	esac
}

# How the summary says it.
in_words()
{
	case $1 in
	kill | segv | term | abort) wanted_end "$1" ;;
	mpi_abort) echo 'MPI_Abort with 9' ;;
	*) echo 'status 7' ;;
	esac
}

# die FOLDER KIND SEED: 0 if all is as it should be, else says what is not
die()
{
	launch "$1" "$mpi" 2 "$program" "$2" "$3"
	both_failed "$work/$mpi.$2.plain" "$1" || return 1
	experiment=$(experiments "$1/cwd")
	[ "$(echo "$experiment" | wc -w)" -eq 1 ] || {
		echo "experiments: $experiment"
		return 1
	}
	counted "$1" "$experiment" || return 1
	got=$(manifest "$experiment" 1 ended)
	[ "$got" = "$(wanted_end "$2")" ] || {
		echo "rank 1 ended: $got"
		return 1
	}
	[ -n "$hyb_otf2" ] || return 0
	# the independent check is slow: of each kind the first one
	[ "$3" -eq 1 ] || hyb_python=
	merged "$experiment" --incomplete || return 1
	awk -v how=" $(in_words "$2")( |$)" '
		/^    [0-9]/ { inside = $0 ~ how }
		inside && /^      rank 1$/ { found = 1 }
		END { exit !found }' "$experiment.summary" || {
		cat "$experiment.summary"
		return 1
	}
	in_trace "$1" "$experiment"
}

# The merged trace has every call that was counted before the end, rank by rank.
in_trace()
{
	for rank in 0 1; do
		made=$(od -An -v -w8 -tu8 "$1/count/$rank.0" | tr -d ' ')
		there=$(grep -c "^LEAVE  *$rank " "$2.otf2")
		# one may have ended without being counted, one is closed where the rank stood
		if [ "$there" -lt "$made" ] || [ "$there" -gt $((made + 2)) ]; then
			echo "rank $rank: made $made, in the trace $there"
			return 1
		fi
	done
}

python=$hyb_python
for mpi in ${TEST_MPIS-$hyb_mpis}; do
	program=$(mpi_program "$mpi" die)
	for kind in ${TEST_KINDS-kill segv term abort exit _exit quick_exit mpi_abort}; do
		variables=
		preload=
		launch "$work/$mpi.$kind.plain" "$mpi" 2 "$program" "$kind" 1
		preload=$hyb_preload
		seed=0
		bad=0
		while [ "$seed" -lt "$times" ]; do
			seed=$((seed + 1))
			folder=$work/$mpi.$kind.$seed
			hyb_python=$python
			if die "$folder" "$kind" "$seed" >"$work/why" 2>&1; then
				rm -rf "$folder"
			else
				bad=$((bad + 1))
				{ echo "seed $seed:"; cat "$work/why"; } >>"$work/$mpi.$kind.bad"
			fi
		done
		if [ "$bad" -eq 0 ]; then
			ok "$kind, $mpi: $times times"
		else
			not_ok "$kind, $mpi: $bad of $times" "$work/$mpi.$kind.bad"
		fi
	done
done
finish
