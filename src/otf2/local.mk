# SPDX-License-Identifier: BSD-3-Clause
# The sink that writes an OTF2 archive: the only part that needs OTF2.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libotf2.a
%C%_libotf2_a_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CPPFLAGS)
if HAVE_OTF2
%C%_libotf2_a_SOURCES = \
	%D%/archive.c \
	%D%/archive.h \
	%D%/define-kernel.c \
	%D%/define-samples.c \
	%D%/define-texts.c \
	%D%/define-topology.c \
	%D%/define.c \
	%D%/define.h \
	%D%/location.h \
	%D%/metric.c \
	%D%/sampled.c \
	%D%/samples.c \
	%D%/samples.h \
	%D%/sink.c \
	%D%/sink.h \
	%D%/write.c
else
%C%_libotf2_a_SOURCES = %D%/none.c
endif
