# SPDX-License-Identifier: BSD-3-Clause
# The merge's writer: the only part that needs OTF2.
EXTRA_DIST += %D%/README.md
if HAVE_OTF2
noinst_LIBRARIES += %D%/libotf2.a
%C%_libotf2_a_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CPPFLAGS) $(LIBDW_CPPFLAGS)
%C%_libotf2_a_SOURCES = \
	%D%/archive.c \
	%D%/archive.h \
	%D%/attributes.c \
	%D%/collective.c \
	%D%/collectors.c \
	%D%/comm.c \
	%D%/comm.h \
	%D%/convert.c \
	%D%/convert.h \
	%D%/created.c \
	%D%/created.h \
	%D%/define.c \
	%D%/define.h \
	%D%/demangle.c \
	%D%/demangle.h \
	%D%/end.c \
	%D%/file.c \
	%D%/file.h \
	%D%/io.c \
	%D%/jit.c \
	%D%/jit.h \
	%D%/kcpu.c \
	%D%/kdefine.c \
	%D%/kernel.c \
	%D%/kernel.h \
	%D%/knest.c \
	%D%/kpass.h \
	%D%/kregion.c \
	%D%/ksummary.c \
	%D%/ktask.c \
	%D%/kthread.c \
	%D%/link.c \
	%D%/link.h \
	%D%/local.c \
	%D%/local.h \
	%D%/locks.c \
	%D%/locks.h \
	%D%/match.c \
	%D%/match.h \
	%D%/merge.c \
	%D%/merge.h \
	%D%/message.c \
	%D%/name.c \
	%D%/name.h \
	%D%/program.c \
	%D%/reading.c \
	%D%/region.c \
	%D%/region.h \
	%D%/requests.c \
	%D%/requests.h \
	%D%/rma.c \
	%D%/rma.h \
	%D%/shared.c \
	%D%/source.c \
	%D%/source.h \
	%D%/spill.c \
	%D%/spill.h \
	%D%/summary.c \
	%D%/survey.c \
	%D%/table.c \
	%D%/table.h \
	%D%/target.c \
	%D%/task.c \
	%D%/task.h \
	%D%/team.c \
	%D%/team.h \
	%D%/thread.c \
	%D%/topology.c \
	%D%/untold.c \
	%D%/untold.h \
	%D%/win.c \
	%D%/win.h
endif
