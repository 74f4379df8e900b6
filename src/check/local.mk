# SPDX-License-Identifier: BSD-3-Clause
# What an experiment shows of a job that hung, died, or went wrong.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libcheck.a
%C%_libcheck_a_SOURCES = \
	%D%/check.c \
	%D%/check.h \
	%D%/count.c \
	%D%/differ.c \
	%D%/find.c \
	%D%/graph.c \
	%D%/groups.c \
	%D%/graph.h \
	%D%/print.c \
	%D%/read.c \
	%D%/reading.h \
	%D%/say.c \
	%D%/stand.c \
	%D%/tally.c \
	%D%/tally.h \
	%D%/waits.c
