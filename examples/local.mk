# SPDX-License-Identifier: BSD-3-Clause
# `make examples` builds the examples for each MPI: examples/openmpi/solver on processes alone, and with threads in each
# examples/openmpi/solver-threads and examples/openmpi/late, which scripts/demo.sh shows.
hyb_examples = %D%/solver
EXTRA_DIST += %D%/README.md $(hyb_examples:=.c) %D%/late.c
dist_doc_DATA += %D%/solver.c

hyb_mpi_examples =
if HAVE_OPENMPI
hyb_mpi_examples += $(hyb_examples:%D%/%=%D%/openmpi/%) $(hyb_examples:%D%/%=%D%/openmpi/%-threads) %D%/openmpi/late
%D%/openmpi/late: %D%/late.c
	$(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(OPENMPI_CC) $(hyb_mpi_cflags) -g -fopenmp $< -o $@ $(hyb_mpi_libs)
%D%/openmpi/%: %D%/%.c
	$(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(OPENMPI_CC) $(hyb_mpi_cflags) $< -o $@ $(hyb_mpi_libs)
%D%/openmpi/%-threads: %D%/%.c
	$(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(OPENMPI_CC) $(hyb_mpi_cflags) -g -fopenmp $< -o $@ $(hyb_mpi_libs)
endif
if HAVE_MPICH
hyb_mpi_examples += $(hyb_examples:%D%/%=%D%/mpich/%) $(hyb_examples:%D%/%=%D%/mpich/%-threads) %D%/mpich/late
%D%/mpich/late: %D%/late.c
	$(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(MPICH_CC) $(hyb_mpi_cflags) -g -fopenmp $< -o $@ $(hyb_mpi_libs)
%D%/mpich/%: %D%/%.c
	$(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(MPICH_CC) $(hyb_mpi_cflags) $< -o $@ $(hyb_mpi_libs)
%D%/mpich/%-threads: %D%/%.c
	$(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(MPICH_CC) $(hyb_mpi_cflags) -g -fopenmp $< -o $@ $(hyb_mpi_libs)
endif
CLEANFILES += $(hyb_mpi_examples)

.PHONY: examples
examples: $(hyb_mpi_examples)
