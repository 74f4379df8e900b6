# SPDX-License-Identifier: BSD-3-Clause
#
# Tests speak TAP: scripts NAME.test and unit tests unit-NAME.c, in a folder for each room. A script begins with `.
# test/env.sh`, made by configure, and runs in the build folder. Programs that use MPI are built for each MPI that was
# found, by its own compiler wrapper: test/pmpi/p2p.c becomes test/openmpi/p2p and test/mpich/p2p.
AM_TESTS_ENVIRONMENT = HYB_TEST_ENV='$(abs_top_builddir)/test/env.sh'; export HYB_TEST_ENV;
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TEST_EXTENSIONS = .test
TEST_LOG_DRIVER = $(LOG_DRIVER)
# what hangs must not hold up all others
LOG_COMPILER = $(SHELL) $(srcdir)/%D%/lib/timed.sh 900
TEST_LOG_COMPILER = $(SHELL) $(srcdir)/%D%/lib/timed.sh 1800 $(SHELL)

EXTRA_DIST += \
	%D%/README.md \
	%D%/lib/collector.h \
	%D%/lib/count.c \
	%D%/lib/count.h \
	%D%/lib/expect.h \
	%D%/lib/lib.sh \
	%D%/lib/otf2-check.py \
	%D%/lib/otf2-shapes.py \
	%D%/lib/otf2_conventions.py \
	%D%/lib/brief.py \
	%D%/lib/browser.py \
	%D%/lib/otf2_counts.py \
	%D%/lib/programs.sh \
	%D%/lib/rank.sh \
	%D%/lib/requests.h \
	%D%/lib/rows.awk \
	%D%/lib/recordings.sh \
	%D%/lib/run.sh \
	%D%/lib/sinks.sh \
	%D%/lib/timed.sh \
	%D%/mutants/mutants.txt \
	%D%/mutants/mutate.py \
	%D%/suites/llvm-ompt.py \
	%D%/suites/mpi4py-suite.sh \
	%D%/suites/mpich-suite.awk \
	%D%/suites/mpich-suite.sh

# Recordings that tests of readers judge: lib/recordings.sh, scripts/keep-recordings.sh
EXTRA_DIST += $(hyb_kept_recordings:%=%D%/recordings/fresh/%.tar.xz)
hyb_kept_recordings = advice check diff flat json report teams traffic view
# and those of earlier versions: trace/frozen.test
EXTRA_DIST += %D%/recordings/frozen/README.md %D%/recordings/frozen/hybrid.c $(hyb_frozen_recordings:%=%D%/recordings/frozen/%.tar.xz)
hyb_frozen_recordings = 1.0-mpich 1.0-openmpi 1.1-mpich 1.1-openmpi-killed 1.2-openmpi 1.2-mpich-profile 1.2-mpich-killed 1.2-openmpi-order

# Scripts of all folders, of which the slow ones begin first, so that none of them is left for the end; unit tests, which
# link what they test; programs with MPI in them, by their sources without .c.
hyb_slow_tests =
hyb_test_scripts =
hyb_unit_tests =
hyb_mpi_programs =
hyb_mpi_headers = %D%/lib/abort.h %D%/lib/collector.h %D%/lib/count.h %D%/lib/expect.h %D%/lib/requests.h
hyb_synth = %D%/lib/synth.c %D%/lib/synth.h %D%/lib/tap.h

# the list of functions of the MPI for which a program is built: test/openmpi/p2p has that of Open MPI
hyb_mpi_declared = src/pmpi/adapter/declared-$(word 2,$(subst /, ,$@)).h
hyb_mpi_cflags = -std=gnu11 -I$(srcdir)/include -I$(srcdir)/%D%/lib $(CPPFLAGS) $(CFLAGS)
hyb_mpi_libs = -lpthread -ldl -lm
hyb_V_MPICC = $(hyb_v_mpicc_$(V))
hyb_v_mpicc_ = $(hyb_v_mpicc_$(AM_DEFAULT_VERBOSITY))
hyb_v_mpicc_0 = @echo "  MPICC   " $@;
# build_mpi COMPILER: in a rule for one program
hyb_build_mpi = $(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(1) -include $(hyb_mpi_declared) $(hyb_mpi_cflags) $< -o $@ $(hyb_mpi_libs)

include test/base/local.mk
include test/counters/local.mk
include test/record/local.mk
include test/process/local.mk
include test/pmpi/local.mk
include test/ompt/local.mk
include test/user/local.mk
include test/kernel/local.mk
include test/trace/local.mk
include test/containers/local.mk
include test/profile/local.mk
include test/analysis/local.mk
include test/symbols/local.mk
include test/unwind/local.mk
include test/check/local.mk
include test/races/local.mk
include test/replay/local.mk
include test/merge/local.mk
include test/merge/clock.mk
include test/json/local.mk
include test/html/local.mk
include test/view/local.mk
include test/perfetto/local.mk
include test/tools/local.mk
include test/source/local.mk

EXTRA_DIST += $(hyb_slow_tests) $(hyb_test_scripts) $(hyb_mpi_programs:=.c) $(hyb_mpi_headers)
TESTS += $(hyb_slow_tests) $(hyb_test_scripts) $(hyb_unit_tests)
# A test's log needs what the test runs, so that no other programs are built for one test: make knows it of unit tests,
# and of scripts once it comes to them, from programs.sh.
EXTRA_PROGRAMS += $(hyb_unit_tests)
hyb_c_mpis =
hyb_fortran_mpis =
if HAVE_OPENMPI
hyb_c_mpis += openmpi
endif
if HAVE_OPENMPI_FC
hyb_fortran_mpis += openmpi
endif
if HAVE_MPICH
hyb_c_mpis += mpich
endif
if HAVE_MPICH_FC
hyb_fortran_mpis += mpich
endif
hyb_programs_of = $(shell $(SHELL) $(srcdir)/%D%/lib/programs.sh $(srcdir)/$(1) "$(hyb_c_mpis)" "$(hyb_fortran_mpis)" "$(HYB_SANITIZERS)")
.SECONDEXPANSION:
$(hyb_slow_tests:.test=.log) $(hyb_test_scripts:.test=.log): %.log: $$(call hyb_programs_of,$$*)
clean-local:
	-rm -rf %D%/openmpi %D%/mpich

# For who changes something: under two minutes on two cores, once the library is built. Its script with MPI runs one row.
hyb_quick_tests = $(hyb_unit_tests) %D%/source/coverage.test %D%/source/exports.test %D%/source/layers.test \
	%D%/pmpi/programs.test %D%/tools/missing.test
check-quick: all
	TEST_ROWS=p2p $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(hyb_quick_tests)'
.PHONY: check-quick

# In a build with sanitizers: what finds mistakes with memory in the least time, which is unit tests, fuzzers, readers of
# the recordings that are kept, and some programs (rows with the word `sanitizers`). check-all runs all tests there, too.
hyb_sanitizer_tests = $(hyb_unit_tests) \
	%D%/analysis/advice.test %D%/analysis/diff.test %D%/analysis/flat.test %D%/analysis/report.test \
	%D%/analysis/teams.test %D%/analysis/traffic.test %D%/check/check.test %D%/json/json.test \
	%D%/merge/fuzz.test %D%/merge/halves.test %D%/merge/input.test %D%/merge/merge.test \
	%D%/merge/selection.test %D%/ompt/ompt.test %D%/perfetto/perfetto.test %D%/pmpi/fortran.test %D%/pmpi/io.test \
	%D%/pmpi/programs.test %D%/pmpi/rma.test %D%/process/ends.test %D%/process/life.test %D%/profile/profile.test \
	%D%/replay/mutants.test
check-sanitizers: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(hyb_sanitizer_tests)'
.PHONY: check-sanitizers

# In a build with the thread sanitizer: the tests that are for it, and no more of hybmon than they need.
hyb_thread_tests = %D%/ompt/ompt.test %D%/ompt/storm.test %D%/pmpi/storm.test
check-threads: $(BUILT_SOURCES)
	$(MAKE) $(AM_MAKEFLAGS) lib/libhybmon.so $(execadapter_PROGRAMS) tools/hybmon-print tools/hybmon-merge
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(hyb_thread_tests)'
.PHONY: check-threads

# Before a release or the end of a larger piece of work, in up to two hours: all rows in all bindings with all MPIs, and
# recordings that are made anew.
check-all: all
	TEST_ALL=1 TEST_RECORD=1 $(MAKE) $(AM_MAKEFLAGS) check
.PHONY: check-all

# The same without each library that hybmon can be built without: VARIANTS="zstd nothing" chooses.
check-variants:
	$(SHELL) $(srcdir)/scripts/check-variants.sh $(VARIANTS)
.PHONY: check-variants
