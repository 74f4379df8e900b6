# SPDX-License-Identifier: BSD-3-Clause
# A library for each folder of which other programs than one use a part: hyb_libraries is what tools and unit tests link, and
# they get what they use. doc/architecture.md says what the folders are.
noinst_LIBRARIES += %D%/core/libcore.a %D%/reader/libreader.a %D%/merge/libmerge.a %D%/analysis/libanalysis.a \
	%D%/export/libexport.a %D%/timeline/libtimeline.a
hyb_libraries = %D%/timeline/libtimeline.a %D%/export/libexport.a %D%/analysis/libanalysis.a %D%/merge/libmerge.a \
	%D%/reader/libreader.a %D%/core/libcore.a $(OTF2_LIBS) $(PROTOBUF_C_LIBS) $(JANSSON_LIBS) $(MICROHTTPD_LIBS) $(ZSTD_LIBS) \
	$(LIBDW_LIBS) -lm

# in libhybmon.so, too
%C%_core_libcore_a_CFLAGS = $(AM_CFLAGS) -fPIC
%C%_core_libcore_a_CCASFLAGS = -fPIC
%C%_core_libcore_a_SOURCES = \
	$(hyb_src_format) \
	$(hyb_src_core_calltree) \
	$(hyb_src_core_config) \
	$(hyb_src_core_counters) \
	$(hyb_src_core_job) \
	$(hyb_src_core_outcomes) \
	$(hyb_src_core_record) \
	$(hyb_src_core_sys) \
	$(hyb_src_core_unwind)

%C%_reader_libreader_a_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CPPFLAGS)
%C%_reader_libreader_a_SOURCES = \
	$(hyb_src_reader_containers) \
	$(hyb_src_reader_streams) \
	$(hyb_src_reader_symbols)
if HAVE_LIBDW
%C%_reader_libreader_a_SOURCES += %D%/reader/symbols/debug.c %D%/reader/symbols/unwind.c
else
%C%_reader_libreader_a_SOURCES += %D%/reader/symbols/debug-none.c %D%/reader/symbols/unwind-none.c
endif

%C%_merge_libmerge_a_SOURCES = \
	$(hyb_src_merge) \
	$(hyb_src_merge_clock) \
	$(hyb_src_merge_kernel) \
	$(hyb_src_merge_model) \
	$(hyb_src_merge_mpi) \
	$(hyb_src_merge_openmp) \
	$(hyb_src_merge_sink)

%C%_analysis_libanalysis_a_SOURCES = \
	$(hyb_src_analysis_check) \
	$(hyb_src_analysis_diff) \
	$(hyb_src_analysis_filter) \
	$(hyb_src_analysis_graph) \
	$(hyb_src_analysis_profile) \
	$(hyb_src_analysis_races) \
	$(hyb_src_analysis_replay) \
	$(hyb_src_analysis_report) \
	$(hyb_src_analysis_waits)

%C%_export_libexport_a_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CPPFLAGS) $(JANSSON_CPPFLAGS) $(PROTOBUF_C_CPPFLAGS)
%C%_export_libexport_a_CCASFLAGS = $(AM_CCASFLAGS) -Wa,-I$(srcdir)/%D%/export/html
%C%_export_libexport_a_SOURCES = \
	$(hyb_src_export_html) \
	$(hyb_src_export_samples) \
	$(hyb_src_export_text)
nodist_%C%_export_libexport_a_SOURCES = %D%/export/html/hashes.h
if HAVE_OTF2
%C%_export_libexport_a_SOURCES += $(hyb_src_export_otf2)
else
%C%_export_libexport_a_SOURCES += $(hyb_src_export_otf2_none)
endif
if HAVE_JANSSON
%C%_export_libexport_a_SOURCES += $(hyb_src_export_documents) $(hyb_src_export_json)
else
%C%_export_libexport_a_SOURCES += $(hyb_src_export_documents_none) $(hyb_src_export_json_none)
endif
if HAVE_PROTOBUF_C
%C%_export_libexport_a_SOURCES += $(hyb_src_export_perfetto)
nodist_%C%_export_libexport_a_SOURCES += %D%/export/perfetto/trace.pb-c.c %D%/export/perfetto/trace.pb-c.h
BUILT_SOURCES += %D%/export/perfetto/trace.pb-c.h
CLEANFILES += %D%/export/perfetto/trace.pb-c.c %D%/export/perfetto/trace.pb-c.h
%D%/export/perfetto/trace.pb-c.h: %D%/export/perfetto/trace.proto
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(PROTOC_C) --proto_path=$(srcdir)/src --c_out=$(builddir)/src $(srcdir)/%D%/export/perfetto/trace.proto
%D%/export/perfetto/trace.pb-c.c: %D%/export/perfetto/trace.pb-c.h
else
%C%_export_libexport_a_SOURCES += $(hyb_src_export_perfetto_none)
endif

%C%_timeline_libtimeline_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CPPFLAGS) $(MICROHTTPD_CPPFLAGS) $(ZSTD_CPPFLAGS)
%C%_timeline_libtimeline_a_CCASFLAGS = $(AM_CCASFLAGS) -Wa,-I$(srcdir)/%D%/timeline/web -Wa,-I$(srcdir)/%D%/export/html
%C%_timeline_libtimeline_a_SOURCES = \
	$(hyb_src_timeline_store) \
	$(hyb_src_timeline_web)
nodist_%C%_timeline_libtimeline_a_SOURCES = %D%/timeline/web/hashes.h
if HAVE_ZSTD
%C%_timeline_libtimeline_a_SOURCES += %D%/timeline/store/compress.c
else
%C%_timeline_libtimeline_a_SOURCES += %D%/timeline/store/compress-none.c
endif
if HAVE_JANSSON
%C%_timeline_libtimeline_a_SOURCES += $(hyb_src_timeline_json)
else
%C%_timeline_libtimeline_a_SOURCES += $(hyb_src_timeline_json_none)
endif
if HAVE_MICROHTTPD
%C%_timeline_libtimeline_a_SOURCES += %D%/timeline/web/server.c
else
%C%_timeline_libtimeline_a_SOURCES += %D%/timeline/web/server-none.c
endif

# Styles and scripts are parts of the tools (files.S), and pages name them by their hashes.
hyb_page_files = $(addprefix $(srcdir)/,$(filter %.css %.js,$(hyb_other_files)))
BUILT_SOURCES += %D%/export/html/hashes.h %D%/timeline/web/hashes.h
CLEANFILES += %D%/export/html/hashes.h %D%/timeline/web/hashes.h
%D%/export/html/hashes.h %D%/timeline/web/hashes.h: %D%/export/html/hashes.sh %D%/export/html/files.S %D%/timeline/web/files.S $(hyb_page_files)
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && \
	sh $(srcdir)/%D%/export/html/hashes.sh $(srcdir)/$(@D) $(srcdir)/%D%/export/html >$@.tmp && mv $@.tmp $@
%D%/export/html/libexport_a-files.$(OBJEXT) %D%/timeline/web/libtimeline_a-files.$(OBJEXT): $(hyb_page_files)

include src/pmpi/table/local.mk
include src/ompt/gomp/local.mk
include src/preload/local.mk
include src/pmpi/adapter/local.mk
include src/collector/local.mk
