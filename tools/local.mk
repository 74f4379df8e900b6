# SPDX-License-Identifier: BSD-3-Clause
bin_PROGRAMS += %D%/hybmon %D%/hybmon-print
%C%_hybmon_SOURCES = \
	%D%/hybmon.c \
	src/core/alloc.c \
	src/core/config.c \
	src/core/sys.c

%C%_hybmon_print_SOURCES = \
	%D%/hybmon-print.c \
	%D%/print-attached.c \
	%D%/print-follow.c \
	%D%/print-io.c \
	%D%/print-job.c \
	%D%/print-job.h \
	%D%/print-omp.c \
	%D%/print-rma.c \
	%D%/print-summary.c \
	%D%/print-topology.c \
	%D%/print.c \
	%D%/print.h
%C%_hybmon_print_LDADD = src/trace/libtrace.a

if HAVE_OTF2
bin_PROGRAMS += %D%/hybmon-merge
%C%_hybmon_merge_SOURCES = %D%/hybmon-merge.c
%C%_hybmon_merge_LDADD = src/otf2/libotf2.a src/trace/libtrace.a $(OTF2_LIBS) $(LIBDW_LIBS)
endif
