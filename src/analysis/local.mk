# SPDX-License-Identifier: BSD-3-Clause
# What a recording means: sinks that understand.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libanalysis.a
%C%_libanalysis_a_SOURCES = \
	%D%/calltree.c \
	%D%/calltree.h \
	%D%/events.c \
	%D%/events.h \
	%D%/kernel.c \
	%D%/kernel.h \
	%D%/paths.c \
	%D%/profile.h \
	%D%/proposal-text.c \
	%D%/proposal.c \
	%D%/proposal.h \
	%D%/show.c \
	%D%/span.h
