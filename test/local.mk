# SPDX-License-Identifier: BSD-3-Clause
#
# Tests speak TAP: scripts NAME.test and unit tests unit-NAME.c, in a folder for each of src. A script begins with `.
# test/env.sh`, made by configure, and runs in the build folder. Programs that use MPI are built for each MPI that was
# found, by its own compiler wrapper: test/programs/p2p.c becomes test/openmpi/p2p and test/mpich/p2p.
AM_TESTS_ENVIRONMENT = HYB_TEST_ENV='$(abs_top_builddir)/test/env.sh'; export HYB_TEST_ENV;
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TEST_EXTENSIONS = .test
TEST_LOG_DRIVER = $(LOG_DRIVER)
# what hangs must not hold up all others
LOG_COMPILER = $(SHELL) $(srcdir)/%D%/lib/timed.sh 900
TEST_LOG_COMPILER = $(SHELL) $(srcdir)/%D%/lib/timed.sh 1800 $(SHELL)

# What lies here, sources.mk has: scripts, of which the slow ones (with a line `# slow`) begin first, so that none of them is left
# for the end; unit tests and fuzzers, unit-NAME.c and fuzz-NAME.c; programs with MPI in them, programs/NAME.c.
noinst_LIBRARIES += %D%/lib/libtest.a
%C%_lib_libtest_a_SOURCES = %D%/lib/synth.c %D%/lib/synth.h %D%/lib/tap.h %D%/lib/fuzz.h
hyb_mpi_lib_headers = %D%/lib/abort.h %D%/lib/collector.h %D%/lib/count.h %D%/lib/expect.h %D%/lib/requests.h

# the list of functions of the MPI for which a program is built: test/openmpi/p2p has that of Open MPI
hyb_mpi_declared = src/pmpi/adapter/declared-$(word 2,$(subst /, ,$@)).h
hyb_mpi_cflags = -std=gnu11 -I$(srcdir)/include -I$(srcdir)/%D%/lib $(CPPFLAGS) $(CFLAGS)
hyb_mpi_libs = -lpthread -ldl -lm
hyb_V_MPICC = $(hyb_v_mpicc_$(V))
hyb_v_mpicc_ = $(hyb_v_mpicc_$(AM_DEFAULT_VERBOSITY))
hyb_v_mpicc_0 = @echo "  MPICC   " $@;
# build_mpi COMPILER: in a rule for one program
hyb_build_mpi = $(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(1) -include $(hyb_mpi_declared) $(hyb_mpi_cflags) $< -o $@ $(hyb_mpi_libs)

test/openmpi/%: %D%/programs/%.c $(hyb_mpi_headers) $(hyb_mpi_lib_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/programs/%.c $(hyb_mpi_headers) $(hyb_mpi_lib_headers)
	$(call hyb_build_mpi,$(MPICH_CC))
%D%/pmpi/real.log: $(hyb_mpi_examples)

# Each Fortran program in each of the bindings: fortran-NAME-BINDING. Where `use mpi` has no interfaces with
# choice buffers, gfortran has to be told that arguments may differ from call to call.
hyb_fortran_each = $(hyb_fortran_programs:%=fortran-%-h) $(hyb_fortran_programs:%=fortran-%-mpi) \
	$(hyb_fortran_programs:%=fortran-%-f08)
hyb_fortran_flags = -g -w -ffree-line-length-none -fallow-argument-mismatch
# build_fortran COMPILER DECLARED C-COMPILER: what newer versions of MPI have is used where its C header declares
# it; a program may have a part in C.
hyb_build_fortran = stem=$*; in_c=$(srcdir)/%D%/programs/fortran/$${stem%-*}.c; object=; \
	$(MKDIR_P) $@.mod && if test -f "$$in_c"; then \
	object=$@.mod/in_c.o; $(3) $(hyb_mpi_cflags) -c "$$in_c" -o $$object; fi && $(1) -cpp -DBINDING_$${stem\#\#*-} -DON_$(word 2,$(subst /, ,$@)) \
	$$(sed -n 's/^MPIX*_\(Isendrecv\|Send_c\|Bcast_init\|Psend_init\|Session_init\)$$/-DHAVE_&/p' $(2)) \
	-J $@.mod $(hyb_fortran_flags) $(srcdir)/%D%/programs/fortran/expect.f90 $(srcdir)/%D%/programs/fortran/shared.F90 \
	$(srcdir)/%D%/programs/fortran/$${stem%-*}.F90 $$object -o $@
hyb_V_MPIFC = $(hyb_v_mpifc_$(V))
hyb_v_mpifc_ = $(hyb_v_mpifc_$(AM_DEFAULT_VERBOSITY))
hyb_v_mpifc_0 = @echo "  MPIFC   " $@;
test/openmpi/fortran-%: $(hyb_fortran_files) src/pmpi/adapter/declared-openmpi.txt
	$(hyb_V_MPIFC)$(call hyb_build_fortran,$(OPENMPI_FC),src/pmpi/adapter/declared-openmpi.txt,$(OPENMPI_CC))
test/mpich/fortran-%: $(hyb_fortran_files) src/pmpi/adapter/declared-mpich.txt
	$(hyb_V_MPIFC)$(call hyb_build_fortran,$(MPICH_FC),src/pmpi/adapter/declared-mpich.txt,$(MPICH_CC))

EXTRA_PROGRAMS += %D%/timeline/grow
%C%_timeline_grow_SOURCES = %D%/timeline/grow.c %D%/timeline/growing.c %D%/timeline/growing.h
%D%/timeline/tail.log: %D%/timeline/grow$(EXEEXT)

EXTRA_DIST += $(hyb_slow_tests) $(hyb_test_scripts) $(hyb_mpi_programs:=.c)
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
	%D%/analysis/teams.test %D%/analysis/traffic.test %D%/analysis/check.test %D%/export/json.test \
	%D%/merge/fuzz.test %D%/merge/halves.test %D%/merge/input.test %D%/merge/merge.test \
	%D%/merge/selection.test %D%/ompt/ompt.test %D%/export/perfetto.test %D%/pmpi/fortran.test %D%/pmpi/io.test \
	%D%/pmpi/programs.test %D%/pmpi/rma.test %D%/core/ends.test %D%/core/life.test %D%/core/profile.test \
	%D%/analysis/mutants.test
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

# All commands in one process: see tools.c.
EXTRA_PROGRAMS += %D%/fuzz/tools
%C%_fuzz_tools_SOURCES = %D%/fuzz/change.c %D%/fuzz/change.h %D%/fuzz/tools.c
nodist_%C%_fuzz_tools_SOURCES = src/pmpi/table/functions.c
test/merge/fuzz.log: %D%/fuzz/tools$(EXEEXT)

# What corpus.sh records.
hyb_corpus_programs = $(foreach mpi,$(hyb_c_mpis),$(addprefix test/$(mpi)/, \
	calls coll inter kernel p2p partitioned polls requests rma spawn threads topo))

# Long: in a build with --enable-sanitizers=address,undefined. FUZZ="FIRST COUNT": which changes
FUZZ = 0 50000
check-fuzz: all %D%/fuzz/tools $(hyb_corpus_programs)
	rm -rf fuzz-corpus && HYB_TEST_ENV='$(abs_top_builddir)/test/env.sh' \
		$(SHELL) $(srcdir)/%D%/fuzz/corpus.sh '$(abs_top_builddir)/fuzz-corpus'
	%D%/fuzz/tools fuzz-corpus $(FUZZ)
	%D%/fuzz/tools fuzz-corpus truncate 8
.PHONY: check-fuzz

# Long: 1000 replays and 100 killed runs, with two at once a quarter of an hour. HYB_REPLAYS and HYB_KILLS: how many
hyb_replay_programs = $(foreach mpi,$(hyb_c_mpis),test/$(mpi)/endless test/$(mpi)/order) \
	$(foreach mpi,$(hyb_fortran_mpis),test/$(mpi)/fortran-order-h test/$(mpi)/fortran-order-f08)
check-replays: all $(hyb_replay_programs)
	$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/%D%/analysis/many.sh
.PHONY: check-replays

# Each system call of the library's, the first time, the second, ..., with each error: some 12,000 runs, an hour or two.
check-faults: all test/mpich/waits
	$(AM_TESTS_ENVIRONMENT) HYB_FAULTS=$${HYB_FAULTS:-all} $(SHELL) $(srcdir)/%D%/core/faults.test
.PHONY: check-faults
