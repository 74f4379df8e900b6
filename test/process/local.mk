# SPDX-License-Identifier: BSD-3-Clause
hyb_slow_tests += %D%/death.test %D%/ends.test %D%/life.test
hyb_test_scripts += \
	%D%/behind.test \
	%D%/execute.test \
	%D%/faults.test \
	%D%/jobs.test \
	%D%/late.test \
	%D%/linked.test \
	%D%/namespaces.test \
	%D%/nompi.test \
	%D%/place.test \
	%D%/sandbox.test \
	%D%/start.test \
	%D%/tls.test \
	%D%/unloaded.test
EXTRA_DIST += \
	%D%/ends.tbl \
	%D%/faults.c \
	%D%/faults.py \
	%D%/host.c \
	%D%/late.c \
	%D%/life.tbl
hyb_mpi_programs += \
	%D%/begin \
	%D%/child \
	%D%/die \
	%D%/elsewhere \
	%D%/end \
	%D%/life \
	%D%/sandbox \
	%D%/small-stack \
	%D%/waits
test/openmpi/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(MPICH_CC))

# Each system call of the library's, the first time, the second, ..., with each error: some 12,000 runs, an hour or two.
check-faults: all test/mpich/waits
	$(AM_TESTS_ENVIRONMENT) HYB_FAULTS=$${HYB_FAULTS:-all} $(SHELL) $(srcdir)/%D%/faults.test
.PHONY: check-faults
