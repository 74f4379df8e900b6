# SPDX-License-Identifier: BSD-3-Clause
hyb_test_scripts += %D%/fatal.test %D%/mutants.test %D%/openmp.test %D%/replay.test %D%/threads.test
hyb_unit_tests += %D%/unit-order
%C%_unit_order_SOURCES = %D%/unit-order.c
%C%_unit_order_LDADD = src/replay/libreplay.a $(hyb_trace_libraries)
EXTRA_DIST += %D%/openmp.c %D%/threads.c %D%/threads.f90
hyb_mpi_programs += %D%/fatal %D%/mutant %D%/order
test/openmpi/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(MPICH_CC))
