# SPDX-License-Identifier: BSD-3-Clause
# Counters: in libhybmon.so and in the command hybmon.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libcounters.a
%C%_libcounters_a_CFLAGS = $(AM_CFLAGS) -fPIC
%C%_libcounters_a_SOURCES = \
	%D%/counter.h \
	%D%/counters.c \
	%D%/counters.h \
	%D%/list.c \
	%D%/list.h \
	%D%/note.c \
	%D%/note.h \
	%D%/own.c \
	%D%/own.h \
	%D%/page.h \
	%D%/papi-library.c \
	%D%/papi-library.h \
	%D%/papi-sets.c \
	%D%/papi.c \
	%D%/papi.h \
	%D%/perf-names.c \
	%D%/perf.c \
	%D%/perf.h \
	%D%/pfm.c \
	%D%/pfm.h \
	%D%/set.c \
	%D%/set.h
