# SPDX-License-Identifier: BSD-3-Clause
# `make bench` builds what bench/run.sh and the other scripts there run: bench/openmpi/*, bench/mpich/*.
EXTRA_PROGRAMS += %D%/gen-experiment
%C%_gen_experiment_SOURCES = %D%/gen-experiment.c
hyb_bench_programs =
EXTRA_DIST += $(hyb_bench_programs:=.c)

hyb_mpi_benches =
if HAVE_OPENMPI
hyb_mpi_benches += $(hyb_bench_programs:%D%/%=%D%/openmpi/%)
%D%/openmpi/%: %D%/%.c
	$(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(OPENMPI_CC) $(hyb_mpi_cflags) $< -o $@ $(hyb_mpi_libs)
endif
if HAVE_MPICH
hyb_mpi_benches += $(hyb_bench_programs:%D%/%=%D%/mpich/%)
%D%/mpich/%: %D%/%.c
	$(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(MPICH_CC) $(hyb_mpi_cflags) $< -o $@ $(hyb_mpi_libs)
endif
CLEANFILES += $(hyb_mpi_benches) $(EXTRA_PROGRAMS)

.PHONY: bench
bench: all $(EXTRA_PROGRAMS) $(hyb_mpi_benches)
