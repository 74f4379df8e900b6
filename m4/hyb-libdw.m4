# SPDX-License-Identifier: BSD-3-Clause
# HYB_FIND_LIBDW: defines the conditional HAVE_LIBDW, LIBDW_CPPFLAGS and LIBDW_LIBS where elfutils' libdw is there. Only hybmon-merge
# uses it, to find the source lines of addresses, and to unwind stacks.
AC_DEFUN([HYB_FIND_LIBDW], [
	AC_ARG_WITH([libdw], [AS_HELP_STRING([--with-libdw=DIR],
		[where elfutils' libdw is installed; "no" does without it, and regions of OpenMP are named by their
		address (default: yes, if it is there)])], [], [with_libdw=$hyb_default])
	LIBDW_CPPFLAGS= LIBDW_LIBS=
	hyb_save_CPPFLAGS=$CPPFLAGS hyb_save_LIBS=$LIBS
	AS_CASE([$with_libdw],
		[yes|no|check|''], [],
		[LIBDW_CPPFLAGS="-I$with_libdw/include"
		hyb_libdw_where="-L$with_libdw/lib "])
	AS_IF([test "$with_libdw" != no], [
		CPPFLAGS="$CPPFLAGS $LIBDW_CPPFLAGS" LIBS="${hyb_libdw_where}-ldw -lelf $LIBS"
		AC_MSG_CHECKING([for libdw])
		AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <elfutils/libdwfl.h>]], [[dwfl_end(dwfl_begin(0));]])],
			[LIBDW_LIBS="${hyb_libdw_where}-ldw -lelf"
			AC_MSG_RESULT([yes])],
			[AC_MSG_RESULT([no])
			AS_IF([test "$with_libdw" != check],
				[AC_MSG_ERROR([--with-libdw: it does not work; see config.log])])])
	])
	CPPFLAGS=$hyb_save_CPPFLAGS LIBS=$hyb_save_LIBS
	AC_SUBST([LIBDW_CPPFLAGS])
	AC_SUBST([LIBDW_LIBS])
	AM_CONDITIONAL([HAVE_LIBDW], [test -n "$LIBDW_LIBS"])
	HYB_HAVE([LIBDW], [$LIBDW_LIBS])
])
