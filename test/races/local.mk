# SPDX-License-Identifier: BSD-3-Clause
hyb_test_scripts += %D%/races.test
EXTRA_DIST += %D%/graph.py %D%/races.py
hyb_mpi_programs += %D%/script
test/openmpi/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(MPICH_CC))
