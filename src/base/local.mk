# SPDX-License-Identifier: BSD-3-Clause
# What any room may use; in libhybmon.so, the collector and the tools.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libbase.a
%C%_libbase_a_CFLAGS = $(AM_CFLAGS) -fPIC
%C%_libbase_a_CCASFLAGS = -fPIC
%C%_libbase_a_SOURCES = \
	%D%/alive.c \
	%D%/alive.h \
	%D%/capability.h \
	%D%/clock.c \
	%D%/clock.h \
	%D%/compiler.h \
	%D%/config.c \
	%D%/config.h \
	%D%/config.tbl.h \
	%D%/counter.h \
	%D%/directory.c \
	%D%/directory.h \
	%D%/filter.c \
	%D%/filter.h \
	%D%/intern.c \
	%D%/intern.h \
	%D%/library.c \
	%D%/library.h \
	%D%/log.c \
	%D%/log.h \
	%D%/memory.c \
	%D%/memory.h \
	%D%/optional.h \
	%D%/optional.tbl.h \
	%D%/owned.c \
	%D%/owned.h \
	%D%/passing.h \
	%D%/preload.h \
	%D%/sample-wish.c \
	%D%/sample-wish.h \
	%D%/stack-switch.S \
	%D%/stack.c \
	%D%/stack.h \
	%D%/stub.h \
	%D%/sys.c \
	%D%/sys.h \
	%D%/text.c \
	%D%/text.h \
	%D%/trie.c \
	%D%/trie.h
