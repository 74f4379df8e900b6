# SPDX-License-Identifier: BSD-3-Clause
# What a timeline shows, and the parts of a picture of it.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libview.a
%C%_libview_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZSTD_CPPFLAGS)
%C%_libview_a_SOURCES = \
	%D%/cache.c \
	%D%/cache.h \
	%D%/class.c \
	%D%/class.h \
	%D%/collect.c \
	%D%/collect.h \
	%D%/compress.h \
	%D%/counters.c \
	%D%/curve.c \
	%D%/curve.h \
	%D%/detail.c \
	%D%/detail.h \
	%D%/io.h \
	%D%/lines.c \
	%D%/look.c \
	%D%/look.h \
	%D%/overview.c \
	%D%/overview.h \
	%D%/pack.c \
	%D%/pack.h \
	%D%/read.c \
	%D%/read.h \
	%D%/store.c \
	%D%/store.h \
	%D%/tail.c \
	%D%/tail.h \
	%D%/tile.c \
	%D%/tile.h \
	%D%/tools.c \
	%D%/waits.c \
	%D%/waits.h
if HAVE_ZSTD
%C%_libview_a_SOURCES += %D%/compress.c
else
%C%_libview_a_SOURCES += %D%/compress-none.c
endif
