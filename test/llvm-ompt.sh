#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs LLVM's tests of its OMPT under the library: what we record has the sequences of events that they describe. See
# usage below and doc/conformance.md. The tests are not part of hybmon; they are built and run in a work folder.
set -u

usage()
{
	cat <<'END'
usage: test/llvm-ompt.sh [options] SUITE [TEST...]

SUITE is the folder openmp/runtime/test/ompt of LLVM's sources; it is not changed. TESTs are paths in it
(tasks/taskwait-depend.c); without any all are run.

  -b DIR    the build folder of hybmon (.)
  -w DIR    where tests are built and what came of them is kept (./llvm-ompt)
  -c CC     the compiler (clang); for C++ that with ++
  -l DIR    a folder with the libomp.so.5 to use instead of the compiler's
  -r N      how often a test that differs is run again: which thread does what is not the same in each run (4)
  -t N      seconds a test may take (60)

Exit status: 0 all tests that could be built agree, 1 some did not, 2 wrong usage.
END
}

die()
{
	echo "llvm-ompt: $1" >&2
	exit 2
}

build=.
work=llvm-ompt
cc=clang
runtime=
repeats=4
limit=60
while getopts b:w:c:l:r:t:h option; do
	case $option in
	b) build=$OPTARG ;;
	w) work=$OPTARG ;;
	c) cc=$OPTARG ;;
	l) runtime=$OPTARG ;;
	r) repeats=$OPTARG ;;
	t) limit=$OPTARG ;;
	h) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || { usage >&2; exit 2; }
suite=$(cd "$1" 2>/dev/null && pwd) || die "there is no folder $1"
shift
[ -f "$suite/callback.h" ] || die "$suite is not LLVM's openmp/runtime/test/ompt: it has no callback.h"
[ -f "$build/lib/libhybmon.so" ] || die "$build is not hybmon's build folder; -b names it"
build=$(cd "$build" && pwd)
command -v "$cc" >/dev/null || die "there is no $cc; -c names the compiler"
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work/include" || exit 2
work=$(cd "$work" && pwd)

# In the place of the tests' own tool: what they call of it does nothing. What it does not have are tests of the
# functions that a tool can call, which is not what this is about.
cat >"$work/include/callback.h" <<'END'
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <inttypes.h>
#include <omp.h>
#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "ompt-signal.h"
static inline ompt_data_t *ompt_get_thread_data(void) { static ompt_data_t data; return &data; }
static inline uint64_t ompt_get_unique_id(void) { return 0; }
#undef delay
#define delay(t) usleep((t) * 10)
#define print_ids(level) ((void)0)
#define print_frame(level) ((void)0)
#define print_frame_from_outlined_fn(level) ((void)0)
#define print_fuzzy_address(id) ((void)0)
#define print_fuzzy_address_blocks(ip) ((void)0)
#define print_current_address(id) ((void)0)
#define print_possible_return_addresses(address) ((void)0)
#define print_innermost_task_frame() ((void)0)
#define get_frame_address(level) ((void *)0)
#define define_ompt_label(id) ((void)0)
#define ompt_get_label_address(id) ((void *)0)
END

# options_of FILE: what its first RUN line gives the compiler
options_of()
{
	sed -n 's,^.*RUN: *%libomp-[a-z]*compile[a-z-]*\([^|&]*\).*,\1,p' "$1" | sed 1q | grep -oE '(^| )-[A-Za-z][^ ]*' |
		tr '\n' ' '
}

# variables_of FILE: and the environment
variables_of()
{
	grep 'RUN:' "$1" | sed 's/|.*//' | grep -oE '\b[A-Z][A-Z_]*=[^ ]*' | grep -vE '^OMP_TOOL|^LD_' |
		tr -d "'\"" | sort -u |
		tr '\n' ' '
}

# try TEST: builds it; 0 agrees, 1 differs, 2 not to be had; the reason in $name.why
try()
{
	source=$suite/$1
	name=$work/$(echo "$1" | tr / -)
	case $1 in
	*.cpp) compiler=$(echo "$cc" | sed 's/clang/clang++/') ;;
	*) compiler=$cc ;;
	esac
	if grep -qE 'USE_PRIVATE_TOOL|ompt_start_tool' "$source"; then
		echo 'has a tool of its own' >"$name.why"
		return 2
	fi
	# shellcheck disable=SC2046 # one word an option
	"$compiler" -fopenmp -g -O1 -w $(options_of "$source") -I"$work/include" -I"$suite" -I"$suite/.." \
		${runtime:+-L"$runtime"} "$source" -o "$name.exe" -lm >"$name.cc" 2>&1 || {
		echo "is not built: $(grep -m1 'error:\|undefined reference' "$name.cc" | sed 's/.*error: //; s/.*: und/und/')" \
			>"$name.why"
		return 2
	}
	attempt=0
	while :; do
		record "$1"
		python3 "$here/llvm-ompt.py" "$source" "$name.events" >"$name.why" 2>&1
		outcome=$?
		attempt=$((attempt + 1))
		if [ "$outcome" -ne 1 ] || [ "$attempt" -gt "$repeats" ]; then
			return "$outcome"
		fi
	done
}

record()
{
	rm -rf "$name.trace"
	# shellcheck disable=SC2046 # one word a variable
	env $(variables_of "$source") ${runtime:+LD_LIBRARY_PATH="$runtime"} HYBMON_OMP=all HYBMON_TRACE_DIR="$name.trace" \
		LD_PRELOAD="$build/lib/libhybmon.so" timeout -k 5 "$limit" "$name.exe" >"$name.out" 2>&1 </dev/null
	"$build/tools/hybmon-print" --events --no-times "$name.trace" >"$name.events" 2>>"$name.out"
}

[ $# -gt 0 ] || {
	# shellcheck disable=SC2046 # the suite's names have no blanks
	set -- $(cd "$suite" && find . -name '*.c' -o -name '*.cpp' | sed 's,^\./,,' | sort)
}
agree=0
differ=0
other=0
for test; do
	try "$test"
	case $? in
	0) agree=$((agree + 1)); result=agrees ;;
	1) differ=$((differ + 1)); result=DIFFERS ;;
	*) other=$((other + 1)); result=- ;;
	esac
	printf '%-8s %-55s %s\n' "$result" "$test" "$(head -n 1 "$name.why")"
done | tee "$work/table"
agree=$(grep -c '^agrees ' "$work/table")
differ=$(grep -c '^DIFFERS ' "$work/table")
other=$(grep -c '^- ' "$work/table")
echo "$agree agree, $differ differ, $other say nothing that could be compared"
[ "$differ" -eq 0 ]
