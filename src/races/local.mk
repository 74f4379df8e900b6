# SPDX-License-Identifier: BSD-3-Clause
# Which receives could have got another message.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libraces.a
%C%_libraces_a_SOURCES = \
	%D%/clocks.c \
	%D%/collect.c \
	%D%/find.c \
	%D%/flip.c \
	%D%/graph-svg.c \
	%D%/graph-text.c \
	%D%/graph.c \
	%D%/graph.h \
	%D%/other.c \
	%D%/races.h \
	%D%/text-other.c \
	%D%/text.c
