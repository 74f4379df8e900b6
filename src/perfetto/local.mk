# SPDX-License-Identifier: BSD-3-Clause
# The sink that writes for Perfetto: the only part that needs protobuf-c.
EXTRA_DIST += %D%/README.md %D%/trace.proto
noinst_LIBRARIES += %D%/libperfetto.a
%C%_libperfetto_a_CPPFLAGS = $(AM_CPPFLAGS) $(PROTOBUF_C_CPPFLAGS)
if HAVE_PROTOBUF_C
%C%_libperfetto_a_SOURCES = \
	%D%/define.c \
	%D%/define.h \
	%D%/sink.h \
	%D%/sink.c
nodist_%C%_libperfetto_a_SOURCES = %D%/trace.pb-c.c %D%/trace.pb-c.h
BUILT_SOURCES += %D%/trace.pb-c.h
CLEANFILES += %D%/trace.pb-c.c %D%/trace.pb-c.h
%D%/trace.pb-c.h: %D%/trace.proto
	$(AM_V_GEN)$(MKDIR_P) %D% && $(PROTOC_C) --proto_path=$(srcdir)/src --c_out=$(builddir)/src $(srcdir)/%D%/trace.proto
%D%/trace.pb-c.c: %D%/trace.pb-c.h
else
%C%_libperfetto_a_SOURCES = %D%/none.c
endif
