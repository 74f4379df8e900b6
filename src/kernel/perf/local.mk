# SPDX-License-Identifier: BSD-3-Clause
# The source `perf` of hybmon-collect.
EXTRA_DIST += %D%/README.md
lib_hybmon_hybmon_collect_SOURCES += \
	%D%/check.c \
	%D%/decode.c \
	%D%/decode.h \
	%D%/perf.c \
	%D%/perf.h \
	%D%/read.c \
	%D%/tracefs.c \
	%D%/tracefs.h
