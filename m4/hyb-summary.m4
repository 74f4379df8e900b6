# SPDX-License-Identifier: BSD-3-Clause
# HYB_SUMMARY: the table at configure's end.

# HYB_SUMMARY_LINE(WHAT, FOUND, WITHOUT): FOUND if it is not empty, else what will be missing
# without it.
AC_DEFUN([HYB_SUMMARY_LINE], [
	AS_IF([test -n "$2"],
		[printf '  %-12s %s\n' "$1" "$2"],
		[printf '  %-12s %s\n' "$1" "not found: $3"])
])

AC_DEFUN([HYB_SUMMARY], [
	printf '\n%s %s for %s\n\n' hybmon "$PACKAGE_VERSION" "$host"
	HYB_SUMMARY_LINE([compiler], [$CC $CFLAGS], [])
	HYB_SUMMARY_LINE([Open MPI], [${OPENMPI_NAME:+$OPENMPI_NAME, $OPENMPI_CC}],
		[programs that use it run unrecorded])
	HYB_SUMMARY_LINE([MPICH ABI], [${MPICH_NAME:+$MPICH_NAME, $MPICH_CC}],
		[programs that use MPICH, Intel MPI or MVAPICH run unrecorded])
	HYB_SUMMARY_LINE([OTF2], [$OTF2_NAME], [no hybmon-merge --to=otf2])
	HYB_SUMMARY_LINE([jansson], [$JANSSON_LIBS], [no hybmon-merge --to=json])
	HYB_SUMMARY_LINE([libmicrohttpd], [$MICROHTTPD_LIBS], [hybmon view serves nothing])
	HYB_SUMMARY_LINE([libzstd], [$ZSTD_LIBS], [what hybmon view keeps takes more space])
	HYB_SUMMARY_LINE([protobuf-c], [$PROTOBUF_C_LIBS], [no hybmon-merge --to=perfetto])
	HYB_SUMMARY_LINE([libdw], [$LIBDW_LIBS], [source positions of OpenMP regions are addresses])
	HYB_SUMMARY_LINE([kernel], [$hyb_kernel], [nothing of the kernel is recorded; linux/perf_event.h is missing])
	HYB_SUMMARY_LINE([bpf], [$hyb_bpf],
		[no HYBMON_KERNEL=bpf; it would take ${hyb_bpf_missing:---with-bpf}])
	HYB_SUMMARY_LINE([manual pages], [`AS_IF([test -n "$PANDOC"], [echo "made by $PANDOC"],
		[test "$hyb_man" = yes], [echo "as shipped"])`], [none; pandoc would make them])
	HYB_SUMMARY_LINE([sanitizers], [`AS_IF([test "$enable_sanitizers" != no], [echo "$enable_sanitizers"],
		[echo none])`], [])
	HYB_SUMMARY_LINE([installs to], [$prefix], [])
	printf '\n'
	AS_IF([test -z "$OPENMPI_NAME$MPICH_NAME"],
		[AC_MSG_WARN([no MPI was found: this build records OpenMP only. Debian has libopenmpi-dev
and libmpich-dev; or give --with-mpi=/path/to/mpicc])])
])
