#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Everything that is checked before a change goes in: a build without warnings and its tests, the
# same under AddressSanitizer and UBSan, threads under ThreadSanitizer, and the release tarball.
# Builds in ./build/test*, anew; its exit status is 0 only if all of that went well. HYB_TEST_QUICK=1 leaves all but the
# first out, installs nothing, and goes on with what it built in ./build/quick the time before. HYB_TEST_ALL=1 runs `make
# check-all` in place of `make check`.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/packages.sh
hyb_check_place "$PWD" || exit 1
quick=${HYB_TEST_QUICK:-}
check=check check_memory=check-sanitizers
[ -z "${HYB_TEST_ALL:-}" ] || check=check-all check_memory=check-all
if [ -n "$quick" ]; then
	hyb_have_tests "$PWD/build"
else
	hyb_install_tests "$PWD/build"
fi
hyb_allow_mpi
jobs=$(nproc)
# tests wait now and then, and leave a processor to another meanwhile
at_once=$((jobs * 2))
failed=0
# for builds of which one MPI shows what they are to show
mpich=
command -v mpicc.mpich >/dev/null && mpich=--with-mpi=mpicc.mpich

# reasons NAME: what failed in build/NAME, of each the first lines that its test gave as the reason
reasons()
{
	find "build/$1/test" -name '*.log' -exec awk '
		/^(FAIL|XPASS|ERROR): / { print; left = 12; next }
		/^(ok|not ok|PASS:|SKIP:|XFAIL:)/ { left = 0 }
		left > 0 { print; left-- }' {} + 2>/dev/null
}

# step NAME COMMAND...: its output goes to build/NAME.log and, if it fails, its end to the terminal
step()
{
	step_name=$1
	shift
	printf '%-24s ' "$step_name"
	step_start=$(date +%s)
	if "$@" >"build/$step_name.log" 2>&1; then
		printf 'ok      %4d s\n' $(($(date +%s) - step_start))
	else
		step_log=build/$step_name.log
		printf 'FAILED  %4d s, see %s\n' $(($(date +%s) - step_start)) "$step_log"
		{
			reasons "${step_name%-check}"
			grep -E '^(FAIL|XPASS|ERROR): |error: |undefined reference|No rule to make' "$step_log"
		} | awk '!seen[$0]++' | grep . || tail -n 40 "$step_log"
		failed=1
		return 1
	fi
}

# build NAME TARGET [CONFIGURE-OPTION...]: configure, where that is not done yet, make and make TARGET in build/NAME
build()
{
	build_name=$1
	build_target=$2
	shift 2
	mkdir -p "build/$build_name"
	{ [ -f "build/$build_name/Makefile" ] || step "$build_name-configure" \
		sh -c 'cd "$1" && shift && ../../configure "$@"' sh "build/$build_name" "$@"; } &&
	step "$build_name-make" hyb_make -C "build/$build_name" -j"$jobs" &&
	# -k: one program that cannot be built is one failure, not the end of all tests
	step "$build_name-check" make -C "build/$build_name" -k -j"$at_once" "$build_target"
}

# slowest NAME...: the 20 tests of these builds that took longest
slowest()
{
	echo 'slowest tests, with all their processes:'
	for slowest_build; do
		find "build/$slowest_build/test" -name '*.log' -exec grep -H '^# took ' {} +
	done 2>/dev/null | sed 's,^build/,,; s,/test/, ,; s,\.log:# took , ,' | sort -k3,3 -rn | head -n 20 |
		awk '{ printf "    %7.1f s  CPU %7.1f s  %s %s\n", $3, $5, $1, $2 }'
}

# repeated: how many checks made their recording again, as tests do that judge what the machine did, too; more than one in
# a hundred is a fault of the tests
repeated()
{
	find build/test*/test -name '*.log' -exec grep -h '^# repeated \|^ok \|^not ok ' {} + 2>/dev/null | awk '
		$1 == "#" { repeated += $3; next }
		{ points++ }
		END {
			printf "%d of %d checks made their recording again\n", repeated, points
			exit repeated * 100 > points
		}'
}

build_threads()
{
	mkdir -p build/test-threads
	# shellcheck disable=SC2086 # nothing or one word
	step test-threads-configure sh -c 'cd build/test-threads && ../../configure "$@"' sh \
		--enable-werror --enable-sanitizers=thread --with-otf2=no $mpich CFLAGS='-O1 -g' &&
	step test-threads-check hyb_make -C build/test-threads -j"$jobs" check-threads
}

# Without anything that is optional, which the machines of those who write this all have.
build_nothing()
{
	mkdir -p build/test-nothing
	step test-nothing-configure sh -c 'cd build/test-nothing && ../../configure "$@"' sh --enable-werror --without-optional &&
	step test-nothing-make hyb_make -C build/test-nothing -j"$jobs" &&
	step test-nothing-check make -C build/test-nothing -j"$at_once" check-quick
}

mkdir -p build
if [ -n "$quick" ]; then
	[ -x configure ] || step bootstrap ./bootstrap || exit 1
	build quick check --enable-werror
else
	# Steps from an earlier run must not be counted again.
	rm -rf build/test build/test-nothing build/test-sanitizers build/test-threads
	step bootstrap ./bootstrap || exit 1
	build test "$check" --enable-werror
	build_nothing
	# At -O1: the instrumented wrappers take twice as long to compile otherwise. With one MPI: what differs from one to the
	# other has run above, and it is the same code that has its memory looked at.
	# shellcheck disable=SC2086 # nothing or one word
	build test-sanitizers "$check_memory" --enable-werror --enable-sanitizers=address,undefined $mpich CFLAGS='-O1 -g'
	build_threads
	# only the tests that show that the tarball is whole; with the flags of the first build, for ccache
	[ ! -f build/test/Makefile ] || step distcheck hyb_make -C build/test -j"$jobs" distcheck \
		DISTCHECK_CONFIGURE_FLAGS="--enable-werror $mpich" TESTS='test/source/exports.test test/source/layers.test test/core/unit-config'
	slowest test test-nothing test-sanitizers test-threads
	repeated || failed=1
fi
exit $failed
