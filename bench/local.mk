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
EXTRA_DIST += $(hyb_bench_programs:=.c) \
	%D%/clock.h \
	%D%/call-cost.sh \
	%D%/counters.sh \
	%D%/finalize.sh \
	%D%/hpccinf.txt \
	%D%/init.sh \
	%D%/kernel.sh \
	%D%/lammps.sh \
	%D%/lib.sh \
	%D%/lj.in \
	%D%/merge-rate.sh \
	%D%/merge.sh \
	%D%/openmp-null.c \
	%D%/openmp.c \
	%D%/openmp.sh \
	%D%/order-openmp.c \
	%D%/order.sh \
	%D%/programs.sh \
	%D%/report.sh \
	%D%/requests.sh \
	%D%/samples.sh \
	%D%/side-by-side.sh \
	%D%/size.sh \
	%D%/stalls.sh \
	%D%/steady.sh \
	%D%/user.c \
	%D%/user.sh \
	%D%/frames.py \
	%D%/view.py \
	%D%/view.sh \
	%D%/whole.sh \
	doc/benchmarks.md

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
