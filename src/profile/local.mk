# SPDX-License-Identifier: BSD-3-Clause
# From records to a call tree: in libhybmon.so, the collector and what reads profiles.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libprofile.a
%C%_libprofile_a_CFLAGS = $(AM_CFLAGS) -fPIC
%C%_libprofile_a_SOURCES = \
	%D%/digest.c \
	%D%/digest.h \
	%D%/tree.c \
	%D%/tree.h
