# SPDX-License-Identifier: BSD-3-Clause
# The source `self` of hybmon-collect.
EXTRA_DIST += %D%/README.md
lib_hybmon_hybmon_collect_SOURCES += \
	%D%/counts.c \
	%D%/counts.h \
	%D%/read.c \
	%D%/self.c \
	%D%/self.h
