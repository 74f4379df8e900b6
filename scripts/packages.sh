# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2034
# Read by the other scripts: what a Debian machine needs, and how it comes there.

# build, record, merge, show
hyb_packages_demo="autoconf automake make gcc libc6-dev pkgconf pandoc
	openmpi-bin libopenmpi-dev mpich libmpich-dev libotf2-trace-dev otf2-tools libdw-dev"
# an OpenMP runtime that tells tools what it does; without it the demo is of MPI alone
hyb_packages_runtime="libomp5-14"
# what the tests use besides; each test that misses something is skipped and says so
hyb_packages_test="$hyb_packages_demo python3 python3-otf2 python3-mpi4py hpcc strace
	clang libbpf-dev binutils gfortran gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user xz-utils"
# OpenMP by LLVM: compilers that not every release of Debian has; tests go on without them
hyb_packages_openmp="clang-14 libomp-14-dev flang-19"

# hyb_install PACKAGE...: installs those that are missing; without the right to do so says how and
# returns 1
hyb_install()
{
	hyb_missing=
	for hyb_package in "$@"; do
		dpkg-query -W -f '${db:Status-Status}\n' "$hyb_package" 2>/dev/null |
			grep -qx installed || hyb_missing="$hyb_missing $hyb_package"
	done
	[ -n "$hyb_missing" ] || return 0
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "$0: these Debian packages or their like are needed:$hyb_missing" >&2
		return 1
	fi
	if [ "$(id -u)" -ne 0 ]; then
		echo "$0: packages are missing. Install them and start again:" >&2
		echo "    sudo apt-get install$hyb_missing" >&2
		return 1
	fi
	echo "installing:$hyb_missing" >&2
	DEBIAN_FRONTEND=noninteractive
	export DEBIAN_FRONTEND
	# shellcheck disable=SC2086 # one word a package
	apt-get -qq update >&2 && apt-get -qq install --no-install-recommends $hyb_missing >&2
}

# Launchers refuse root, and more ranks than cores, unless told otherwise.
hyb_allow_mpi()
{
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
	export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
	export OMPI_MCA_rmaps_base_oversubscribe PRTE_MCA_rmaps_default_mapping_policy
}

# hyb_unpack DIR PACKAGE...: the packages' files in DIR, for such as cannot be installed beside others; quietly not,
# where one cannot be had
hyb_unpack()
{
	hyb_dir=$1
	shift
	[ ! -d "$hyb_dir" ] || return 0
	mkdir -p "$hyb_dir.part" &&
		(cd "$hyb_dir.part" && apt-get -qq download "$@" &&
			for hyb_file in ./*.deb; do dpkg -x "$hyb_file" . || exit 1; done && rm -f ./*.deb) >/dev/null 2>&1 &&
		mv "$hyb_dir.part" "$hyb_dir" || rm -rf "$hyb_dir.part"
}
