#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# From a checkout to an answer: builds hybmon in ./build, records examples/late.c, in which one rank is late, with each
# MPI that is there, and shows why the others waited. Installs nothing but Debian packages that are missing.
set -eu
cd "$(dirname "$0")/.."
top=$(pwd)
. scripts/packages.sh
hyb_check_place "$top"

# quietly WHAT COMMAND...: its output goes to build/demo.log and, if it fails, its end to the terminal
quietly()
{
	log=$top/build/demo.log
	printf '%s ... ' "$1" >&2
	shift
	if "$@" >"$log" 2>&1; then
		echo 'done' >&2
	else
		echo 'failed:' >&2
		tail -n 30 "$log" >&2
		echo "$0: the whole output is in $log" >&2
		exit 1
	fi
}

# has COMMAND...: one of them is there
has()
{
	for command; do
		! command -v "$command" >/dev/null || return 0
	done
	return 1
}

# Without the others the demo shows less, and says so in the end.
# shellcheck disable=SC2086 # one word a package
hyb_install $hyb_packages_demo ||
	{ has autoreconf && has automake && has make && has cc && has mpicc mpicc.openmpi mpicc.mpich; } || exit 1
hyb_allow_mpi

# The build folder is of this version and this checkout. One that the demo configured is configured again after packages
# were installed that it lacked; one that somebody else configured stays.
configured()
{
	[ -f Makefile ] && grep -qx "hyb_build='$top/build'" test/env.sh && grep -qx "hyb_version='$version'" test/env.sh &&
		{ [ ! -f demo.lacks ] || [ "$(cat demo.lacks)" = "$lacks" ]; }
} 2>/dev/null

configure()
{
	../configure && make clean && echo "$lacks" >demo.lacks
}

[ -x configure ] || quietly bootstrap ./bootstrap
cd build
# shellcheck disable=SC2086 # one word a package
lacks=$(hyb_lacks $hyb_packages_demo)
version=$(sed -n 's/^AC_INIT(\[hybmon\], \[\(.*\)\])$/\1/p' ../configure.ac)
configured || quietly configure configure
quietly make make -j"$(nproc)" all examples
. test/env.sh

# As many ranks and threads as there are CPUs for; two ranks at least.
cpus=$(nproc)
ranks=$((cpus < 2 ? 2 : cpus > 4 ? 4 : cpus))
threads=$((cpus / ranks > 1 ? 2 : 1))
hybmon=$top/build/tools/hybmon
mkdir -p demo
cd demo
rm -rf late-* report.* timeline.html
missing=

# try PACKAGE WHAT COMMAND...: a part of the demo that needs a library; without it the demo goes on
try()
{
	package=$1
	what=$2
	shift 2
	"$@" >>../demo.log 2>&1 || missing="$missing
$package brings ${what}: sudo apt-get install --no-remove $package"
}

record()
{
	OMP_NUM_THREADS=$threads HYBMON_FINDINGS=0 "$hybmon" run --trace-dir="late-$1" "$2" -n $ranks \
		"$top/build/examples/$1/late"
}

first=
others=
for mpi in $hyb_mpis; do
	eval "mpirun=\$${mpi}_mpirun name=\$${mpi}_name"
	[ -n "$mpirun" ] || continue
	quietly "record with $name" record "$mpi" "$mpirun"
	if [ -z "$first" ]; then
		first=$mpi first_name=$name
	else
		others="build/demo/late-$mpi, with $name"
	fi
done
if [ -z "$first" ]; then
	echo "$0: no mpirun belongs to $hyb_mpis: install openmpi-bin or mpich, and run this again" >&2
	exit 1
fi
"$hybmon" report "late-$first" >report.txt
try libotf2-trace-dev 'the OTF2 archive' "$top/build/tools/hybmon-merge" "late-$first"
try libjansson-dev 'the timeline' "$hybmon" view --export=timeline.html "late-$first"
timeline=
[ ! -s timeline.html ] || timeline=--timeline=timeline.html
# shellcheck disable=SC2086 # nothing or one word
try libjansson-dev 'the report as a page' "$hybmon" report --html=report.html $timeline "late-$first"

# answer: the lines of the report that name who is late, by what and where; its first lines, if it has other headings
answer()
{
	awk '
		/^Parallel efficiency|^The most time outside of MPI/ { line[++n] = $0 }
		/^Who kept the others waiting/ { line[++n] = ""; left = 1; rows = 0 }
		/^Where that was/ { line[++n] = ""; left = 1; rows = 0; whole = 1 }
		/^$/ { left = 0 }
		left && (/^ *[0-9.]+ s +[0-9.]+ %/ && rows++ == 1) { left = 0 }
		left { line[++n] = $0 }
		NR <= 12 { start[NR] = $0 }
		END {
			for (i = 1; whole && i <= n; i++)
				print line[i]
			for (i = 1; !whole && i <= 12; i++)
				print start[i]
		}' report.txt
}

# show WHAT FILE COMMAND: where something is, if it is there
show()
{
	[ ! -e "$2" ] || printf '%-19s %s\n' "$1" "$3"
}

printf '\n%s\n%s\n\n' "examples/late.c ran on $ranks ranks with $first_name. Its last rank gets" \
	'three times the work of the others. What hybmon reports, without being told:'
answer
echo
show 'The whole report' report.txt "build/tools/hybmon report build/demo/late-$first"
show ' as a page' report.html "file://$PWD/report.html"
show 'The timeline' timeline.html "file://$PWD/timeline.html"
show ' from a server' timeline.html "build/tools/hybmon view build/demo/late-$first"
show 'OTF2, for Vampir' "late-$first/traces.otf2" "build/demo/late-$first/traces.otf2"
[ -z "$others" ] || printf '%-19s %s\n' 'Another recording' "$others"
printf '%-19s %s\n' 'Your own program' 'build/tools/hybmon run mpirun -n 4 ./app'
[ -z "$missing" ] || printf '%s\n' "${missing#?}"
