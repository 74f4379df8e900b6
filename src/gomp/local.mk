# SPDX-License-Identifier: BSD-3-Clause
# Wrappers of libgomp's functions; becomes part of libhybmon.so, see src/preload/local.mk.
EXTRA_DIST += %D%/README.md %D%/gen.awk %D%/gomp.tbl
hyb_gomp_files = \
	%D%/call.h \
	%D%/mutex.c \
	%D%/parallel.c \
	%D%/runtime.c \
	%D%/runtime.h \
	%D%/sync.c \
	%D%/target.c \
	%D%/task.c \
	%D%/teams.c \
	%D%/thread.c \
	%D%/turns.c \
	%D%/work.c \
	%D%/work.h
hyb_gomp_generated = %D%/functions.c %D%/functions.h %D%/stubs.S %D%/turns.h %D%/wrappers.h
BUILT_SOURCES += %D%/functions.h %D%/turns.h %D%/wrappers.h
CLEANFILES += $(hyb_gomp_generated)

$(hyb_gomp_generated): %D%/gen.awk %D%/gomp.tbl
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && \
	$(AWK) -v out=$(@F) -f $(srcdir)/src/gomp/gen.awk $(srcdir)/src/gomp/gomp.tbl >$@.tmp && mv $@.tmp $@
