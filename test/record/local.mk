# SPDX-License-Identifier: BSD-3-Clause
hyb_slow_tests += %D%/full.test %D%/handlers.test
hyb_test_scripts += \
	%D%/brief.test \
	%D%/concurrent.test \
	%D%/fibers.test \
	%D%/ring.test
EXTRA_DIST += %D%/concurrent.c
hyb_mpi_programs += \
	%D%/brief-threads \
	%D%/busy \
	%D%/fibers \
	%D%/gap \
	%D%/handlers \
	%D%/steady
test/openmpi/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(MPICH_CC))
