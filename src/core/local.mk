# SPDX-License-Identifier: BSD-3-Clause
# What every producer uses; becomes part of libhybmon.so, see src/pmpi/local.mk.
hyb_core_files = \
	%D%/alloc.c \
	%D%/alloc.h \
	%D%/api.c \
	%D%/clock.c \
	%D%/clock.h \
	%D%/collect.c \
	%D%/collect.h \
	%D%/config.c \
	%D%/config.h \
	%D%/config.tbl.h \
	%D%/copied.c \
	%D%/copied.h \
	%D%/defs.c \
	%D%/defs.h \
	%D%/exits.c \
	%D%/exits.h \
	%D%/gomp.c \
	%D%/gomp.h \
	%D%/init.c \
	%D%/init.h \
	%D%/job.c \
	%D%/job.h \
	%D%/log.c \
	%D%/log.h \
	%D%/manifest.c \
	%D%/manifest.h \
	%D%/place.c \
	%D%/place.h \
	%D%/process.c \
	%D%/process.h \
	%D%/record.h \
	%D%/service.c \
	%D%/stack.c \
	%D%/stack.h \
	%D%/stack-switch.S \
	%D%/stream.c \
	%D%/stream.h \
	%D%/sys.c \
	%D%/sys.h \
	%D%/text.c \
	%D%/text.h \
	%D%/thread.c \
	%D%/thread.h \
	%D%/trie.c \
	%D%/trie.h
