# SPDX-License-Identifier: BSD-3-Clause
# Arrays, tables and maps for what reads: on malloc, so not in the preloaded library.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libcontainers.a
%C%_libcontainers_a_SOURCES = \
	%D%/array.c \
	%D%/array.h \
	%D%/heap.h \
	%D%/idmap.c \
	%D%/idmap.h \
	%D%/keymap.c \
	%D%/keymap.h \
	%D%/parallel.c \
	%D%/parallel.h \
	%D%/search.h \
	%D%/sort.c \
	%D%/sort.h \
	%D%/table.c \
	%D%/table.h
