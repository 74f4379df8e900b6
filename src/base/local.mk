# SPDX-License-Identifier: BSD-3-Clause
# What any room may use. Becomes part of libhybmon.so, the tools and the collector.
hyb_base_files = \
	%D%/alive.c \
	%D%/alive.h \
	%D%/clock.c \
	%D%/clock.h \
	%D%/compiler.h \
	%D%/config.c \
	%D%/config.h \
	%D%/config.tbl.h \
	%D%/counter.h \
	%D%/log.c \
	%D%/log.h \
	%D%/memory.c \
	%D%/memory.h \
	%D%/owned.c \
	%D%/owned.h \
	%D%/stack-switch.S \
	%D%/stack.c \
	%D%/stack.h \
	%D%/sys.c \
	%D%/sys.h \
	%D%/text.c \
	%D%/text.h \
	%D%/trie.c \
	%D%/trie.h
