# SPDX-License-Identifier: BSD-3-Clause
# Clocks of several nodes.
hyb_test_scripts += %D%/nodes.test
EXTRA_DIST += test/lib/nodes.sh %D%/clocks.py %D%/skew.c
hyb_mpi_programs += %D%/traffic
test/openmpi/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(MPICH_CC))
