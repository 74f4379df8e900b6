# SPDX-License-Identifier: BSD-3-Clause
# Streams, definitions, manifests: in libhybmon.so and the collector.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/librecord.a
%C%_librecord_a_CFLAGS = $(AM_CFLAGS) -fPIC
%C%_librecord_a_SOURCES = \
	%D%/copied.c \
	%D%/copied.h \
	%D%/counted.c \
	%D%/counted.h \
	%D%/definitions.c \
	%D%/definitions.h \
	%D%/frame.c \
	%D%/identity.c \
	%D%/identity.h \
	%D%/manifest.c \
	%D%/manifest.h \
	%D%/nesting.c \
	%D%/nesting.h \
	%D%/objects.c \
	%D%/objects.h \
	%D%/order.c \
	%D%/order.h \
	%D%/profile.c \
	%D%/profile.h \
	%D%/record.h \
	%D%/recorder.c \
	%D%/recorder.h \
	%D%/scratch.c \
	%D%/scratch.h \
	%D%/stack-walk.c \
	%D%/stack-walk.h \
	%D%/stack.c \
	%D%/stack.h \
	%D%/standing.h \
	%D%/stream.c \
	%D%/stream.h \
	%D%/sums.c \
	%D%/sums.h \
	%D%/thread.c \
	%D%/thread.h \
	%D%/turns.c \
	%D%/turns.h
