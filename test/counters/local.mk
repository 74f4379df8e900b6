# SPDX-License-Identifier: BSD-3-Clause
hyb_test_scripts += %D%/counters.test
EXTRA_DIST += \
	%D%/counters.py \
	%D%/fake-papi.c \
	%D%/omp-work.c \
	%D%/regions.f90 \
	%D%/work.h
hyb_mpi_programs += %D%/counted-calls %D%/own-papi %D%/regions
test/openmpi/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(MPICH_CC))
hyb_unit_tests += %D%/unit-page
%C%_unit_page_SOURCES = %D%/unit-page.c
