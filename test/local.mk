# SPDX-License-Identifier: BSD-3-Clause
#
# Tests speak TAP: scripts test/*.test and programs test/unit/*. A script begins with `.
# test/env.sh`, made by configure, and runs in the build folder. Programs that use MPI are built for
# each MPI that was found, by its own compiler wrapper: test/prog/p2p.c becomes
# test/prog/openmpi/p2p and test/prog/mpich/p2p.
AM_TESTS_ENVIRONMENT = HYB_TEST_ENV='$(abs_top_builddir)/test/env.sh'; export HYB_TEST_ENV;
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TEST_EXTENSIONS = .test
TEST_LOG_DRIVER = $(LOG_DRIVER)
# what hangs must not hold up all others
LOG_COMPILER = timeout -k 10 900
TEST_LOG_COMPILER = timeout -k 10 1800 $(SHELL)

hyb_test_scripts = \
	%D%/brief.test \
	%D%/concurrent.test \
	%D%/config.test \
	%D%/death.test \
	%D%/displaced.test \
	%D%/doctor.test \
	%D%/ends.test \
	%D%/coverage.test \
	%D%/exports.test \
	%D%/fibers.test \
	%D%/faults.test \
	%D%/fortran.test \
	%D%/fortran-linked.test \
	%D%/full.test \
	%D%/fuzz.test \
	%D%/gomp.test \
	%D%/groups.test \
	%D%/halves.test \
	%D%/handlers.test \
	%D%/input.test \
	%D%/io.test \
	%D%/kernel.test \
	%D%/kernel-chains.test \
	%D%/jobs.test \
	%D%/jump.test \
	%D%/namesakes.test \
	%D%/late.test \
	%D%/kernel-ladder.test \
	%D%/kernel-limits.test \
	%D%/kernel-merge.test \
	%D%/kernel-rights.test \
	%D%/kernel-service.test \
	%D%/kernel-streams.test \
	%D%/layers.test \
	%D%/life.test \
	%D%/linked.test \
	%D%/merge.test \
	%D%/namespaces.test \
	%D%/nompi.test \
	%D%/ompt.test \
	%D%/place.test \
	%D%/openmp.test \
	%D%/outcome.test \
	%D%/packages.test \
	%D%/programs.test \
	%D%/real.test \
	%D%/ring.test \
	%D%/rma.test \
	%D%/run.test \
	%D%/running.test \
	%D%/schedulers.test \
	%D%/session.test \
	%D%/spawn.test \
	%D%/start.test \
	%D%/storm.test \
	%D%/stubs.test \
	%D%/tool.test
hyb_test_files = \
	%D%/README.md \
	%D%/config.tbl \
	%D%/death.sh \
	%D%/fortran.tbl \
	%D%/ends.tbl \
	%D%/faults.py \
	%D%/io.tbl \
	%D%/lib.sh \
	%D%/llvm-ompt.py \
	%D%/fuzz/corpus.sh \
	%D%/mpich-suite.awk \
	%D%/mpich-suite.sh \
	%D%/mpi4py-suite.sh \
	%D%/kernel-merge.py \
	%D%/kernel-streams.py \
	%D%/life.tbl \
	%D%/omp-check.py \
	%D%/omp-order.py \
	%D%/otf2-check.py \
	%D%/otf2_conventions.py \
	%D%/otf2-shapes.py \
	%D%/programs.tbl \
	%D%/rank.sh \
	%D%/rma.awk \
	%D%/rma.tbl \
	%D%/run.sh \
	%D%/tally.sh \
	%D%/host/concurrent.c \
	%D%/host/count.c \
	%D%/host/fake-mpi.c \
	%D%/host/fake-omp.c \
	%D%/host/faults.c \
	%D%/host/getppid.c \
	%D%/host/hold.c \
	%D%/host/intrude.c \
	%D%/host/knock.c \
	%D%/host/jump.c \
	%D%/host/late.c \
	%D%/host/no-perf.c \
	%D%/host/parent.py \
	%D%/host/rights.c \
	%D%/host/rubbish.c \
	%D%/host/stubs.c \
	%D%/omp/cancel.c \
	%D%/omp/constructs.c \
	%D%/omp/ends.c \
	%D%/omp/errors.c \
	%D%/omp/flood.c \
	%D%/omp/gomp.c \
	%D%/omp/graph.c \
	%D%/omp/handover.c \
	%D%/omp/helpers.c \
	%D%/omp/hybrid.c \
	%D%/omp/hybrid.f90 \
	%D%/omp/lacking.c \
	%D%/omp/loops.f90 \
	%D%/omp/more.c \
	%D%/omp/more.f90 \
	%D%/omp/names.cc \
	%D%/omp/say.f90 \
	%D%/omp/say.h \
	%D%/omp/target.c \
	%D%/omp/tasks.c \
	%D%/omp/teams.c \
	%D%/prog/chain.c \
	%D%/prog/chain-library.c \
	%D%/prog/namesake.c \
	%D%/prog/patient.c \
	%D%/prog/refuse.c \
	%D%/prog/status.c \
	%D%/prog/tool.c
EXTRA_DIST += $(hyb_test_scripts) $(hyb_test_files)
TESTS += $(hyb_test_scripts)

# Unit tests: programs that link what they test.
hyb_unit_tests = \
	%D%/unit/calls \
	%D%/unit/config \
	%D%/unit/clock \
	%D%/unit/defs \
	%D%/unit/experiment \
	%D%/unit/kernel \
	%D%/unit/live \
	%D%/unit/stream \
	%D%/fuzz/fuzz-kernel \
	%D%/fuzz/fuzz-stream
%C%_unit_calls_SOURCES = \
	%D%/unit/calls.c \
	%D%/unit/synth.c \
	%D%/unit/synth.h \
	%D%/unit/tap.h
%C%_unit_calls_LDADD = src/trace/libtrace.a
%C%_unit_config_SOURCES = \
	%D%/unit/config.c
%C%_unit_config_LDADD = src/base/libbase.a
%C%_unit_clock_SOURCES = \
	%D%/unit/clock.c \
	%D%/unit/tap.h
%C%_unit_clock_LDADD = src/trace/libtrace.a
%C%_unit_defs_SOURCES = \
	%D%/unit/defs.c \
	%D%/unit/synth.c \
	%D%/unit/synth.h \
	%D%/unit/tap.h
%C%_unit_defs_LDADD = src/trace/libtrace.a
%C%_unit_experiment_SOURCES = \
	%D%/unit/experiment.c \
	%D%/unit/synth.c \
	%D%/unit/synth.h \
	%D%/unit/tap.h
%C%_unit_experiment_LDADD = src/trace/libtrace.a
%C%_unit_kernel_SOURCES = \
	%D%/unit/kernel.c \
	%D%/unit/tap.h \
	src/kernel/map.c \
	src/kernel/tracefs.c
%C%_unit_live_SOURCES = \
	%D%/unit/live.c \
	%D%/unit/synth.c \
	%D%/unit/synth.h \
	%D%/unit/tap.h
%C%_unit_live_LDADD = src/trace/libtrace.a
%C%_unit_stream_SOURCES = \
	%D%/unit/stream.c \
	%D%/unit/synth.c \
	%D%/unit/synth.h \
	%D%/unit/tap.h
%C%_unit_stream_LDADD = src/trace/libtrace.a
%C%_fuzz_fuzz_kernel_SOURCES = \
	%D%/fuzz/fuzz.h \
	%D%/fuzz/fuzz-kernel.c \
	%D%/unit/synth.c \
	%D%/unit/synth.h
%C%_fuzz_fuzz_kernel_LDADD = src/trace/libtrace.a
%C%_fuzz_fuzz_stream_SOURCES = \
	%D%/fuzz/fuzz.h \
	%D%/fuzz/fuzz-stream.c \
	%D%/unit/synth.c \
	%D%/unit/synth.h
%C%_fuzz_fuzz_stream_LDADD = src/trace/libtrace.a
if HAVE_OTF2
hyb_unit_tests += \
	%D%/unit/match \
	%D%/unit/locks \
	%D%/unit/tasks \
	%D%/unit/threads
%C%_unit_match_SOURCES = \
	%D%/unit/match.c \
	%D%/unit/tap.h
%C%_unit_match_LDADD = src/otf2/libotf2.a src/trace/libtrace.a $(OTF2_LIBS) $(LIBDW_LIBS)
%C%_unit_locks_SOURCES = \
	%D%/unit/tap.h \
	%D%/unit/locks.c
%C%_unit_locks_LDADD = src/otf2/libotf2.a
%C%_unit_tasks_SOURCES = \
	%D%/unit/tap.h \
	%D%/unit/tasks.c
%C%_unit_tasks_LDADD = src/otf2/libotf2.a
%C%_unit_threads_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CPPFLAGS)
%C%_unit_threads_SOURCES = \
	%D%/unit/threads.c \
	%D%/unit/synth.c \
	%D%/unit/synth.h \
	%D%/unit/tap.h
%C%_unit_threads_LDADD = src/otf2/libotf2.a src/trace/libtrace.a $(OTF2_LIBS) $(LIBDW_LIBS)

# The two tools in one program, under other names than main: see fuzz/fuzz-merge.c.
check_LIBRARIES = %D%/fuzz/libmerge.a %D%/fuzz/libprint.a
%C%_fuzz_libmerge_a_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CPPFLAGS) -include $(srcdir)/%D%/fuzz/tools.h -Dmain=hyb_merge_main
%C%_fuzz_libmerge_a_SOURCES = tools/hybmon-merge.c
%C%_fuzz_libprint_a_CPPFLAGS = $(AM_CPPFLAGS) -include $(srcdir)/%D%/fuzz/tools.h -Dmain=hyb_print_main
%C%_fuzz_libprint_a_SOURCES = $(tools_hybmon_print_SOURCES)
check_PROGRAMS += %D%/fuzz/fuzz-merge
%C%_fuzz_fuzz_merge_SOURCES = \
	%D%/fuzz/fuzz-change.c \
	%D%/fuzz/fuzz-change.h \
	%D%/fuzz/fuzz-merge.c \
	%D%/fuzz/tools.h \
	%D%/fuzz/fuzz.h
%C%_fuzz_fuzz_merge_LDADD = %D%/fuzz/libmerge.a %D%/fuzz/libprint.a src/otf2/libotf2.a src/trace/libtrace.a \
	$(OTF2_LIBS) $(LIBDW_LIBS)
endif
check_PROGRAMS += $(hyb_unit_tests)
TESTS += $(hyb_unit_tests)
# end of unit tests

# Programs with MPI in them, and what they include.
hyb_mpi_programs = \
	%D%/prog/api \
	%D%/prog/begin \
	%D%/prog/brief \
	%D%/prog/busy \
	%D%/prog/calls \
	%D%/prog/calls2 \
	%D%/prog/child \
	%D%/prog/coll \
	%D%/prog/comm \
	%D%/prog/connect \
	%D%/prog/die \
	%D%/prog/early \
	%D%/prog/elsewhere \
	%D%/prog/effectless \
	%D%/prog/end \
	%D%/prog/errors \
	%D%/prog/fibers \
	%D%/prog/gap \
	%D%/prog/handlers \
	%D%/prog/handover \
	%D%/prog/icoll-fails \
	%D%/prog/inside \
	%D%/prog/inter \
	%D%/prog/io \
	%D%/prog/isendrecv \
	%D%/prog/kernel \
	%D%/prog/kept \
	%D%/prog/large \
	%D%/prog/life \
	%D%/prog/more \
	%D%/prog/p2p \
	%D%/prog/partitioned \
	%D%/prog/pause-one \
	%D%/prog/pauses \
	%D%/prog/polls \
	%D%/prog/pcontrol \
	%D%/prog/requests \
	%D%/prog/requests2 \
	%D%/prog/restart \
	%D%/prog/rma \
	%D%/prog/rma-threads \
	%D%/prog/win-inside \
	%D%/prog/session \
	%D%/prog/small \
	%D%/prog/steady \
	%D%/prog/storm \
	%D%/prog/spawn \
	%D%/prog/threads \
	%D%/prog/topo \
	%D%/prog/unended \
	%D%/prog/victim \
	%D%/prog/waits
hyb_mpi_headers = \
	%D%/prog/collector.h \
	%D%/prog/count.h \
	%D%/prog/expect.h \
	%D%/prog/generalized.h \
	%D%/prog/requests.h \
	%D%/prog/ring.h \
	%D%/prog/talk.h \
	%D%/prog/ways.h
EXTRA_DIST += $(hyb_mpi_programs:=.c) $(hyb_mpi_headers)

hyb_mpi_cflags = -std=gnu11 -I$(srcdir)/include -I$(srcdir)/%D%/prog \
	$(CPPFLAGS) $(CFLAGS)
hyb_mpi_libs = -lpthread -ldl -lm
hyb_V_MPICC = $(hyb_v_mpicc_$(V))
hyb_v_mpicc_ = $(hyb_v_mpicc_$(AM_DEFAULT_VERBOSITY))
hyb_v_mpicc_0 = @echo "  MPICC   " $@;

check_mpi_programs =
if HAVE_OPENMPI
check_mpi_programs += $(hyb_mpi_programs:%D%/prog/%=%D%/prog/openmpi/%)
%D%/prog/openmpi/%: %D%/prog/%.c $(hyb_mpi_headers)
	$(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(OPENMPI_CC) $(hyb_mpi_cflags) $< -o $@ $(hyb_mpi_libs)
endif
if HAVE_MPICH
check_mpi_programs += $(hyb_mpi_programs:%D%/prog/%=%D%/prog/mpich/%)
%D%/prog/mpich/%: %D%/prog/%.c $(hyb_mpi_headers)
	$(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(MPICH_CC) $(hyb_mpi_cflags) $< -o $@ $(hyb_mpi_libs)
endif

# Each Fortran program in each of the bindings: fortran-NAME-BINDING. Where `use mpi` has no interfaces with
# choice buffers, gfortran has to be told that arguments may differ from call to call.
hyb_fortran_programs = basics buffers callbacks calls coll comms errors files io messages mixed requests restart rma \
	session spawn topo windows
hyb_fortran_files = \
	%D%/prog/fortran/binding.h \
	%D%/prog/fortran/expect.f90 \
	%D%/prog/fortran/mixed.c \
	%D%/prog/fortran/restart.c \
	%D%/prog/fortran/shared.F90 \
	%D%/prog/fortran/spelled.f90 \
	%D%/prog/fortran/ways.h \
	$(hyb_fortran_programs:%=%D%/prog/fortran/%.F90)
EXTRA_DIST += $(hyb_fortran_files)
hyb_fortran_each = $(hyb_fortran_programs:%=fortran-%-h) $(hyb_fortran_programs:%=fortran-%-mpi) \
	$(hyb_fortran_programs:%=fortran-%-f08)
hyb_fortran_flags = -w -ffree-line-length-none -fallow-argument-mismatch
# build_fortran COMPILER DECLARED C-COMPILER: what newer versions of MPI have is used where its C header declares
# it; a program may have a part in C.
hyb_build_fortran = stem=$*; in_c=$(srcdir)/%D%/prog/fortran/$${stem%-*}.c; object=; \
	$(MKDIR_P) $@.mod && if test -f "$$in_c"; then \
	object=$@.mod/in_c.o; $(3) $(hyb_mpi_cflags) -c "$$in_c" -o $$object; fi && $(1) -cpp -DBINDING_$${stem\#\#*-} \
	$$(sed -n 's/^MPIX*_\(Isendrecv\|Send_c\|Bcast_init\|Psend_init\|Session_init\)$$/-DHAVE_&/p' $(2)) \
	-J $@.mod $(hyb_fortran_flags) $(srcdir)/%D%/prog/fortran/expect.f90 $(srcdir)/%D%/prog/fortran/shared.F90 \
	$(srcdir)/%D%/prog/fortran/$${stem%-*}.F90 $$object -o $@
hyb_V_MPIFC = $(hyb_v_mpifc_$(V))
hyb_v_mpifc_ = $(hyb_v_mpifc_$(AM_DEFAULT_VERBOSITY))
hyb_v_mpifc_0 = @echo "  MPIFC   " $@;
if HAVE_OPENMPI_FC
check_mpi_programs += $(hyb_fortran_each:%=%D%/prog/openmpi/%)
%D%/prog/openmpi/fortran-%: $(hyb_fortran_files) src/pmpi/adapter/wrappers-openmpi.c
	$(hyb_V_MPIFC)$(call hyb_build_fortran,$(OPENMPI_FC),src/pmpi/adapter/wrappers-openmpi.c.declared,$(OPENMPI_CC))
endif
if HAVE_MPICH_FC
check_mpi_programs += $(hyb_fortran_each:%=%D%/prog/mpich/%)
%D%/prog/mpich/fortran-%: $(hyb_fortran_files) src/pmpi/adapter/wrappers-mpich.c
	$(hyb_V_MPIFC)$(call hyb_build_fortran,$(MPICH_FC),src/pmpi/adapter/wrappers-mpich.c.declared,$(MPICH_CC))
endif
clean-local:
	-rm -rf %D%/prog/*/fortran-*.mod
CLEANFILES += $(check_mpi_programs)

# Each system call of the library's, the first time, the second, ..., with each error: some 12,000 runs, an hour or two.
check-faults: all %D%/prog/mpich/waits
	$(AM_TESTS_ENVIRONMENT) HYB_FAULTS=$${HYB_FAULTS:-all} $(SHELL) $(srcdir)/%D%/faults.test
.PHONY: check-faults
# Long: in a build with --enable-sanitizers=address,undefined. FUZZ="FIRST COUNT": which changes
FUZZ = 0 50000
check-fuzz: all $(check_PROGRAMS)
	rm -rf fuzz-corpus && HYB_TEST_ENV='$(abs_top_builddir)/test/env.sh' \
		$(SHELL) $(srcdir)/%D%/fuzz/corpus.sh '$(abs_top_builddir)/fuzz-corpus'
	%D%/fuzz/fuzz-merge fuzz-corpus $(FUZZ)
	%D%/fuzz/fuzz-merge fuzz-corpus truncate 8
.PHONY: check-fuzz

check_DATA = $(check_mpi_programs) $(hyb_mpi_examples)
