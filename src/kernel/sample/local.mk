# SPDX-License-Identifier: BSD-3-Clause
# The samples of hybmon-collect.
EXTRA_DIST += %D%/README.md
lib_hybmon_hybmon_collect_SOURCES += \
	%D%/copy.c \
	%D%/copy.h \
	%D%/read.c \
	%D%/rings.h \
	%D%/sample.c \
	%D%/sample.h
