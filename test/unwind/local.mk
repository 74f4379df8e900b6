# SPDX-License-Identifier: BSD-3-Clause
hyb_unit_tests += %D%/unit-unwind
%C%_unit_unwind_SOURCES = %D%/unit-unwind.c
%C%_unit_unwind_LDADD = src/unwind/libunwind.a
