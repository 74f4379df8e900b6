# SPDX-License-Identifier: BSD-3-Clause
hyb_slow_tests += %D%/check.test
hyb_unit_tests += %D%/unit-graph %D%/unit-sequence
%C%_unit_graph_SOURCES = %D%/unit-graph.c
%C%_unit_graph_LDADD = src/check/libcheck.a $(hyb_trace_libraries)
%C%_unit_sequence_SOURCES = %D%/unit-sequence.c
%C%_unit_sequence_LDADD = src/check/libcheck.a $(hyb_trace_libraries)
EXTRA_DIST += %D%/check-json.py %D%/hang.tbl %D%/hybrid-ways.c
hyb_mpi_programs += %D%/hang %D%/healthy
test/openmpi/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(MPICH_CC))
