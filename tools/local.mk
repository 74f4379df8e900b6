# SPDX-License-Identifier: BSD-3-Clause
EXTRA_DIST += %D%/README.md %D%/hybmon.bash
bash_completionsdir = $(datadir)/bash-completion/completions
hyb_completed = hybmon-merge hybmon-print hybmon-check hybmon-report hybmon-diff hybmon-filter hybmon-view hybmon-races hybmon-graph
bin_PROGRAMS += %D%/hybmon %D%/hybmon-print
# What the build lacks depends on how it was configured.
noinst_LIBRARIES += %D%/liblacking.a
%C%_liblacking_a_CPPFLAGS = $(AM_CPPFLAGS) -DHYB_MISSING='"$(HYB_MISSING)"'
%C%_liblacking_a_SOURCES = %D%/lacking.c %D%/lacking.h
%D%/liblacking_a-lacking.$(OBJEXT): Makefile
hyb_lacking = %D%/liblacking.a

%C%_hybmon_CPPFLAGS = $(AM_CPPFLAGS) -DLIBDIR='"$(libdir)"'
%C%_hybmon_SOURCES = \
	%D%/aftermath.c \
	%D%/aftermath.h \
	%D%/counters.c \
	%D%/doctor-counters.c \
	%D%/doctor-kernel.c \
	%D%/doctor-library.c \
	%D%/doctor-samples.c \
	%D%/doctor.c \
	%D%/doctor.h \
	%D%/elf-file.c \
	%D%/elf-file.h \
	%D%/filter-price.c \
	%D%/filter-price.h \
	%D%/hybmon.c \
	%D%/hybmon.h \
	%D%/launch.c \
	%D%/launch.h \
	%D%/library.c \
	%D%/outcome.c \
	%D%/outcome.h \
	%D%/paint.c \
	%D%/paint.h \
	%D%/parent.c \
	%D%/parent.h \
	%D%/prepare.c \
	%D%/prepare.h \
	%D%/program.c \
	%D%/program.h \
	%D%/replay-watch.c \
	%D%/replay-watch.h \
	%D%/replay.c \
	%D%/run.c \
	%D%/runtime.c \
	%D%/runtime.h \
	%D%/tool.c
%C%_hybmon_LDADD = $(hyb_lacking) src/replay/libreplay.a $(hyb_trace_libraries) src/job/libjob.a src/counters/libcounters.a src/base/libbase.a

%C%_hybmon_print_SOURCES = \
	%D%/hybmon-print.c \
	%D%/print-attached.c \
	%D%/print-follow.c \
	%D%/print-io.c \
	%D%/print-job.c \
	%D%/print-job.h \
	%D%/print-kernel.c \
	%D%/print-metric.c \
	%D%/print-omp.c \
	%D%/print-profile.c \
	%D%/print-rma.c \
	%D%/print-standing.c \
	%D%/print-summary.c \
	%D%/print-topology.c \
	%D%/print-told.c \
	%D%/print.c \
	%D%/print.h
%C%_hybmon_print_LDADD = src/json/libjson.a $(hyb_lacking) src/analysis/libanalysis.a $(hyb_merge_libraries) $(JANSSON_LIBS)

# What hybmon-merge can write.
hyb_merge_sinks = src/samples/libsamples.a src/otf2/libotf2.a src/json/libjson.a src/perfetto/libperfetto.a
hyb_merge_libs = $(OTF2_LIBS) $(JANSSON_LIBS) $(PROTOBUF_C_LIBS)
bin_PROGRAMS += %D%/hybmon-merge
%C%_hybmon_merge_SOURCES = %D%/hybmon-merge.c
%C%_hybmon_merge_LDADD = $(hyb_merge_sinks) $(hyb_lacking) $(hyb_merge_libraries) $(hyb_merge_libs)

bin_PROGRAMS += %D%/hybmon-check
%C%_hybmon_check_SOURCES = %D%/hybmon-check.c %D%/paint.c %D%/paint.h
%C%_hybmon_check_LDADD = src/json/libjson.a $(hyb_lacking) src/check/libcheck.a src/model/libmodel.a src/symbols/libsymbols.a \
	$(hyb_trace_libraries) $(LIBDW_LIBS) $(JANSSON_LIBS)

bin_PROGRAMS += %D%/hybmon-races
%C%_hybmon_races_SOURCES = %D%/hybmon-races.c %D%/paint.c %D%/paint.h
%C%_hybmon_races_LDADD = src/races/libraces.a src/replay/libreplay.a $(hyb_merge_libraries)

bin_PROGRAMS += %D%/hybmon-graph
%C%_hybmon_graph_SOURCES = %D%/hybmon-graph.c
%C%_hybmon_graph_LDADD = src/json/libjson.a $(hyb_lacking) src/races/libraces.a src/replay/libreplay.a src/analysis/libanalysis.a \
	$(hyb_merge_libraries) $(JANSSON_LIBS)

bin_PROGRAMS += %D%/hybmon-filter
%C%_hybmon_filter_CPPFLAGS = $(AM_CPPFLAGS) -DLIBDIR='"$(libdir)"'
%C%_hybmon_filter_SOURCES = \
	%D%/filter-price.c \
	%D%/filter-price.h \
	%D%/hybmon-filter.c \
	%D%/library.c \
	%D%/tool.c
nodist_%C%_hybmon_filter_SOURCES = src/pmpi/table/functions.c
%C%_hybmon_filter_LDADD = src/json/libjson.a $(hyb_lacking) src/analysis/libanalysis.a $(hyb_merge_libraries) $(JANSSON_LIBS)

bin_PROGRAMS += %D%/hybmon-report
%C%_hybmon_report_SOURCES = %D%/hybmon-report.c %D%/page.c %D%/page.h %D%/paint.c %D%/paint.h
%C%_hybmon_report_LDADD = src/html/libhtml.a src/json/libjson.a $(hyb_lacking) src/analysis/libanalysis.a $(hyb_merge_libraries) $(JANSSON_LIBS)

bin_PROGRAMS += %D%/hybmon-view
%C%_hybmon_view_SOURCES = %D%/hybmon-view.c %D%/kept.c %D%/kept.h %D%/page.c %D%/page.h \
	%D%/view-browser.c %D%/view-browser.h %D%/view-follow.c %D%/view-follow.h %D%/view-load.c %D%/view-load.h %D%/view-place.c %D%/view-place.h
%C%_hybmon_view_LDADD = src/html/libhtml.a src/json/libjson.a $(hyb_lacking) src/view/libview.a src/analysis/libanalysis.a \
	$(hyb_merge_libraries) $(JANSSON_LIBS) $(MICROHTTPD_LIBS) $(ZSTD_LIBS)

bin_PROGRAMS += %D%/hybmon-diff
%C%_hybmon_diff_SOURCES = %D%/hybmon-diff.c %D%/paint.c %D%/paint.h
%C%_hybmon_diff_LDADD = src/json/libjson.a $(hyb_lacking) src/analysis/libanalysis.a $(hyb_merge_libraries) $(JANSSON_LIBS) -lm

# A file of each command's name, as bash looks for it.
install-data-local:
	$(MKDIR_P) '$(DESTDIR)$(bash_completionsdir)'
	$(INSTALL_DATA) $(srcdir)/%D%/hybmon.bash '$(DESTDIR)$(bash_completionsdir)/hybmon'
	cd '$(DESTDIR)$(bash_completionsdir)' && for name in $(hyb_completed); do \
		rm -f $$name && $(LN_S) hybmon $$name; done
uninstall-local:
	cd '$(DESTDIR)$(bash_completionsdir)' && rm -f hybmon $(hyb_completed)
