# SPDX-License-Identifier: BSD-3-Clause
# The OMPT tool; becomes part of libhybmon.so, see src/preload/local.mk.
EXTRA_DIST += %D%/README.md
hyb_ompt_files = \
	%D%/callbacks.h \
	%D%/control.c \
	%D%/error.c \
	%D%/event.h \
	%D%/gomp.c \
	%D%/gomp.h \
	%D%/kinds.h \
	%D%/mutex.c \
	%D%/ompt.h \
	%D%/region.c \
	%D%/sync.c \
	%D%/target.c \
	%D%/task.c \
	%D%/team.c \
	%D%/thread.c \
	%D%/tool.c \
	%D%/wait.c \
	%D%/work.c
