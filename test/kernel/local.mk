# SPDX-License-Identifier: BSD-3-Clause
hyb_slow_tests += %D%/events.test %D%/merge.test %D%/rights.test %D%/samples.test %D%/unwind.test
hyb_test_scripts += \
	%D%/chains.test \
	%D%/early.test \
	%D%/ladder.test \
	%D%/limits.test \
	%D%/service.test \
	%D%/streams.test
EXTRA_DIST += \
	%D%/chain.c \
	%D%/chain-library.c \
	%D%/deep.c \
	%D%/deep.f90 \
	%D%/dither.h \
	%D%/getppid.c \
	%D%/hold.c \
	%D%/intrude.c \
	%D%/knock.c \
	%D%/merge.py \
	%D%/no-perf.c \
	%D%/otf2-samples.py \
	%D%/patient.c \
	%D%/rights.c \
	%D%/rubbish.c \
	%D%/samples.sh \
	%D%/shares.c \
	%D%/shares-library.c \
	%D%/sockets.h \
	%D%/streams.py
hyb_unit_tests += %D%/unit-listener %D%/unit-map
%C%_unit_listener_SOURCES = \
	%D%/unit-listener.c \
	src/kernel/listener.c
%C%_unit_map_SOURCES = \
	%D%/unit-map.c \
	src/kernel/map.c \
	src/kernel/perf/tracefs.c
hyb_mpi_programs += \
	%D%/kernel \
	%D%/victim
test/openmpi/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(MPICH_CC))
