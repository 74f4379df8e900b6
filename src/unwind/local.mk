# SPDX-License-Identifier: BSD-3-Clause
# From places in the program to who called: in libhybmon.so and the collector.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libunwind.a
%C%_libunwind_a_CFLAGS = $(AM_CFLAGS) -fPIC
%C%_libunwind_a_SOURCES = \
	%D%/find.c \
	%D%/program.c \
	%D%/reading.h \
	%D%/unwind.h
