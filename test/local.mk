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
LOG_COMPILER = timeout -k 10 900
TEST_LOG_COMPILER = timeout -k 10 1800 $(SHELL)

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
	%D%/lib/rank.sh \
	%D%/lib/requests.h \
	%D%/lib/run.sh \
	%D%/suites/llvm-ompt.py \
	%D%/suites/mpi4py-suite.sh \
	%D%/suites/mpich-suite.awk \
	%D%/suites/mpich-suite.sh

# Scripts of all folders; unit tests, which link what they test; programs with MPI in them, by their sources without .c.
hyb_test_scripts =
hyb_unit_tests =
hyb_mpi_programs =
hyb_mpi_headers = %D%/lib/collector.h %D%/lib/count.h %D%/lib/expect.h %D%/lib/requests.h
hyb_synth = %D%/lib/synth.c %D%/lib/synth.h %D%/lib/tap.h

hyb_mpi_cflags = -std=gnu11 -I$(srcdir)/include -I$(srcdir)/%D%/lib $(CPPFLAGS) $(CFLAGS)
hyb_mpi_libs = -lpthread -ldl -lm
hyb_V_MPICC = $(hyb_v_mpicc_$(V))
hyb_v_mpicc_ = $(hyb_v_mpicc_$(AM_DEFAULT_VERBOSITY))
hyb_v_mpicc_0 = @echo "  MPICC   " $@;
# build_mpi COMPILER: in a rule for one program
hyb_build_mpi = $(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(1) $(hyb_mpi_cflags) $< -o $@ $(hyb_mpi_libs)

include test/base/local.mk
include test/record/local.mk
include test/process/local.mk
include test/pmpi/local.mk
include test/ompt/local.mk
include test/kernel/local.mk
include test/trace/local.mk
include test/merge/local.mk
include test/tools/local.mk
include test/source/local.mk

EXTRA_DIST += $(hyb_test_scripts) $(hyb_mpi_programs:=.c) $(hyb_mpi_headers)
TESTS += $(hyb_test_scripts) $(hyb_unit_tests)
check_PROGRAMS += $(hyb_unit_tests)

check_mpi_programs =
if HAVE_OPENMPI
check_mpi_programs += $(addprefix %D%/openmpi/,$(notdir $(hyb_mpi_programs)))
endif
if HAVE_OPENMPI_FC
check_mpi_programs += $(hyb_fortran_each:%=%D%/openmpi/%)
endif
if HAVE_MPICH
check_mpi_programs += $(addprefix %D%/mpich/,$(notdir $(hyb_mpi_programs)))
endif
if HAVE_MPICH_FC
check_mpi_programs += $(hyb_fortran_each:%=%D%/mpich/%)
endif
clean-local:
	-rm -rf %D%/openmpi %D%/mpich

check_DATA = $(check_mpi_programs) $(hyb_mpi_examples)
