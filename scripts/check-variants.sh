#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check-variants.sh [VARIANT...]: hybmon without each thing that it can be built without, and without all of them
# (`nothing`): configures, builds and runs `make check-quick`, each in build/variant-VARIANT, and prints one line for
# each. A variant that is built already is built on. Outputs are in build/variant-VARIANT.log. The exit status is 0 only
# if all are ok.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/packages.sh
all='openmpi mpich otf2 jansson microhttpd zstd protobuf-c libdw bpf fortran pandoc nothing'
jobs=${HYB_JOBS:-$(nproc)}
failed=0

# options VARIANT: of configure. An MPI is left out by naming the other one.
options()
{
	case $1 in
	nothing) echo --without-optional ;;
	openmpi) command -v mpicc.mpich >/dev/null && echo --with-mpi=mpicc.mpich || echo --with-mpi=no ;;
	mpich) command -v mpicc.openmpi >/dev/null && echo --with-mpi=mpicc.openmpi || echo --with-mpi=no ;;
	*) echo "--without-$1" ;;
	esac
}

# build VARIANT
build()
{
	folder=build/variant-$1
	mkdir -p "$folder"
	[ -f "$folder/Makefile" ] ||
		(cd "$folder" && ../../configure --enable-werror "$(options "$1")") || return 1
	hyb_make -C "$folder" -j"$jobs" && make -C "$folder" -j"$jobs" check-quick
}

# shellcheck disable=SC2086 # one word each
[ $# -gt 0 ] || set -- $all
for variant; do
	case " $all " in
	*" $variant "*) ;;
	*)
		echo "$0: there is no variant $variant; there are: $all" >&2
		exit 2 ;;
	esac
done
mkdir -p build
[ -x configure ] || ./bootstrap >build/bootstrap.log 2>&1 || exit 1
for variant; do
	case $variant in
	nothing) printf '%-20s ' 'with nothing' ;;
	*) printf '%-20s ' "without $variant" ;;
	esac
	start=$(date +%s)
	log=build/variant-$variant.log
	if build "$variant" >"$log" 2>&1; then
		printf 'ok      %4d s\n' $(($(date +%s) - start))
	else
		printf 'FAILED  %4d s, see %s\n' $(($(date +%s) - start)) "$log"
		grep -E '^(FAIL|XPASS|ERROR): |error: |undefined reference|No rule to make' "$log" | head -n 20
		failed=1
	fi
done
exit $failed
