#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# keep-recordings.sh [TEST...]: makes the recordings that tests of readers judge (test/recordings/fresh) anew, with the
# checkout's HEAD: after a change of what is recorded. Without TEST it makes those of all tests, test/FOLDER/NAME.test. It
# builds in /tmp/hybmon, since recordings hold the paths of programs, and records on a host called node0.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/packages.sh
top=$PWD place=/tmp/hybmon
[ $# -gt 0 ] || set -- $(grep -l '^recordings ' test/*/*.test | while read -r test; do
	name=${test##*/}
	! grep -q "^recordings ${name%.test}\$" "$test" || echo "$test"
done)
[ "$(id -u)" -eq 0 ] || {
	echo "keep-recordings.sh: only root gets the kernel's events and may change the name of the host" >&2
	exit 1
}
if [ -e "$place" ] && ! { [ -O "$place" ] && git -C "$place" remote get-url origin 2>/dev/null | grep -qxF "$top"; }; then
	echo "keep-recordings.sh: $place is something else: remove it" >&2
	exit 1
fi
hyb_allow_mpi
[ -d "$place" ] || git clone -q "$top" "$place" || exit 1
git -C "$place" fetch -q origin && git -C "$place" reset -q --hard "$(git rev-parse HEAD)" || exit 1
mkdir -p "$place/build" "$place/fresh"
rm -f "$place"/fresh/*
(
	cd "$place/build" && { [ -x ../configure ] || (cd .. && ./bootstrap); } && { [ -f Makefile ] || ../configure; } &&
		make -j"$(nproc)"
) >"$place/make.log" 2>&1 || {
	tail -n 20 "$place/make.log" >&2
	exit 1
}
# the name of the host is in recordings, and launchers look it up
{ cat /etc/hosts && echo '127.0.0.1 node0'; } >"$place/hosts"
# shellcheck disable=SC2016 # the inner shell's
unshare --uts --mount sh -c 'hostname node0 && mount --bind "$1/hosts" /etc/hosts && cd "$1/build" && export TEST_RECORD="$1/fresh" &&
	shift && exec make check TESTS="$*"' sh "$place" "$@" | grep -E '^(FAIL|SKIP|ERROR):'
cp "$place"/fresh/*.tar.xz test/recordings/fresh/ && ls -l test/recordings/fresh
status=0
for test; do
	name=${test##*/}
	[ -f "$place/fresh/${name%.test}.tar.xz" ] || {
		echo "keep-recordings.sh: $test failed, so its recordings stay as they were: $place/build/${test%.test}.log" >&2
		status=1
	}
done
exit $status
