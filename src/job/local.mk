# SPDX-License-Identifier: BSD-3-Clause
# Which job a process is in, and where its files go: in libhybmon.so, the collector and the tools.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libjob.a
%C%_libjob_a_CFLAGS = $(AM_CFLAGS) -fPIC
%C%_libjob_a_SOURCES = \
	%D%/experiment-manifest.c \
	%D%/experiment.c \
	%D%/experiment.h \
	%D%/job.c \
	%D%/job.h \
	%D%/place.c \
	%D%/place.h \
	%D%/rendezvous.c
