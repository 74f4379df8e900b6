#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs MPICH's test suite with each MPI without and with the library: the same tests must pass. See usage below and
# doc/conformance.md. The suite is not part of hybmon.
set -u

usage()
{
	cat <<'EOF'
usage: test/suites/mpich-suite.sh [options] SUITE [FOLDER...]

SUITE is the folder test/mpi of MPICH's sources, or an unpacked release of the suite alone; it is not
changed. It was built, with each MPI, in the folder MPI/build of the work folder. With FOLDERs (pt2pt, coll,
f77/io, ...) only the tests below them are run.

  -b DIR    the build folder of hybmon (.)
  -w DIR    where the suite was built and what came of it is kept (./mpich-suite)
  -m MPI    with this MPI only: openmpi or mpich
  -l LISTS  the files that list tests ("testlist testlist.dtp"; testlist.cvar, too, concerns MPICH only)
  -p N      the most ranks a test is given, whatever its list says (0: no limit)
  -t N      seconds a test may take (60)
  -r N      how often a test that passes one way and not the other is run again both ways, with three times
            the time, until both end alike (4)
  -s STEPS  of "run report" (both)
  -q        quick: without hybmon only what does not pass with it
  -c        go on: only tests that have no result yet
  -a        again: only tests that more seconds or ranks may help: that ran out of their time, or did not pass
            with fewer ranks than their list says, or ended otherwise without hybmon
  -k        keep all experiments, not only those with something to look at

Exit status: 0 all tests ended alike with and without hybmon, 1 some did not, 2 wrong usage.
EOF
}

die()
{
	echo "mpich-suite: $1" >&2
	exit 2
}

build=.
work=mpich-suite
only=
lists='testlist testlist.dtp'
limit=60
most=0
repeats=4
steps='run report'
keep=
go_on=
again=
quick=
while getopts b:w:m:l:p:t:r:s:acqkh option; do
	case $option in
	b) build=$OPTARG ;;
	w) work=$OPTARG ;;
	m) only=$OPTARG ;;
	l) lists=$OPTARG ;;
	p) most=$OPTARG ;;
	t) limit=$OPTARG ;;
	r) repeats=$OPTARG ;;
	s) steps=$OPTARG ;;
	a) again=yes ;;
	c) go_on=yes ;;
	q) quick=yes ;;
	k) keep=yes ;;
	h) usage && exit 0 ;;
	*) usage >&2 && exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || { usage >&2 && exit 2; }
suite=$(cd "$1" 2>/dev/null && pwd) || die "no folder $1"
shift
[ -f "$suite/runtests.in" ] || [ -f "$suite/util/mtest.c" ] || die "$suite is not MPICH's test suite"
[ -f "$build/test/env.sh" ] || die "$build is not a build folder of hybmon; name it with -b"
# shellcheck source=/dev/null
. "$build/test/env.sh"
mkdir -p "$work" || exit 2
work=$(cd "$work" && pwd)
tab=$(printf '\t')

# A test is to see nothing but what is set here.
for variable in $(env | sed -n 's/^\(HYBMON_[A-Za-z0-9_]*\)=.*/\1/p'); do
	unset "$variable"
done
unset LD_PRELOAD
export LC_ALL=C
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

hyb_python=
for candidate in /usr/bin/python3 python3; do
	"$candidate" -c 'import otf2' 2>/dev/null && hyb_python=$candidate && break
done

# list_folder LIST FOLDER: the tests that it and those below it list, one a line: folder, program, ranks and the rest
list_folder()
{
	for place in "$work/$mpi/build/$2/$1" "$suite/$2/$1"; do
		[ -f "$place" ] && break
	done
	[ -f "$place" ] || return 0
	sed -e 's/#.*//; s/\r$//; /^[ 	]*!/d' "$place" | while read -r program ranks rest; do
		if [ -d "$work/$mpi/build/$2/$program" ] && [ -n "$program" ]; then
			list_folder "$1" "${2:+$2/}$program"
		elif [ -n "$program" ]; then
			printf '%s\t%s\t%s\t%s\n' "${2:-.}" "$program" "${ranks:-2}" "$rest"
		fi
	done
}

# The dtp and cvar lists are named by their folders only, not by a list of folders.
list_tests()
{
	for list in $lists; do
		if [ "$list" = testlist ]; then
			list_folder testlist ''
		else
			(cd "$work/$mpi/build" && find . "$suite" -name "$list" | sed "s,^$suite/,," |
				sed 's,^\./,,; s,/*[^/]*$,,' | sort -u) | while read -r folder; do
				list_folder "$list" "$folder"
			done
		fi
	done | awk -F'\t' -v wanted="$*" '
		BEGIN { n = split(wanted, folder, " ") }
		{
			sub(/ +$/, "", $4)
			keep = !n
			for (i = 1; i <= n; i++)
				keep += $1 == folder[i] || index($1 "/", folder[i] "/") == 1
			if (keep && !seen[$0]++)
				print NR "\t" $1 "\t" $2 "\t" $3 "\t" $4
		}'
}

# words KEY: the values of all KEY=VALUE in a test's line
words()
{
	for word in $rest; do
		case $word in
		"$1"=*) printf '%s\n' "${word#*=}" ;;
		esac
	done
}

# verdict OUTPUT: as the suite's own runtests judges
verdict()
{
	if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
		echo timeout
		return
	fi
	wanted=$(words resultTest)
	grep -v '^hybmon\[' "$1" | awk -v status="$status" -v wanted="$wanted" '
		/FORTRAN STOP/ || /^[ \t]*Test Passed[ \t]*$/ { next }
		/^[ \t]*No [Ee]rrors[ \t]*$/ { good = 1; next }
		{ other = 1 }
		END {
			if (wanted == "TestStatus" || wanted == "TestErrFatal")
				good = status != 0
			else if (wanted == "TestStatusNoErrors")
				good = status != 0 && good && !other
			else
				good = status == 0 && good && !other
			print good ? "pass" : "fail"
		}'
}

# run_way WAY TRY: one run of the test, plain or with the library; the result is a line in results.tsv
run_way()
{
	out=$results/$key.$1.out
	preload=
	[ "$1" = plain ] || preload=$hyb_preload
	experiment=$results/$key.traces
	[ "$1" = plain ] || rm -rf "$experiment" "$experiment".*
	status=0
	seconds=$(words timeLimit)
	started=$(date +%s)
	# shellcheck disable=SC2046 disable=SC2086 # one word each
	(cd "$work/$mpi/build/$folder" && exec env $(words env) ${seconds:+MPIEXEC_TIMEOUT="$seconds"} \
		HYBMON_TRACE_DIR="$experiment" ${preload:+LD_PRELOAD="$preload"} \
		timeout -k 10 "$limit" "$mpirun" -n "$ranks" \
		$(words mpiexecarg) "./$program" $(words arg) >"$out" 2>&1 </dev/null 3<&-) || status=$?
	result=$(verdict "$out")
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$key" "$1" "$2" "$result" "$status" \
		$(($(date +%s) - started)) "$ranks" >>"$results/results.tsv"
	[ "$1" = plain ] || check_experiments
}

# read_back DIRECTORY: 0 where other readers take what the merge wrote, which a large one is not asked for
read_back()
{
	[ "$(du -sk "$1" | cut -f1)" -lt 65536 ] || return 0
	otf2-print "$1/traces.otf2" >"$1/print" 2>"$1/print.errors" || return 98
	! grep -qi 'warning\|error' "$1/print.errors" || return 99
	rm -f "$1/print"
	[ -n "$hyb_python" ] && [ "$(du -sk "$1/traces" | cut -f1)" -lt 2048 ] || return 0
	"$hyb_python" "$hyb_source/test/lib/otf2-check.py" --incomplete "$1/traces.otf2" >"$1/check"
}

# What the merge could not place, as one word.
remarks()
{
	awk '/^(left out|incomplete|not known|unknown|unreadable|absent|apart|tasks) / {
			match($0, /[0-9]+/)
			all = all (all ? "," : "") $1 "=" substr($0, RSTART, RLENGTH)
		}
		END { print all }' "$1/summary"
}

# Each experiment that the run left must merge and be readable by others, and the library has said nothing but where.
check_experiments()
{
	said=$(grep '^hybmon\[' "$out" | grep -cv ': note: \(recorded into \|an experiment of that name \)')
	troubled=$said
	for directory in "$experiment" "$experiment".*; do
		[ -d "$directory" ] || continue
		# spawned processes are merged with those that spawned them
		! grep -qs '^parent: ' "$directory"/*/manifest || continue
		merged=0
		"$hyb_build/tools/hybmon-merge" "$directory" >"$directory/summary" 2>"$directory/errors" || merged=$?
		readable=0
		read_back "$directory" || readable=$?
		[ "$merged" = 0 ] && [ "$readable" = 0 ] && [ ! -s "$directory/errors" ] || troubled=1
		[ -z "$(remarks "$directory")" ] || troubled=1
		awk -v key="$key" -v merged="$merged" -v readable="$readable" -v said="$said" \
			-v complained="$(wc -l <"$directory/errors")" -v result="$result" \
			-v remarks="$(remarks "$directory")" '
			BEGIN { messages = "0\t0\t0"; losses = repaired = "0\t0" }
			$1 == "messages" { messages = $2 "\t" $4 "\t" $7 }
			$1 == "collectives" { lacking = $4 }
			$1 == "losses" { losses = $2 "\t" $6 }
			$1 == "repaired" { repaired = $2 "\t" $9 }
			$1 == "ended" { not_normally = $2 }
			END {
				print key "\t" merged "\t" complained "\t" readable "\t" said "\t" messages "\t" \
					lacking + 0 "\t" losses "\t" repaired "\t" not_normally "\t" result "\t" remarks
			}' "$directory/summary" >>"$results/experiments.tsv"
	done
	[ -n "$keep" ] || [ "$troubled" != 0 ] || rm -rf "$experiment" "$experiment".*
}

last()
{
	awk -F'\t' -v key="$key" -v way="$1" '$1 == key && $2 == way { v = $4 } END { print v }' \
		"$results/results.tsv"
}

run_test()
{
	key=$number.$(printf '%s' "$folder/$program" | tr / _)
	[ -x "$work/$mpi/build/$folder/$program" ] || {
		printf '%s\tplain\t0\tnot-built\t0\t0\n' "$key" >>"$results/results.tsv"
		return
	}
	if [ -n "$quick" ]; then
		run_way hybmon 0
		[ "$(last hybmon)" != pass ] || return 0
		run_way plain 0
	elif [ $((number % 2)) = 0 ]; then
		run_way plain 0
		run_way hybmon 0
	else
		run_way hybmon 0
		run_way plain 0
	fi
	[ "$(last plain)" != "$(last hybmon)" ] || return 0
	# with more time: on a busy machine one of two runs may just have missed it
	first_limit=$limit
	limit=$((3 * limit))
	try=0
	while [ $((try += 1)) -le "$repeats" ] && [ "$(last plain)" != "$(last hybmon)" ]; do
		run_way plain "$try"
		run_way hybmon "$try"
	done
	limit=$first_limit
}

# forget FILE: drops what an earlier run wrote there of the tests that are to be run
forget()
{
	awk -F'\t' 'FILENAME == ARGV[1] { again[$1] = 1; next }
		{ split($1, key, "."); if (!(key[1] in again)) print }' "$results/todo.tsv" "$1" >"$1.kept"
	mv "$1.kept" "$1"
}

# The tests of todo.tsv that no earlier run has finished; or those that another may help.
select_tests()
{
	awk -F'\t' -v quick="$quick" -v again="$again" '
		function helps(number, traced)
		{
			traced = last[number, "hybmon"]
			return traced == "timeout" || traced == "fail" && ranks[number] < $4 ||
				traced && last[number, "plain"] && traced != last[number, "plain"]
		}
		FILENAME == ARGV[1] {
			split($1, key, ".")
			enough = $4 == "not-built" || quick && $2 == "hybmon" && $4 == "pass"
			ways[key[1]] += enough ? 2 : 1
			last[key[1], $2] = $4
			ranks[key[1]] = $7
			next
		}
		again ? helps($1) : ways[$1] < 2' "$results/results.tsv" "$results/todo.tsv" >"$results/todo.left"
	mv "$results/todo.left" "$results/todo.tsv"
}

# Quick ones first: what is stopped half-way has then run most of them.
sort_tests()
{
	awk -F'\t' '{ print ($5 ~ /xfail=|mem=|timeLimit=/) "\t" $4 "\t" $0 }' "$results/todo.tsv" |
		sort -t "$tab" -s -n -k1,1 -k2,2 | cut -f3- >"$results/todo.sorted"
	mv "$results/todo.sorted" "$results/todo.tsv"
}

# run_suite MPI [FOLDER...]
run_suite()
{
	mpi=$1
	shift
	eval "mpirun=\$${mpi}_mpirun"
	results=$work/$mpi/results
	mkdir -p "$results"
	# else Open MPI's universe is as large as the machine, and the tests find that nothing can be spawned
	echo 'localhost slots=64' >"$results/hosts"
	export OMPI_MCA_orte_default_hostfile="$results/hosts" OMPI_MCA_hwloc_base_binding_policy=none
	list_tests >"$results/tests.tsv"
	list_tests "$@" >"$results/todo.tsv"
	touch "$results/results.tsv" "$results/experiments.tsv"
	[ -z "$go_on$again" ] || select_tests
	sort_tests
	forget "$results/results.tsv"
	forget "$results/experiments.tsv"
	while IFS=$tab read -r number folder program ranks rest <&3; do
		[ "$most" -eq 0 ] || [ "$ranks" -le "$most" ] || ranks=$most
		run_test
	done 3<"$results/todo.tsv"
	echo "$mpi: done"
}

# What a run said, without what differs each time: numbers, the order of the ranks.
normalised()
{
	sed -e '/^hybmon\[/d' -e 's/0x[0-9a-f]*/X/g; s/[0-9][0-9]*/N/g' "$1" | sort -u
}

# Tests that fail without hybmon too must fail in the same words.
compare_outputs()
{
	echo
	echo 'tests that fail both ways and say something else with hybmon:'
	awk -F'\t' '$3 == 0 && $4 == "fail" { n[$1]++ } END { for (key in n) if (n[key] == 2) print key }' \
		"$results/results.tsv" | sort -n | while read -r key; do
		normalised "$results/$key.plain.out" >"$results/plain.words"
		normalised "$results/$key.hybmon.out" >"$results/hybmon.words"
		cmp -s "$results/plain.words" "$results/hybmon.words" || echo "  $results/$key.*.out"
	done
}

status=0
mpis=
for mpi in $hyb_mpis; do
	[ "${only:-$mpi}" != "$mpi" ] || mpis="$mpis $mpi"
done
for mpi in $mpis; do
	[ -f "$work/$mpi/build/config.status" ] || die "the suite was not built in $work/$mpi/build"
done
case $steps in
*run*)
	for mpi in $mpis; do
		run_suite "$mpi" "$@" &
	done
	wait ;;
esac
case $steps in
*report*)
	for mpi in $mpis; do
		results=$work/$mpi/results
		awk -v mpi="$mpi" -f "$hyb_source/test/suites/mpich-suite.awk" "$results/tests.tsv" \
			"$results/results.tsv" "$results/experiments.tsv" || status=1
		compare_outputs
	done ;;
esac
exit $status
