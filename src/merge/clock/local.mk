# SPDX-License-Identifier: BSD-3-Clause
# Clocks of several nodes, by messages and times alone.
noinst_LIBRARIES += %D%/libclock.a
%C%_libclock_a_SOURCES = \
	%D%/band.c \
	%D%/band.h \
	%D%/circles.c \
	%D%/correction.c \
	%D%/correction.h \
	%D%/envelope.c \
	%D%/envelope.h \
	%D%/graph.c \
	%D%/graph.h \
	%D%/inside.h \
	%D%/logical.c \
	%D%/logical.h \
	%D%/offsets.c \
	%D%/offsets.h \
	%D%/order.c \
	%D%/order.h \
	%D%/pair.c \
	%D%/part.c \
	%D%/saturate.h \
	%D%/solve.c \
	%D%/steps.c \
	%D%/ties.c
