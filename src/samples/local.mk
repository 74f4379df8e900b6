# SPDX-License-Identifier: BSD-3-Clause
# What samples add up to.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libsamples.a
%C%_libsamples_a_SOURCES = \
	%D%/print.c \
	%D%/print.h \
	%D%/profile.c \
	%D%/profile.h \
	%D%/sink.c \
	%D%/sink.h \
	%D%/tally.c \
	%D%/tally.h \
	%D%/tree.c \
	%D%/tree.h
