# SPDX-License-Identifier: BSD-3-Clause
# What a timeline shows, and the parts of a picture of it.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libview.a
%C%_libview_a_SOURCES = \
	%D%/collect.c \
	%D%/look.c \
	%D%/look.h \
	%D%/store.h \
	%D%/tile.c \
	%D%/tile.h
