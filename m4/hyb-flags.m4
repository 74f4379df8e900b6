# SPDX-License-Identifier: BSD-3-Clause
# HYB_FLAGS: warnings, sanitizers. Sets HYB_CFLAGS and HYB_LDFLAGS, HYB_GENERATED_CFLAGS for generated wrappers, and
# HYB_SANITIZER_PRELOAD: the run-time library that has to be preloaded before an instrumented libhybmon.so, empty where
# none is needed.

# HYB_TRY_CFLAG(FLAG): adds the flag to HYB_CFLAGS if the compiler knows it.
AC_DEFUN([HYB_TRY_CFLAG], [
	hyb_save_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS -Werror $1"
	AC_MSG_CHECKING([whether $CC takes $1])
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM], [AC_MSG_RESULT([yes]); HYB_CFLAGS="$HYB_CFLAGS $1"],
		[AC_MSG_RESULT([no])])
	CFLAGS=$hyb_save_CFLAGS
])

AC_DEFUN([HYB_FLAGS], [
	AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [take warnings as errors])],
		[], [enable_werror=no])
	AC_ARG_ENABLE([sanitizers], [AS_HELP_STRING([--enable-sanitizers=LIST],
		[build everything with these sanitizers, for example address,undefined or thread])],
		[], [enable_sanitizers=no])

	HYB_CFLAGS= HYB_LDFLAGS= HYB_SANITIZER_PRELOAD=
	m4_foreach_w([hyb_flag], [-Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes
		-Wmissing-prototypes -Wundef -Wvla -Wformat-security -Wwrite-strings
		-fno-strict-aliasing -fno-common],
		[HYB_TRY_CFLAG(hyb_flag)])
	# Debuggers need not know where a generated wrapper's variables are: that takes a tenth of its time to compile.
	hyb_all_CFLAGS=$HYB_CFLAGS HYB_CFLAGS=
	HYB_TRY_CFLAG([-fno-var-tracking])
	HYB_GENERATED_CFLAGS=$HYB_CFLAGS HYB_CFLAGS=$hyb_all_CFLAGS
	AC_SUBST([HYB_GENERATED_CFLAGS])
	AS_IF([test "$enable_werror" = yes], [HYB_CFLAGS="$HYB_CFLAGS -Werror"])

	AS_CASE([$enable_sanitizers],
		[no|''], [enable_sanitizers=no],
		[yes], [enable_sanitizers=address,undefined])
	AS_IF([test "$enable_sanitizers" != no], [
		hyb_flag="-fsanitize=$enable_sanitizers"
		HYB_CFLAGS="$HYB_CFLAGS $hyb_flag -fno-sanitize-recover=all -fno-omit-frame-pointer"
		HYB_LDFLAGS="$HYB_LDFLAGS $hyb_flag"
		AC_MSG_CHECKING([whether $CC builds with $hyb_flag])
		hyb_save_CFLAGS=$CFLAGS
		CFLAGS="$CFLAGS $hyb_flag"
		AC_LINK_IFELSE([AC_LANG_PROGRAM], [AC_MSG_RESULT([yes])],
			[AC_MSG_RESULT([no])
			AC_MSG_ERROR([--enable-sanitizers=$enable_sanitizers does not work with $CC])])
		CFLAGS=$hyb_save_CFLAGS
		# it knows no fences; ours order what other processes see, and it does not look there
		AS_CASE([,$enable_sanitizers,], [*,thread,*], [HYB_TRY_CFLAG([-Wno-tsan])])
		AS_CASE([,$enable_sanitizers,],
			[*,address,*], [hyb_runtime=asan],
			[*,thread,*], [hyb_runtime=tsan],
			[hyb_runtime=])
		AS_IF([test -n "$hyb_runtime"], [
			hyb_arch=${host_cpu}
			for hyb_file in lib$hyb_runtime.so libclang_rt.$hyb_runtime-$hyb_arch.so; do
				hyb_path=`$CC -print-file-name=$hyb_file`
				AS_CASE([$hyb_path], [/*], [HYB_SANITIZER_PRELOAD=$hyb_path])
			done
		])
	])
	AC_SUBST([HYB_CFLAGS])
	AC_SUBST([HYB_LDFLAGS])
	AC_SUBST([HYB_SANITIZER_PRELOAD])
	AS_IF([test "$enable_sanitizers" = no], [HYB_SANITIZERS=], [HYB_SANITIZERS=$enable_sanitizers])
	AC_SUBST([HYB_SANITIZERS])
	# a sanitizer's run-time library may be the executable's
	AS_IF([test "$enable_sanitizers" = no], [HYB_DEFS_LDFLAGS=-Wl,-z,defs], [HYB_DEFS_LDFLAGS=])
	AC_SUBST([HYB_DEFS_LDFLAGS])
])
