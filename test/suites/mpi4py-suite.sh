#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs the tests of mpi4py with each MPI without and with the library: the same ones must pass, and what was recorded
# must be right. See usage below and doc/conformance.md. mpi4py is not part of hybmon.
# shellcheck disable=SC2154 # variables of env.sh
set -u

usage()
{
	cat <<'END'
usage: test/suites/mpi4py-suite.sh [options] SOURCES [MODULE...]

SOURCES is the folder of mpi4py's sources, of which only the folder test is used; the module itself is the one that
Python finds. MODULEs are names of tests (test_p2p_buf); without any all are run.

  -b DIR    the build folder of hybmon (.)
  -w DIR    where what came of it is kept (./mpi4py-suite)
  -m MPI    openmpi or mpich: the MPI that the module was built for (openmpi)
  -p PYTHON the interpreter (/usr/bin/python3)
  -P DIR    where the module is, if Python does not find it by itself
  -n LIST   how many ranks ("1 2 3")
  -t N      seconds a run may take (120)
  -r N      how often what differs is run again both ways (2)
  -k        keep all experiments, not only those with something to look at

Exit status: 0 all tests ended alike with and without hybmon and nothing was wrong with what was recorded, 1 not so,
2 wrong usage.
END
}

die()
{
	echo "mpi4py-suite: $1" >&2
	exit 2
}

build=.
work=mpi4py-suite
mpi=openmpi
python=/usr/bin/python3
module_path=
counts='1 2 3'
limit=120
repeats=2
keep=
while getopts b:w:m:p:P:n:t:r:kh option; do
	case $option in
	b) build=$OPTARG ;;
	w) work=$OPTARG ;;
	m) mpi=$OPTARG ;;
	p) python=$OPTARG ;;
	P) module_path=$(cd "$OPTARG" 2>/dev/null && pwd) || die "no folder $OPTARG" ;;
	n) counts=$OPTARG ;;
	t) limit=$OPTARG ;;
	r) repeats=$OPTARG ;;
	k) keep=yes ;;
	h) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || { usage >&2; exit 2; }
suite=$(cd "$1/test" 2>/dev/null && pwd) || die "no folder $1/test"
shift
[ -f "$build/test/env.sh" ] || die "$build is not a build folder of hybmon; name it with -b"
# shellcheck source=/dev/null
. "$build/test/env.sh"
runner=$suite/main.py	# before mpi4py 4: runtests.py
[ -f "$runner" ] || runner=$suite/runtests.py
[ -f "$runner" ] || die "$suite is not the folder of mpi4py's tests"
eval "mpirun=\${${mpi}_mpirun-}"
[ -n "$mpirun" ] || die "hybmon was not built for $mpi"
mkdir -p "$work/tmp" || exit 2
work=$(cd "$work" && pwd)

# A test is to see nothing but what is set here.
for variable in $(env | sed -n 's/^\(HYBMON_[A-Za-z0-9_]*\)=.*/\1/p'); do
	unset "$variable"
done
unset LD_PRELOAD
export LC_ALL=C TMPDIR="$work/tmp" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
[ -z "$module_path" ] || export PYTHONPATH="$module_path"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
# else Open MPI's universe is as large as the machine, and the tests find that nothing can be spawned
echo 'localhost slots=64' >"$work/hosts"
export OMPI_MCA_orte_default_hostfile="$work/hosts"

hyb_python=
for candidate in /usr/bin/python3 python3; do
	"$candidate" -c 'import otf2' 2>/dev/null && hyb_python=$candidate && break
done

# outcomes FOLDER: how each test of each rank ended, and the sums. What a test prints stands between its name and that.
outcomes()
{
	for file in "$1"/rank.*.stderr; do
		rank=${file##*/rank.}
		awk -v rank="${rank%.stderr}" '
			{ line = $0 }
			match(line, /^test[A-Za-z0-9_]* \([^)]*\)/) { name = substr(line, 1, RLENGTH) }
			match(line, /(^|\.\.\. *)(ok|ERROR|FAIL|skipped .*|expected failure)$/) && name {
				sub(/.*\.\.\. */, "", line)
				print rank, name, line
				name = ""
			}
			/^(OK|FAILED)/ || /^Ran / { sub(/ in .*/, ""); print rank, $0 }' "$file"
	done | sort
}

# run_way WAY: one run; leaves its outputs in $folder/WAY, and its result in $result
run_way()
{
	out=$folder/$1
	rm -rf "$out" "$out".traces*
	mkdir -p "$out/cwd"
	preload=
	[ "$1" = plain ] || preload=$hyb_preload
	status=0
	(cd "$out/cwd" && exec env HYBMON_TRACE_DIR="$out.traces" ${preload:+LD_PRELOAD="$preload"} \
		timeout -k 10 "$limit" "$mpirun" -n "$ranks" sh "$hyb_source/test/lib/rank.sh" "$out" \
		"$python" "$runner" -v -i "^$module(\\.py)?\$" >"$out/mpirun.out" 2>&1 </dev/null 3<&-) || status=$?
	outcomes "$out" >"$out.outcomes"
	case $status in
	0) result=pass ;;
	124 | 137) result=timeout ;;
	*) result=fail ;;
	esac
}

# What the ranks printed, without what differs each time.
printed()
{
	cat "$1"/rank.*.stdout "$1"/rank.*.stderr "$1/mpirun.out" | sed -e '/^hybmon\[/d' \
		-e 's/0x[0-9a-f]*/X/g; s/[0-9][0-9]*/N/g' | sort -u
}

alike()
{
	[ "$plain" = "$traced" ] && cmp -s "$folder/plain.outcomes" "$folder/hybmon.outcomes" || return 1
	printed "$folder/plain" >"$folder/plain.printed"
	printed "$folder/hybmon" >"$folder/hybmon.printed"
	cmp -s "$folder/plain.printed" "$folder/hybmon.printed"
}

# What is wrong with one experiment, a line each.
examine()
{
	"$hyb_build/tools/hybmon-merge" "$1" >"$1/summary" 2>"$1/errors" || {
		echo "hybmon-merge failed: $(head -n 1 "$1/errors")"
		return
	}
	[ ! -s "$1/errors" ] || echo "hybmon-merge: $(head -n 1 "$1/errors")"
	awk '
		$1 == "messages" && ($4 || $7) || $1 == "collectives" && $4 || $1 == "losses" && ($2 || $4) ||
		$1 == "ended" && $2 != "all" || $1 == "repaired" || $1 == "unfinished" ||
		/^(left out|incomplete|not known|unknown|unreadable|absent|apart|tasks) / { gsub(/ +/, " "); print }' \
		"$1/summary"
	# what is large is left to our own reader: it would take minutes
	size=$(du -sk "$1/traces" | cut -f1)
	[ "$size" -lt 65536 ] || return
	otf2-print "$1/traces.otf2" >"$1/print" 2>"$1/print.errors" || echo 'otf2-print failed'
	grep -im1 'warning\|error' "$1/print.errors"
	rm -f "$1/print"
	[ -n "$hyb_python" ] && [ "$size" -lt 8192 ] || return
	"$hyb_python" "$hyb_source/test/lib/otf2-check.py" "$1/traces.otf2" | grep '^otf2-check' | head -n 4
}

examine_all()
{
	grep -h '^hybmon\[' "$folder"/hybmon/rank.*.stderr "$folder/hybmon/mpirun.out" |
		grep -v ': note: \(recorded into \|an experiment of that name \)'
	found=0
	for directory in "$folder"/hybmon.traces*; do
		[ -d "$directory" ] || continue
		found=$((found + 1))
		# spawned processes are merged with those that spawned them
		grep -qs '^parent: ' "$directory"/*/manifest || examine "$directory"
	done
	[ "$found" -gt 0 ] || echo 'no experiment'
}

run_module()
{
	folder=$work/$mpi/$ranks/$module
	mkdir -p "$folder"
	try=0
	while :; do
		run_way plain
		plain=$result
		run_way hybmon
		traced=$result
		alike || { try=$((try + 1)) && [ "$try" -le "$repeats" ] && continue; }
		break
	done
	same=same
	alike || same=DIFFERS
	[ "$try" = 0 ] || same="$same($try)"
	examine_all >"$folder/remarks"
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$mpi" "$ranks" "$module" "$plain" "$traced" "$same" \
		"$(grep -cE ' (ok|expected failure)$' "$folder/hybmon.outcomes")" \
		"$(tr '\n' ';' <"$folder/remarks")" | tee -a "$work/results.tsv"
	[ -n "$keep" ] || [ -s "$folder/remarks" ] || rm -rf "$folder"/hybmon.traces*
}

[ $# -gt 0 ] || {
	# shellcheck disable=SC2046 # names have no blanks
	set -- $(cd "$suite" && printf '%s\n' test_*.py | sed 's/\.py$//')
}
: >>"$work/results.tsv"
before=$(wc -l <"$work/results.tsv")
for ranks in $counts; do
	for module; do
		run_module
	done
done
tail -n "+$((before + 1))" "$work/results.tsv" | awk -F'\t' '
	{ modules++; passed += $7; pass += $5 == "pass"; differ += $6 ~ /DIFFERS/; remarks += $8 != "" }
	END {
		printf "%d runs: %d pass with hybmon (%d tests of ranks), %d ended otherwise without it, %d with remarks\n",
			modules, pass, passed, differ, remarks
		exit differ || remarks
	}'
