# SPDX-License-Identifier: BSD-3-Clause
# The sink that writes JSON Lines, and documents of what was found: the only part that needs jansson.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libjson.a
%C%_libjson_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CPPFLAGS)
if HAVE_JANSSON
%C%_libjson_a_SOURCES = \
	%D%/check.c \
	%D%/check.h \
	%D%/compare.c \
	%D%/compare.h \
	%D%/define.c \
	%D%/define.h \
	%D%/document.c \
	%D%/document.h \
	%D%/filter.c \
	%D%/filter.h \
	%D%/findings.c \
	%D%/findings.h \
	%D%/graph.c \
	%D%/graph.h \
	%D%/profile.c \
	%D%/profile.h \
	%D%/report-causes.h \
	%D%/report-flat.c \
	%D%/report-flat.h \
	%D%/report-lines.c \
	%D%/report-traffic.c \
	%D%/report-traffic.h \
	%D%/report.c \
	%D%/report.h \
	%D%/sink.h \
	%D%/sink.c \
	%D%/value.h \
	%D%/view.c \
	%D%/view.h
else
%C%_libjson_a_SOURCES = %D%/none.c
endif
