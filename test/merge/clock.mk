# SPDX-License-Identifier: BSD-3-Clause
# Clocks of several nodes.
hyb_test_scripts += %D%/nodes.test
EXTRA_DIST += test/lib/nodes.sh %D%/clocks.py %D%/skew.c
hyb_mpi_programs += %D%/traffic
test/openmpi/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(MPICH_CC))
hyb_unit_tests += \
	%D%/unit-clock-correction \
	%D%/unit-clock-logical \
	%D%/unit-clock-offsets \
	%D%/unit-clock-order
%C%_unit_clock_correction_SOURCES = %D%/unit-clock-correction.c
%C%_unit_clock_correction_LDADD = src/merge/clock/libclock.a src/containers/libcontainers.a
%C%_unit_clock_logical_SOURCES = %D%/unit-clock-logical.c
%C%_unit_clock_logical_LDADD = src/merge/clock/libclock.a src/containers/libcontainers.a
%C%_unit_clock_offsets_SOURCES = %D%/unit-clock-offsets.c %D%/clock-world.h
%C%_unit_clock_offsets_LDADD = src/merge/clock/libclock.a src/containers/libcontainers.a -lm
%C%_unit_clock_order_SOURCES = %D%/unit-clock-order.c
%C%_unit_clock_order_LDADD = src/merge/clock/libclock.a src/containers/libcontainers.a
