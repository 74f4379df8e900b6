# SPDX-License-Identifier: BSD-3-Clause
hyb_unit_tests += %D%/unit-symbols
%C%_unit_symbols_SOURCES = %D%/unit-symbols.c
%C%_unit_symbols_LDADD = src/symbols/libsymbols.a $(hyb_trace_libraries) $(LIBDW_LIBS)
