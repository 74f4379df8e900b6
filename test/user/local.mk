# SPDX-License-Identifier: BSD-3-Clause
# The programs are built by the scripts, with each compiler.
hyb_test_scripts += \
	%D%/filter.test \
	%D%/user.test \
	%D%/values.test
EXTRA_DIST += \
	%D%/brief.c \
	%D%/exceptions.cc \
	%D%/filter-check.py \
	%D%/filtered-omp.c \
	%D%/functions.c \
	%D%/regions.F90 \
	%D%/regions.c \
	%D%/regions.py \
	%D%/said.h \
	%D%/storm.c \
	%D%/user-check.py \
	%D%/values-check.py \
	%D%/values.c
hyb_mpi_programs += %D%/visits
test/openmpi/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(MPICH_CC))
