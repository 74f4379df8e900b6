# SPDX-License-Identifier: BSD-3-Clause
hyb_test_scripts += \
	%D%/counters.test \
	%D%/fuzz.test \
	%D%/halves.test \
	%D%/input.test \
	%D%/merge.test \
	%D%/pairs.test \
	%D%/private.test \
	%D%/selection.test \
	%D%/running.test
EXTRA_DIST += %D%/corpus.sh %D%/counters.py %D%/pairs.py %D%/selection.py
hyb_unit_tests += \
	%D%/unit-locks \
	%D%/unit-match \
	%D%/unit-metric \
	%D%/unit-parts \
	%D%/unit-tasks \
	%D%/unit-threads
%C%_unit_locks_SOURCES = %D%/unit-locks.c
%C%_unit_locks_LDADD = $(hyb_merge_libraries)
%C%_unit_match_SOURCES = %D%/unit-match.c
%C%_unit_match_LDADD = $(hyb_merge_libraries)
%C%_unit_metric_SOURCES = %D%/unit-metric.c $(hyb_synth)
%C%_unit_metric_LDADD = $(hyb_merge_libraries)
%C%_unit_parts_SOURCES = %D%/unit-parts.c
%C%_unit_parts_LDADD = $(hyb_merge_libraries)
%C%_unit_tasks_SOURCES = %D%/unit-tasks.c
%C%_unit_tasks_LDADD = $(hyb_merge_libraries)
%C%_unit_threads_SOURCES = %D%/unit-threads.c $(hyb_synth)
%C%_unit_threads_LDADD = $(hyb_merge_libraries)

# The tools in one program, under other names than main: see fuzz-merge.c.
EXTRA_LIBRARIES = %D%/libcheck.a %D%/libdiff.a %D%/libmerge.a %D%/libprint.a %D%/libreport.a %D%/libview.a
%C%_libcheck_a_CPPFLAGS = $(AM_CPPFLAGS) -include $(srcdir)/%D%/tools.h -Dmain=hyb_check_main
%C%_libcheck_a_SOURCES = tools/hybmon-check.c
%C%_libdiff_a_CPPFLAGS = $(AM_CPPFLAGS) -include $(srcdir)/%D%/tools.h -Dmain=hyb_diff_main
%C%_libdiff_a_SOURCES = tools/hybmon-diff.c
%C%_libmerge_a_CPPFLAGS = $(AM_CPPFLAGS) -include $(srcdir)/%D%/tools.h -Dmain=hyb_merge_main
%C%_libmerge_a_SOURCES = tools/hybmon-merge.c
%C%_libprint_a_CPPFLAGS = $(AM_CPPFLAGS) -include $(srcdir)/%D%/tools.h -Dmain=hyb_print_main
%C%_libprint_a_SOURCES = $(tools_hybmon_print_SOURCES)
%C%_libreport_a_CPPFLAGS = $(AM_CPPFLAGS) -include $(srcdir)/%D%/tools.h -Dmain=hyb_report_main
%C%_libreport_a_SOURCES = tools/hybmon-report.c tools/page.c tools/paint.c
%C%_libview_a_CPPFLAGS = $(AM_CPPFLAGS) -include $(srcdir)/%D%/tools.h -Dmain=hyb_view_main
%C%_libview_a_SOURCES = tools/hybmon-view.c tools/kept.c tools/view-browser.c tools/view-follow.c tools/view-load.c tools/view-place.c
EXTRA_PROGRAMS += %D%/fuzz-merge
%C%_fuzz_merge_SOURCES = \
	%D%/fuzz-change.c \
	%D%/fuzz-change.h \
	%D%/fuzz-merge.c \
	%D%/tools.h \
	test/lib/fuzz.h
%C%_fuzz_merge_LDADD = %D%/libmerge.a %D%/libprint.a %D%/libcheck.a %D%/libreport.a %D%/libdiff.a \
	%D%/libview.a src/check/libcheck.a src/html/libhtml.a src/json/libjson.a $(hyb_lacking) src/view/libview.a \
	src/analysis/libanalysis.a $(hyb_merge_sinks) $(hyb_merge_libraries) $(hyb_merge_libs) $(MICROHTTPD_LIBS) $(ZSTD_LIBS) -lm
CLEANFILES += $(EXTRA_LIBRARIES)
%D%/fuzz.log: %D%/fuzz-merge$(EXEEXT)

# What corpus.sh records.
hyb_corpus_programs = $(foreach mpi,$(hyb_c_mpis),$(addprefix test/$(mpi)/, \
	calls coll inter kernel p2p partitioned polls requests rma spawn threads topo))

# Long: in a build with --enable-sanitizers=address,undefined. FUZZ="FIRST COUNT": which changes
FUZZ = 0 50000
check-fuzz: all %D%/fuzz-merge $(hyb_corpus_programs)
	rm -rf fuzz-corpus && HYB_TEST_ENV='$(abs_top_builddir)/test/env.sh' \
		$(SHELL) $(srcdir)/%D%/corpus.sh '$(abs_top_builddir)/fuzz-corpus'
	%D%/fuzz-merge fuzz-corpus $(FUZZ)
	%D%/fuzz-merge fuzz-corpus truncate 8
.PHONY: check-fuzz
