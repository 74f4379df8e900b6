# SPDX-License-Identifier: BSD-3-Clause
# The job as a whole.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libmodel.a
%C%_libmodel_a_SOURCES = \
	%D%/collectors.c \
	%D%/comm.c \
	%D%/comm.h \
	%D%/end.c \
	%D%/file.c \
	%D%/file.h \
	%D%/link.c \
	%D%/link.h \
	%D%/ids.c \
	%D%/ids.h \
	%D%/metric.c \
	%D%/metric.h \
	%D%/model.c \
	%D%/model.h \
	%D%/name.c \
	%D%/name.h \
	%D%/nodes.c \
	%D%/parameter.c \
	%D%/parameter.h \
	%D%/region.c \
	%D%/region.h \
	%D%/shape.c \
	%D%/stack.c \
	%D%/stack.h \
	%D%/survey.c \
	%D%/team.c \
	%D%/team.h \
	%D%/win.c \
	%D%/win.h
