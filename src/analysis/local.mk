# SPDX-License-Identifier: BSD-3-Clause
# What a recording means: sinks that understand.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libanalysis.a
%C%_libanalysis_a_SOURCES = \
	%D%/advice.c \
	%D%/advice.h \
	%D%/calltree.c \
	%D%/calltree.h \
	%D%/causes.c \
	%D%/causes.h \
	%D%/compare-text.c \
	%D%/compare.c \
	%D%/compare.h \
	%D%/epoch-waits.c \
	%D%/events.c \
	%D%/events.h \
	%D%/fence-waits.c \
	%D%/finder.h \
	%D%/flat-order.c \
	%D%/flat-text.c \
	%D%/flat.c \
	%D%/flat.h \
	%D%/history.c \
	%D%/history.h \
	%D%/items.c \
	%D%/kernel.c \
	%D%/kernel.h \
	%D%/lines-text.c \
	%D%/lines.c \
	%D%/lines.h \
	%D%/lock-waits.c \
	%D%/meet.c \
	%D%/paths.c \
	%D%/profile.h \
	%D%/proposal-text.c \
	%D%/proposal.c \
	%D%/proposal.h \
	%D%/ranks-test.c \
	%D%/ranks-test.h \
	%D%/report-brief.c \
	%D%/report-lines.h \
	%D%/report-text.c \
	%D%/report.c \
	%D%/report.h \
	%D%/show.c \
	%D%/span.h \
	%D%/spots.c \
	%D%/spots.h \
	%D%/spread.c \
	%D%/spread.h \
	%D%/step-log.c \
	%D%/step-log.h \
	%D%/steps.c \
	%D%/steps.h \
	%D%/sync.c \
	%D%/task-waits.c \
	%D%/team-waits.c \
	%D%/tracks.h \
	%D%/traffic-text.c \
	%D%/traffic.c \
	%D%/traffic.h \
	%D%/windows.c
