# SPDX-License-Identifier: BSD-3-Clause
# HYB_FIND_MPI: finds the MPIs of the machine by their compiler wrappers and sorts them by ABI
# family. An adapter is built for each family; of several MPIs of one family the newest serves,
# since it declares the most functions and calls go by name.
#
# For each family F (OPENMPI, MPICH) it defines: the conditional HAVE_F, and F_CC (the wrapper),
# F_CPPFLAGS (what finds its mpi.h), F_MPIRUN (its launcher, or empty) and F_NAME (name and
# version).

# HYB_MPI_IDENTIFY(WRAPPER): sets hyb_family, hyb_order (a number, greater is newer) and hyb_name;
# hyb_family is empty where the wrapper does not work or its ABI is not one we know.
AC_DEFUN([HYB_MPI_IDENTIFY], [
cat >conftest.c <<'_HYB_EOF'
#include <mpi.h>
#if defined(OPEN_MPI)
hyb@openmpi@OMPI_MAJOR_VERSION@OMPI_MINOR_VERSION@OMPI_RELEASE_VERSION@name-openmpi
#elif defined(I_MPI_NUMVERSION)
hyb@mpich@MPI_VERSION@MPI_SUBVERSION@I_MPI_NUMVERSION@name-intel
#elif defined(MVAPICH2_VERSION) || defined(MVAPICH_VERSION)
hyb@mpich@MPI_VERSION@MPI_SUBVERSION@MPICH_NUMVERSION@name-mvapich
#elif defined(MPICH_VERSION) && !defined(MPI_ABI_VERSION)
hyb@mpich@MPI_VERSION@MPI_SUBVERSION@MPICH_NUMVERSION@name-mpich
#endif
hyb_text MPICH_VERSION
_HYB_EOF
	hyb_family= hyb_order=0 hyb_name=
	$1 -E conftest.c >conftest.i 2>&AS_MESSAGE_LOG_FD </dev/null || : >conftest.i
	hyb_line=`sed -n 's/ *@ */@/g; s/^hyb@//p' conftest.i`
	if test -n "$hyb_line"; then
		hyb_IFS=$IFS; IFS=@; set X $hyb_line; IFS=$hyb_IFS
		hyb_family=$[2] hyb_name=$[6]
		hyb_order=`expr $[3] '*' 100000 + $[4] '*' 1000 + $[5] % 1000 2>/dev/null || echo 1`
		hyb_version=`sed -n 's/^hyb_text *"\(.*\)"$/\1/p' conftest.i`
		AS_CASE([$hyb_name],
			[name-openmpi], [hyb_name="Open MPI $[3].$[4].$[5]"],
			[name-intel], [hyb_name="Intel MPI (MPI $[3].$[4])"],
			[name-mvapich], [hyb_name="MVAPICH (MPICH $hyb_version)"],
			[hyb_name="MPICH $hyb_version"])
	fi
	rm -f conftest.c conftest.i
])

# HYB_MPI_FLAGS(WRAPPER): sets hyb_flags to the preprocessor flags by which $CC finds this wrapper's
# mpi.h. What the wrapper says it would do is tried first, then the folder from which it took the
# header.
AC_DEFUN([HYB_MPI_FLAGS], [
	hyb_flags=
	for hyb_word in `$1 -show 2>/dev/null </dev/null`; do
		case $hyb_word in
		-I*) hyb_flags="$hyb_flags -isystem ${hyb_word#-I}" ;;
		-D*) hyb_flags="$hyb_flags $hyb_word" ;;
		esac
	done
	hyb_save_CPPFLAGS=$CPPFLAGS
	CPPFLAGS="$CPPFLAGS $hyb_flags"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]], [[MPI_Comm c = MPI_COMM_WORLD; (void)c;]])],
		[], [
		echo '#include <mpi.h>' >conftest.c
		hyb_flags=`$1 -E conftest.c 2>/dev/null </dev/null |
			sed -n 's,^# [[0-9]]* "\(/.*\)/mpi\.h".*,-isystem \1,p' | sed 1q`
		CPPFLAGS="$hyb_save_CPPFLAGS $hyb_flags"
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <mpi.h>]],
			[[MPI_Comm c = MPI_COMM_WORLD; (void)c;]])], [], [hyb_family=])
	])
	CPPFLAGS=$hyb_save_CPPFLAGS
])

# HYB_MPI_LAUNCHER(WRAPPER): sets hyb_mpirun to the launcher that stands beside the wrapper.
AC_DEFUN([HYB_MPI_LAUNCHER], [
	hyb_dir=`AS_DIRNAME([$1])`
	hyb_base=`AS_BASENAME([$1])`
	case $hyb_base in
	*.*) hyb_suffix=.${hyb_base#*.} ;;
	*) hyb_suffix= ;;
	esac
	hyb_mpirun=
	for hyb_try in mpirun mpiexec; do
		if test -x "$hyb_dir/$hyb_try$hyb_suffix"; then
			hyb_mpirun=$hyb_dir/$hyb_try$hyb_suffix
			break
		fi
	done
])

# HYB_MPI_FORTRAN(WRAPPER, VARIABLE): substitutes VARIABLE, the Fortran compiler wrapper that stands
# beside a C one, or empty if there is none or it has no mpi_f08. For tests only.
AC_DEFUN([HYB_MPI_FORTRAN], [
	$2=
	AC_SUBST([$2])
	hyb_try=`echo "$1" | sed -n 's,/mpicc\([[^/]]*\)$,/mpifort\1,p'`
	if test -n "$HYB_FC" && test -n "$hyb_try" && test -x "$hyb_try"; then
		AC_MSG_CHECKING([whether $hyb_try has mpi_f08])
		printf 'program p\nuse mpi_f08\ncall mpi_init()\ncall mpi_finalize()\nend program\n' >conftest.f90
		AS_IF([$hyb_try conftest.f90 -o conftest.out >&AS_MESSAGE_LOG_FD 2>&1],
			[$2=$hyb_try
			AC_MSG_RESULT([yes])],
			[AC_MSG_RESULT([no])])
		rm -f conftest.f90 conftest.out
	fi
])

AC_DEFUN([HYB_FIND_MPI], [
	AC_ARG_WITH([fortran-names], [AS_HELP_STRING([--with-fortran-names=LIST],
		[record also calls from Fortran by these names: double (mpi_send__), plain (mpi_send), upper (MPI_SEND); others may have
		 functions of such names @<:@none@:>@])], [], [with_fortran_names=])
	AS_CASE([" $with_fortran_names "], [*" yes "*], [HYB_FORTRAN_NAMES='double plain upper'],
		[HYB_FORTRAN_NAMES=`echo "$with_fortran_names" | sed 's/,/ /g; s/\<no\>//'`])
	AC_SUBST([HYB_FORTRAN_NAMES])
	AC_ARG_WITH([mpi], [AS_HELP_STRING([--with-mpi=LIST],
		[compiler wrappers of the MPIs to build for, separated by commas or spaces; "no" for none
		(default: every mpicc that is found)])], [], [AS_IF([test $hyb_default = no], [with_mpi=no], [with_mpi=yes])])
	AS_CASE([$with_mpi],
		[no], [hyb_wrappers=],
		[yes|''], [hyb_wrappers="mpicc.openmpi mpicc.mpich mpicc mpicc.mpich2 mpiicx mpiicc"
			for hyb_try in /usr/lib64/*/bin/mpicc /usr/lib/*/bin/mpicc \
					/usr/lib64/mpi/gcc/*/bin/mpicc /opt/*/bin/mpicc \
					/usr/local/*/bin/mpicc \
					/opt/intel/oneapi/mpi/latest/bin/mpicc; do
				test -x "$hyb_try" && hyb_wrappers="$hyb_wrappers $hyb_try"
			done],
		[hyb_wrappers=`echo "$with_mpi" | tr , ' '`])
	OPENMPI_CC= OPENMPI_CPPFLAGS= OPENMPI_MPIRUN= OPENMPI_NAME= hyb_openmpi_order=-1
	MPICH_CC= MPICH_CPPFLAGS= MPICH_MPIRUN= MPICH_NAME= hyb_mpich_order=-1
	for hyb_wrapper in $hyb_wrappers; do
		AC_MSG_CHECKING([for the MPI of $hyb_wrapper])
		hyb_path=`command -v "$hyb_wrapper" 2>/dev/null`
		if test -z "$hyb_path"; then
			AC_MSG_RESULT([not there])
			AS_IF([test "$with_mpi" != yes], [AC_MSG_ERROR([--with-mpi: there is no $hyb_wrapper])])
			continue
		fi
		HYB_MPI_IDENTIFY([$hyb_path])
		AS_IF([test -n "$hyb_family"], [HYB_MPI_FLAGS([$hyb_path])])
		if test -z "$hyb_family"; then
			AC_MSG_RESULT([not one we know])
			AS_IF([test "$with_mpi" != yes],
				[AC_MSG_ERROR([--with-mpi: $hyb_wrapper does not compile, or its MPI is neither of the Open MPI nor of the MPICH family; see config.log])])
			continue
		fi
		AC_MSG_RESULT([$hyb_name])
		HYB_MPI_LAUNCHER([$hyb_path])
		AS_CASE([$hyb_family],
			[openmpi], [if test "$hyb_order" -gt "$hyb_openmpi_order"; then
				hyb_openmpi_order=$hyb_order OPENMPI_CC=$hyb_path OPENMPI_NAME=$hyb_name
				OPENMPI_CPPFLAGS=$hyb_flags OPENMPI_MPIRUN=$hyb_mpirun
			fi],
			[mpich], [if test "$hyb_order" -gt "$hyb_mpich_order"; then
				hyb_mpich_order=$hyb_order MPICH_CC=$hyb_path MPICH_NAME=$hyb_name
				MPICH_CPPFLAGS=$hyb_flags MPICH_MPIRUN=$hyb_mpirun
			fi])
	done
	HYB_MPI_FORTRAN([$OPENMPI_CC], [OPENMPI_FC])
	HYB_MPI_FORTRAN([$MPICH_CC], [MPICH_FC])
	AC_SUBST([OPENMPI_CC])
	AC_SUBST([OPENMPI_CPPFLAGS])
	AC_SUBST([OPENMPI_MPIRUN])
	AC_SUBST([OPENMPI_NAME])
	AC_SUBST([MPICH_CC])
	AC_SUBST([MPICH_CPPFLAGS])
	AC_SUBST([MPICH_MPIRUN])
	AC_SUBST([MPICH_NAME])
	AM_CONDITIONAL([HAVE_OPENMPI], [test -n "$OPENMPI_CC"])
	AM_CONDITIONAL([HAVE_MPICH], [test -n "$MPICH_CC"])
	HYB_HAVE([OPENMPI], [$OPENMPI_CC])
	HYB_HAVE([MPICH], [$MPICH_CC])
	AM_CONDITIONAL([HAVE_OPENMPI_FC], [test -n "$OPENMPI_FC"])
	AM_CONDITIONAL([HAVE_MPICH_FC], [test -n "$MPICH_FC"])
])
