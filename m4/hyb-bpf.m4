# SPDX-License-Identifier: BSD-3-Clause
# HYB_FIND_BPF: defines the conditional HAVE_BPF, BPF_CLANG, BPF_ARCH and LLVM_STRIP. Only hybmon-collect uses it, for its
# source `bpf`: a compiler that makes programs for the kernel, and the headers of the library that loads them, which is
# itself looked for when the collector runs. No
# bpftool: what it generates is not needed, since the collector has few variables in the programs to set. No BTF of the
# machine that this is built on: it is that of the machine where the collector runs that counts.
AC_DEFUN([HYB_FIND_BPF], [
	AC_ARG_WITH([bpf], [AS_HELP_STRING([--with-bpf],
		[build the source bpf of kernel events, which needs clang and libbpf; "no" leaves it out
		(default: yes, if they are there)])], [], [with_bpf=$hyb_default])
	AC_ARG_VAR([BPF_CLANG], [compiles programs for the kernel])
	AC_ARG_VAR([LLVM_STRIP], [takes what only debuggers need out of these])
	BPF_ARCH= hyb_bpf=
	AS_IF([test "$with_bpf" != no], [
		AC_CHECK_PROGS([BPF_CLANG], [clang clang-19 clang-16 clang-14])
		AC_CHECK_PROGS([LLVM_STRIP], [llvm-strip llvm-strip-19 llvm-strip-16 llvm-strip-14])
		AS_CASE([$host_cpu], [x86_64], [BPF_ARCH=x86], [aarch64], [BPF_ARCH=arm64])
		hyb_bpf_missing=
		AC_MSG_CHECKING([whether clang makes programs for the kernel])
		cat >conftest.bpf.c <<'HYB_EOF'
typedef unsigned char __u8; typedef unsigned short __u16; typedef unsigned int __u32; typedef unsigned long long __u64;
typedef short __s16; typedef int __s32; typedef long long __s64; typedef __u16 __be16; typedef __u32 __be32, __wsum;
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
struct task_struct { int pid; } __attribute__((preserve_access_index));
__u64 set;
SEC("tp_btf/sched_waking") int waking(__u64 *args)
{
	__sync_fetch_and_or(&set, 1);
	return ((struct task_struct *)args@<:@0@:>@)->pid;
}
HYB_EOF
		AS_IF([test -n "$BPF_CLANG" && $BPF_CLANG -target bpf -mcpu=v3 -ffreestanding -O2 -g -c conftest.bpf.c \
			-o conftest.bpf.o >&AS_MESSAGE_LOG_FD 2>&1],
			[AC_MSG_RESULT([yes])],
			[AC_MSG_RESULT([no])
			hyb_bpf_missing='clang for the target bpf, with libbpf'\''s headers'])
		rm -f conftest.bpf.c conftest.bpf.o
		AC_MSG_CHECKING([for the headers of libbpf 1.0 or later])
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
			#include <bpf/bpf.h>
			#include <bpf/btf.h>
			#include <bpf/libbpf.h>
			#if LIBBPF_MAJOR_VERSION < 1
			#error
			#endif]], [[
			struct bpf_prog_info info = { .recursion_misses = BPF_RINGBUF_HDR_SZ };
			return bpf_map_create(BPF_MAP_TYPE_RINGBUF, "", 0, 0, 0, 0) < 0 &&
				!bpf_object__open_mem(&info, sizeof(info), 0);]])],
			[AC_MSG_RESULT([yes])],
			[AC_MSG_RESULT([no])
			hyb_bpf_missing='libbpf 1.0 or later, with its headers'])
		AS_IF([test -z "$hyb_bpf_missing"], [hyb_bpf="$BPF_CLANG, libbpf when it runs"],
			[test "$with_bpf" = yes], [AC_MSG_ERROR([--with-bpf: there is no $hyb_bpf_missing; see config.log])])
	])
	AC_SUBST([BPF_ARCH])
	AM_CONDITIONAL([HAVE_BPF], [test -n "$hyb_bpf"])
	HYB_HAVE([BPF], [$hyb_bpf])
])
