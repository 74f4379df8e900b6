# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2034
# Read by the other scripts: what a Debian machine needs, and how it comes there.

# for the demo: to build hybmon, to record with each MPI, and to show the result in each form
hyb_packages_demo="autoconf automake make gcc libc6-dev pkgconf pandoc openmpi-bin libopenmpi-dev mpich libmpich-dev
	libotf2-trace-dev otf2-tools libdw-dev libjansson-dev libmicrohttpd-dev libzstd-dev"
# for the tests besides; a test that lacks something is skipped with the reason
hyb_packages_test="$hyb_packages_demo ccache python3 python3-otf2 python3-six python3-mpi4py hpcc strace
	libprotobuf-c-dev protobuf-c-compiler clang libbpf-dev libpapi-dev libpfm4 binutils g++ gdb gfortran lld gcc-aarch64-linux-gnu
	libc6-dev-arm64-cross qemu-user xz-utils procps iproute2 libcap2-bin"
# large programs that a few tests run or record: a browser, two programs with MPI
hyb_packages_large="chromium lammps r-cran-rmpi"

# hyb_lacks PACKAGE...: those of them that are not installed
hyb_lacks()
{
	for hyb_package in "$@"; do
		dpkg-query -W -f '${db:Status-Status}\n' "$hyb_package" 2>/dev/null | grep -qx installed ||
			printf ' %s' "$hyb_package"
	done
}

# hyb_harmless PACKAGE...: whether they can be installed without another package being removed, or replaced by another
# version of it, but for one that mends its security
hyb_harmless()
{
	hyb_plan=$(apt-get -s --no-install-recommends --no-remove install "$@" 2>/dev/null) &&
		! printf '%s\n' "$hyb_plan" | grep -v '^Inst [^ ]* \[.*[ ,]Debian-Security:' |
			grep -q '^Remv \|^Purg \|^Inst [^ ]* \['
}

# hyb_add PACKAGE...: installs them if that is harmless; what apt-get says is added to $hyb_apt_log
hyb_add()
{
	hyb_harmless "$@" && DEBIAN_FRONTEND=noninteractive \
		apt-get -qq --no-install-recommends --no-remove install "$@" >>"$hyb_apt_log" 2>&1 </dev/null
}

# hyb_install PACKAGE...: installs those that are missing, and removes or replaces no other package for that. Returns 1
# if some are still missing, after one line that says why, or how to install them for those who may not.
hyb_install()
{
	hyb_missing=$(hyb_lacks "$@")
	[ -n "$hyb_missing" ] || return 0
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "$0: these Debian packages or their like are missing:$hyb_missing" >&2
		return 1
	fi
	if [ "$(id -u)" -ne 0 ]; then
		echo "$0: packages are missing. To install them:" >&2
		echo "    sudo apt-get install --no-install-recommends --no-remove$hyb_missing" >&2
		return 1
	fi
	hyb_apt_log=$(mktemp) || return 1
	printf 'installing%s ... ' "$hyb_missing" >&2
	apt-get -qq -o APT::Update::Error-Mode=any update >>"$hyb_apt_log" 2>&1 </dev/null
	hyb_updated=$?
	# shellcheck disable=SC2086 # one word a package
	hyb_add $hyb_missing || {
		# packages that cannot be fetched are not tried again one by one
		# shellcheck disable=SC2086
		[ $hyb_updated -ne 0 ] && hyb_harmless $hyb_missing || for hyb_one in $hyb_missing; do
			hyb_add "$hyb_one" || :
		done
	}
	# shellcheck disable=SC2086
	hyb_missing=$(hyb_lacks $hyb_missing)
	hyb_reason=$(sed -n 's/^E: *//p' "$hyb_apt_log" | head -n 1)
	if [ -z "$hyb_missing" ]; then
		echo 'done' >&2
	elif [ -n "$hyb_reason" ]; then
		echo "failed
$0: apt-get: $hyb_reason; mend that (network, /etc/apt/sources.list, disk) and run this again; missing:$hyb_missing" >&2
	else
		echo "in part
$0: left out, since apt-get does not have them, or other packages would have to go for them:$hyb_missing" >&2
	fi
	rm -f "$hyb_apt_log"
	[ -z "$hyb_missing" ]
}

# hyb_check_place FOLDER: whether a checkout there can be built and the library preloaded from there. Returns 1 after
# one line that says what is wrong and what to do.
hyb_check_place()
{
	case $1 in
	*[[:space:]:\"\'\`\$\\\#\&\;\|\<\>\(\)\*\?]*)
		echo "$0: the path '$1' has blanks or special characters, which LD_PRELOAD and make do not accept: move the checkout to another folder" >&2
		return 1 ;;
	esac
	mkdir -p "$1/build" 2>/dev/null && [ -w "$1" ] && [ -w "$1/build" ] || {
		echo "$0: $1 cannot be written to: copy the checkout to a folder of yours, cp -r $1 ~/, and run the script there" >&2
		return 1
	}
}

# Lets launchers start as root and start more ranks than cores. All ranks run here: Debian 13's Open MPI warns on each
# start that interfaces other than lo do not reach themselves.
hyb_allow_mpi()
{
	OMPI_MCA_btl_tcp_if_include=lo
	export OMPI_MCA_btl_tcp_if_include
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
	export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
	export OMPI_MCA_rmaps_base_oversubscribe PRTE_MCA_rmaps_default_mapping_policy
}

# hyb_make ARGUMENT...: make, in the checkout. With ccache, which keeps objects in build/ccache, a build takes those from
# another that would be the same. CCACHE_DIR in the environment is a cache of the user's own.
hyb_make()
{
	if [ -d /usr/lib/ccache ] && command -v ccache >/dev/null; then
		PATH=/usr/lib/ccache:$PATH CCACHE_DIR=${CCACHE_DIR:-$PWD/build/ccache} CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 \
			make "$@"
	else
		make "$@"
	fi
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

# hyb_llvm: the version of LLVM's OpenMP that is installed for developers, if any. Debian has one at a time.
hyb_llvm()
{
	dpkg-query -W -f '${Package} ${db:Status-Status}\n' 'libomp-*-dev' 2>/dev/null |
		sed -n 's/^libomp-\([0-9]*\)-dev installed$/\1/p' | sort -n | tail -n 1
}

# hyb_second_llvm DIR: another version of the OpenMP runtime than the one installed, with what target constructs need,
# unpacked in DIR: the first of these that Debian has
hyb_second_llvm()
{
	hyb_first=$(hyb_llvm)
	for hyb_second in 19 14 18; do
		[ "$hyb_second" != "${hyb_first:-14}" ] || continue
		hyb_dir=$1/llvm-$hyb_second
		hyb_unpack "$hyb_dir" "libomp5-$hyb_second" "libomp-$hyb_second-dev" "clang-tools-$hyb_second"
		[ -d "$hyb_dir" ] || hyb_unpack "$hyb_dir" "libomp5-$hyb_second"
		[ ! -d "$hyb_dir" ] || break
	done
	[ -d "$hyb_dir" ] || return 0
	hyb_llvm_lib=$hyb_dir/usr/lib/llvm-$hyb_second/lib
	# compilers link with it by this name, which is in the package for developers
	ln -sf libomp.so.5 "$hyb_llvm_lib/libomp.so"
	# and one tool of the compiler calls it by a name without version
	mkdir -p "$hyb_llvm_lib/../bin"
	! command -v "clang-$hyb_second" >/dev/null ||
		ln -sf "$(command -v "clang-$hyb_second")" "$hyb_llvm_lib/../bin/clang"
}

# hyb_axe DIR: axe-core, which looks at pages as people see and hear them, in DIR, where there is npm
hyb_axe()
{
	[ ! -d "$1" ] && command -v npm >/dev/null || return 0
	mkdir -p "$1.part" &&
		(cd "$1.part" && npm pack --silent axe-core@4.10.3 && tar xzf axe-core-4.10.3.tgz && rm -f ./*.tgz) >/dev/null 2>&1 &&
		mv "$1.part" "$1" || rm -rf "$1.part"
}

# hyb_have_tests DIR: what hyb_install_tests has unpacked in DIR, as far as it is there; nothing is installed
hyb_have_tests()
{
	for hyb_dir in "$1"/llvm-*/usr/lib/llvm-*/lib; do
		[ ! -d "$hyb_dir" ] || HYB_LIBOMPS=$hyb_dir
	done
	hyb_file=$(find "$1/openblas" -path '*openmp*' -name libblas.so.3 2>/dev/null)
	[ -z "$hyb_file" ] || HYB_OPENBLAS=$(dirname "$hyb_file")
	[ ! -f "$1/axe/package/axe.min.js" ] || HYB_AXE=$1/axe/package/axe.min.js
	export HYB_LIBOMPS HYB_OPENBLAS HYB_AXE
}

# hyb_install_tests DIR: what the tests use and is missing, as far as it can be had; what is not to be installed beside
# the rest, or not by this user, unpacked in DIR. Tests that miss something are skipped and say so.
hyb_install_tests()
{
	# shellcheck disable=SC2086 # one word a package
	hyb_install $hyb_packages_test $hyb_packages_large || echo 'tests that need these are skipped' >&2
	hyb_first=$(hyb_llvm)
	# shellcheck disable=SC2086 # nothing or one word
	hyb_install ${hyb_first:+clang-$hyb_first} "libomp${hyb_first:+-$hyb_first}-dev" \
		"libclang-rt${hyb_first:+-$hyb_first}-dev" flang-19 ||
		echo 'without a compiler with LLVM'\''s OpenMP its tests are skipped' >&2
	mkdir -p "$1"
	hyb_second_llvm "$1"
	# linear algebra with OpenMP, for programs that have it from libraries
	hyb_unpack "$1/openblas" libopenblas0-openmp
	hyb_axe "$1/axe"
	hyb_have_tests "$1"
}
