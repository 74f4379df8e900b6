# SPDX-License-Identifier: BSD-3-Clause
# The order of a recorded run, for its replay.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libreplay.a
%C%_libreplay_a_SOURCES = \
	%D%/calls.c \
	%D%/named.c \
	%D%/order.c \
	%D%/pending.c \
	%D%/prepare.c \
	%D%/replay.h \
	%D%/turns.c
