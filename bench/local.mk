# SPDX-License-Identifier: BSD-3-Clause
# `make bench` runs them all, `make bench BENCH="--quick stalls"` what is named. Programs with
# MPI in them are built for each MPI: bench/openmpi/stalls, bench/mpich/stalls.
EXTRA_PROGRAMS += %D%/gen-experiment
%C%_gen_experiment_SOURCES = %D%/gen-experiment.c
hyb_bench_cflags = $(hyb_mpi_cflags) -D_GNU_SOURCE
hyb_bench_programs = \
	%D%/call-cost \
	%D%/counters \
	%D%/finalize \
	%D%/init \
	%D%/kernel \
	%D%/lammps \
	%D%/order \
	%D%/requests \
	%D%/stalls \
	%D%/steady

hyb_mpi_benches =
if HAVE_OPENMPI
hyb_mpi_benches += $(hyb_bench_programs:%D%/%=%D%/openmpi/%)
%D%/openmpi/%: %D%/%.c %D%/clock.h test/lib/collector.h
	$(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(OPENMPI_CC) $(hyb_bench_cflags) $< -o $@ $(hyb_mpi_libs)
endif
if HAVE_MPICH
hyb_mpi_benches += $(hyb_bench_programs:%D%/%=%D%/mpich/%)
%D%/mpich/%: %D%/%.c %D%/clock.h test/lib/collector.h
	$(hyb_V_MPICC)$(MKDIR_P) $(@D) && $(MPICH_CC) $(hyb_bench_cflags) $< -o $@ $(hyb_mpi_libs)
endif
CLEANFILES += $(hyb_mpi_benches) $(EXTRA_PROGRAMS)

.PHONY: bench bench-programs
bench-programs: all %D%/gen-experiment $(hyb_mpi_benches) $(hyb_mpi_examples)
bench: bench-programs
	HYB_TEST_ENV='$(abs_top_builddir)/test/env.sh' $(SHELL) $(srcdir)/%D%/run.sh $(BENCH)
