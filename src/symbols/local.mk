# SPDX-License-Identifier: BSD-3-Clause
# From addresses to source lines and names: the only part that uses libdw.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libsymbols.a
%C%_libsymbols_a_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CPPFLAGS)
%C%_libsymbols_a_SOURCES = \
	%D%/debug.h \
	%D%/demangle.c \
	%D%/demangle.h \
	%D%/jit.c \
	%D%/jit.h \
	%D%/object-file.c \
	%D%/object-file.h \
	%D%/source.c \
	%D%/source.h \
	%D%/unwind.h
if HAVE_LIBDW
%C%_libsymbols_a_SOURCES += %D%/debug.c %D%/unwind.c
else
%C%_libsymbols_a_SOURCES += %D%/none.c
endif
