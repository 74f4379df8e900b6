# SPDX-License-Identifier: BSD-3-Clause
# The reader library, linked into every tool.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libtrace.a
%C%_libtrace_a_SOURCES = \
	$(hyb_format_files) \
	%D%/attached.h \
	%D%/chunk.c \
	%D%/chunk.h \
	%D%/clock.c \
	%D%/clock.h \
	%D%/clocks.c \
	%D%/defs.c \
	%D%/defs.h \
	%D%/diag.c \
	%D%/diag.h \
	%D%/experiment.c \
	%D%/experiment.h \
	%D%/family.c \
	%D%/family.h \
	%D%/file.c \
	%D%/file.h \
	%D%/frame.c \
	%D%/frame.h \
	%D%/io.h \
	%D%/kdefs.c \
	%D%/kdefs.h \
	%D%/kernel.c \
	%D%/kernel.h \
	%D%/lookup.c \
	%D%/manifest.c \
	%D%/manifest.h \
	%D%/marks.c \
	%D%/metric.c \
	%D%/metric.h \
	%D%/open.c \
	%D%/printable.c \
	%D%/printable.h \
	%D%/process.c \
	%D%/process.h \
	%D%/profile.c \
	%D%/profile.h \
	%D%/reader.h \
	%D%/rma.h \
	%D%/standing.c \
	%D%/standing.h \
	%D%/stream.c \
	%D%/stream.h \
	%D%/text.h \
	%D%/title.c \
	%D%/told.c \
	%D%/told.h \
	%D%/topology.c \
	%D%/topology.h \
	%D%/word.c \
	%D%/word.h
hyb_trace_libraries = src/trace/libtrace.a src/profile/libprofile.a src/containers/libcontainers.a
