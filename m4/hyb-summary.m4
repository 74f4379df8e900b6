# SPDX-License-Identifier: BSD-3-Clause
# HYB_SUMMARY: the table at configure's end.

# HYB_SUMMARY_LINE(WHAT, FOUND, WITHOUT): FOUND if it is not empty, else WITHOUT.
AC_DEFUN([HYB_SUMMARY_LINE], [
	AS_IF([test -n "$2"],
		[printf '  %-14s %s\n' "$1" "$2"],
		[printf '  %-14s %s\n' "$1" "$3"])
])

# HYB_SUMMARY_OPTIONAL(ID, WHAT, FOUND): the same for a row of src/core/config/optional.tbl.h, which has what a build without it
# lacks, and the Debian packages to install.
AC_DEFUN([HYB_SUMMARY_OPTIONAL], [
	hyb_row=`$AWK -F\" -v row='HYB_OPTIONAL($1, ' '$[1] == row { print "left out: " $[6] " (Debian: " $[4] ")" }' \
		"$srcdir/src/core/config/optional.tbl.h"`
	HYB_SUMMARY_LINE([$2], [$3], [$hyb_row])
])

AC_DEFUN([HYB_SUMMARY], [
	printf '\n%s %s for %s\n\n' hybmon "$PACKAGE_VERSION" "$host"
	HYB_SUMMARY_LINE([compiler], [$CC $CFLAGS], [])
	HYB_SUMMARY_OPTIONAL([OPENMPI], [Open MPI], [${OPENMPI_NAME:+$OPENMPI_NAME, $OPENMPI_CC}])
	HYB_SUMMARY_OPTIONAL([MPICH], [MPICH ABI], [${MPICH_NAME:+$MPICH_NAME, $MPICH_CC}])
	HYB_SUMMARY_OPTIONAL([OTF2], [OTF2], [$OTF2_NAME])
	HYB_SUMMARY_OPTIONAL([JANSSON], [jansson], [$JANSSON_LIBS])
	HYB_SUMMARY_OPTIONAL([MICROHTTPD], [libmicrohttpd], [$MICROHTTPD_LIBS])
	HYB_SUMMARY_OPTIONAL([ZSTD], [libzstd], [$ZSTD_LIBS])
	HYB_SUMMARY_OPTIONAL([PROTOBUF_C], [protobuf-c], [$PROTOBUF_C_LIBS])
	HYB_SUMMARY_OPTIONAL([LIBDW], [libdw], [$LIBDW_LIBS])
	HYB_SUMMARY_LINE([kernel], [$hyb_kernel],
		[left out: nothing of the kernel is recorded (linux/perf_event.h; Debian: linux-libc-dev)])
	HYB_SUMMARY_OPTIONAL([BPF], [bpf], [$hyb_bpf])
	HYB_SUMMARY_OPTIONAL([FORTRAN], [Fortran], [$HYB_FC])
	HYB_SUMMARY_OPTIONAL([PANDOC], [manual pages], [`AS_IF([test -n "$PANDOC"], [echo "made by $PANDOC"],
		[test -n "$hyb_man"], [echo "as shipped"])`])
	HYB_SUMMARY_LINE([sanitizers], [`AS_IF([test "$enable_sanitizers" != no], [echo "$enable_sanitizers"],
		[echo none])`], [])
	HYB_SUMMARY_LINE([installs to], [$prefix], [])
	printf '\n'
	AS_IF([test -z "$OPENMPI_NAME$MPICH_NAME"],
		[AC_MSG_WARN([without MPI this build records OpenMP only; for an MPI that was not found give
--with-mpi=/path/to/mpicc])])
])
