# SPDX-License-Identifier: BSD-3-Clause
hyb_test_scripts += %D%/debugger.test %D%/fatal.test %D%/mutants.test %D%/openmp.test %D%/replay.test %D%/threads.test
hyb_unit_tests += %D%/fuzz-order %D%/unit-order
%C%_fuzz_order_SOURCES = %D%/fuzz-order.c test/lib/fuzz.h
%C%_fuzz_order_LDADD = src/replay/libreplay.a $(hyb_trace_libraries)
%C%_unit_order_SOURCES = %D%/unit-order.c
%C%_unit_order_LDADD = src/replay/libreplay.a $(hyb_trace_libraries)
EXTRA_DIST += %D%/events.awk %D%/many.sh %D%/order-sends.h %D%/openmp.c %D%/threads.c %D%/threads.f90 %D%/tracer.c
hyb_mpi_programs += %D%/endless %D%/fatal %D%/mutant %D%/order
test/openmpi/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(MPICH_CC))
test/openmpi/order test/mpich/order: %D%/order-sends.h

# Long: 1000 replays and 100 killed runs, with two at once a quarter of an hour. HYB_REPLAYS and HYB_KILLS: how many
hyb_replay_programs = $(foreach mpi,$(hyb_c_mpis),test/$(mpi)/endless test/$(mpi)/order) \
	$(foreach mpi,$(hyb_fortran_mpis),test/$(mpi)/fortran-order-h test/$(mpi)/fortran-order-f08)
check-replays: all $(hyb_replay_programs)
	$(AM_TESTS_ENVIRONMENT) $(SHELL) $(srcdir)/%D%/many.sh
.PHONY: check-replays
