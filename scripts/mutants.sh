#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mutants.sh [N...]: whether tests can fail. Makes the mistakes of test/mutants/mutants.txt, one at a time, in a clone of
# the checkout's HEAD in build/mutants, and runs the test that is to see it. Without N all of them. Its exit status is 0
# only if each was seen. What the test said is in build/mutants/N.log.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/packages.sh
hyb_allow_mpi
top=$PWD place=$PWD/build/mutants
source=$place/source
mutate="python3 test/mutants/mutate.py $source"
mkdir -p "$place" && rm -f "$place"/*.log
[ -d "$source" ] || git clone -q "$top" "$source" || exit 1
git -C "$source" fetch -q origin && git -C "$source" reset -q --hard "$(git rev-parse HEAD)" || exit 1
build=$source/build

# made TARGET...: in the clone
made()
{
	hyb_make -C "$build" -j"$(nproc)" "$@"
}

{ mkdir -p "$build" && cd "$build" && { [ -x ../configure ] || (cd .. && ./bootstrap); } &&
	{ [ -f Makefile ] || ../configure --enable-werror; } && cd "$top" && made; } >"$place/make.log" 2>&1 || {
	tail -n 20 "$place/make.log" >&2
	exit 1
}

seen=0 unseen=0
tab=$(printf '\t')
$mutate list >"$place/list" || exit 1
while IFS=$tab read -r number file tests rows title <&3; do
	[ $# -eq 0 ] || case " $* " in *" $number "*) ;; *) continue ;; esac
	log=$place/$number.log
	result='NOT SEEN'
	if ! $mutate apply "$number" >"$log" 2>&1; then
		result='cannot be made'
	elif ! made >>"$log" 2>&1; then
		result='cannot be built'
	else
		[ "$rows" = - ] && rows=
		TEST_ROWS=$rows made check TESTS="$tests" >>"$log" 2>&1 || {
			result='cannot be run'
			! grep -q '^FAIL: \|^ERROR: ' "$log" || result=seen
		}
	fi
	[ "$result" = seen ] && seen=$((seen + 1)) || unseen=$((unseen + 1))
	printf '%3d  %-15s  %s: %s\n' "$number" "$result" "$file" "$title"
	# with a new time, so that it is built again
	[ ! -f "$source/$file.orig" ] || { cat "$source/$file.orig" >"$source/$file" && rm "$source/$file.orig"; }
done 3<"$place/list"
echo "$seen seen, $unseen not"
[ "$unseen" -eq 0 ]
