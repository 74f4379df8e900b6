# SPDX-License-Identifier: BSD-3-Clause
# `make examples` builds the example for each MPI: examples/openmpi/solver, examples/mpich/solver.
hyb_examples = %D%/solver
EXTRA_DIST += %D%/README.md $(hyb_examples:=.c)
dist_doc_DATA += %D%/solver.c

hyb_mpi_examples =
if HAVE_OPENMPI
hyb_mpi_examples += $(hyb_examples:%D%/%=%D%/openmpi/%)
%D%/openmpi/%: %D%/%.c
	$(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(OPENMPI_CC) $(hyb_mpi_cflags) $< -o $@ $(hyb_mpi_libs)
endif
if HAVE_MPICH
hyb_mpi_examples += $(hyb_examples:%D%/%=%D%/mpich/%)
%D%/mpich/%: %D%/%.c
	$(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(MPICH_CC) $(hyb_mpi_cflags) $< -o $@ $(hyb_mpi_libs)
endif
CLEANFILES += $(hyb_mpi_examples)

.PHONY: examples
examples: $(hyb_mpi_examples)
