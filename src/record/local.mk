# SPDX-License-Identifier: BSD-3-Clause
# Streams, definitions, manifests: becomes part of libhybmon.so and of the collector.
hyb_record_files = \
	%D%/copied.c \
	%D%/copied.h \
	%D%/definitions.c \
	%D%/definitions.h \
	%D%/manifest.c \
	%D%/manifest.h \
	%D%/nesting.c \
	%D%/nesting.h \
	%D%/record.h \
	%D%/stream.c \
	%D%/stream.h \
	%D%/thread.c \
	%D%/thread.h
