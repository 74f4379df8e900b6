# SPDX-License-Identifier: BSD-3-Clause
# HYB_WITH_OPTIONAL: --without-optional. Sets hyb_default to what an option means that is not given: `check`, to look for the
# library and do without it where it is not found, or `no`. It comes before all that looks for something optional.
AC_DEFUN([HYB_WITH_OPTIONAL], [
	AC_ARG_WITH([optional], [AS_HELP_STRING([--without-optional],
		[leave out all that hybmon can be built without, every MPI included; --with-NAME adds one of them again])],
		[], [with_optional=yes])
	AS_IF([test "$with_optional" = no], [hyb_default=no], [hyb_default=check])
	HYB_MISSING=
	AC_SUBST([HYB_MISSING])
])

# HYB_HAVE(ID, FOUND): adds ID, a row of src/core/config/optional.tbl.h, to HYB_MISSING if FOUND is empty.
AC_DEFUN([HYB_HAVE], [AS_IF([test -z "$2"], [HYB_MISSING="${HYB_MISSING:+$HYB_MISSING }$1"])])

# HYB_FIND_FORTRAN: sets HYB_FC, the compiler that makes a module of include/hybmon.F90.
AC_DEFUN([HYB_FIND_FORTRAN], [
	AC_ARG_WITH([fortran], [AS_HELP_STRING([--with-fortran=COMPILER],
		[make the Fortran module hybmon by this compiler; "no" installs its source only, and leaves tests in Fortran
		out (default: gfortran, if it is there)])], [], [with_fortran=$hyb_default])
	AS_CASE([$with_fortran],
		[no], [HYB_FC=],
		[yes|check|''], [AC_CHECK_PROGS([HYB_FC], [gfortran])],
		[HYB_FC=$with_fortran])
	AS_IF([test "$with_fortran" = yes && test -z "$HYB_FC"], [AC_MSG_ERROR([--with-fortran: there is no gfortran])])
	AC_SUBST([HYB_FC])
	AM_CONDITIONAL([HAVE_FC], [test -n "$HYB_FC"])
	HYB_HAVE([FORTRAN], [$HYB_FC])
])

# HYB_FIND_PANDOC: sets PANDOC and hyb_man, whether there are manual pages.
AC_DEFUN([HYB_FIND_PANDOC], [
	AC_ARG_WITH([pandoc], [AS_HELP_STRING([--with-pandoc],
		[make the manual pages, which a release has ready made (default: yes, if pandoc is there)])],
		[], [with_pandoc=$hyb_default])
	AC_ARG_VAR([PANDOC], [makes the manual pages; a release has them ready made])
	AS_IF([test "$with_pandoc" = no], [PANDOC=], [AC_CHECK_PROG([PANDOC], [pandoc], [pandoc])])
	AS_IF([test "$with_pandoc" = yes && test -z "$PANDOC"], [AC_MSG_ERROR([--with-pandoc: there is no pandoc])])
	AS_IF([test -n "$PANDOC" || test -f "$srcdir/man/hybmon.1"], [hyb_man=yes], [hyb_man=])
	AM_CONDITIONAL([HAVE_PANDOC], [test -n "$PANDOC"])
	AM_CONDITIONAL([HAVE_MAN], [test -n "$hyb_man"])
	HYB_HAVE([PANDOC], [$hyb_man])
])
