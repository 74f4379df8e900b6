# SPDX-License-Identifier: BSD-3-Clause
# From raw streams to resolved events.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libmerge.a
%C%_libmerge_a_SOURCES = \
	%D%/attribute.c \
	%D%/attribute.h \
	%D%/callpath.c \
	%D%/callpath.h \
	%D%/collective.c \
	%D%/convert.c \
	%D%/convert.h \
	%D%/task-teams.c \
	%D%/task-teams.h \
	%D%/deeds.c \
	%D%/deeds.h \
	%D%/event.h \
	%D%/excerpt.c \
	%D%/excerpt.h \
	%D%/field.c \
	%D%/field.h \
	%D%/io.c \
	%D%/locks.c \
	%D%/locks.h \
	%D%/match.c \
	%D%/match.h \
	%D%/merge.c \
	%D%/merge.h \
	%D%/message.c \
	%D%/metric.c \
	%D%/metric.h \
	%D%/nodes.c \
	%D%/nodes.h \
	%D%/outlet.c \
	%D%/outlet.h \
	%D%/output.c \
	%D%/output.h \
	%D%/pairing.c \
	%D%/pairs.c \
	%D%/pairs.h \
	%D%/parameter.c \
	%D%/parts.c \
	%D%/parts.h \
	%D%/process.c \
	%D%/program.c \
	%D%/rates.c \
	%D%/rates.h \
	%D%/reading.c \
	%D%/sites.c \
	%D%/sites.h \
	%D%/stacks.c \
	%D%/stacks.h \
	%D%/requests.c \
	%D%/requests.h \
	%D%/rma.c \
	%D%/rma.h \
	%D%/rma-threads.c \
	%D%/selection.c \
	%D%/selection.h \
	%D%/sink.h \
	%D%/spill.c \
	%D%/spill.h \
	%D%/summary.c \
	%D%/summary-metric.c \
	%D%/target.c \
	%D%/task-ends.c \
	%D%/task-ends.h \
	%D%/thread.c \
	%D%/title.c \
	%D%/title.h \
	%D%/unreported.c \
	%D%/unreported.h \
	%D%/word.c \
	%D%/kernel/chains.c \
	%D%/kernel/chains.h \
	%D%/kernel/cpu.c \
	%D%/kernel/holders.c \
	%D%/kernel/kernel.c \
	%D%/kernel/kernel.h \
	%D%/kernel/names.c \
	%D%/kernel/nest.c \
	%D%/kernel/reading.h \
	%D%/kernel/sample.c \
	%D%/kernel/summary.c \
	%D%/kernel/task.c \
	%D%/kernel/thread.c
hyb_merge_libraries = %D%/libmerge.a src/merge/clock/libclock.a src/model/libmodel.a src/symbols/libsymbols.a \
	$(hyb_trace_libraries) $(LIBDW_LIBS) -lm
