# SPDX-License-Identifier: BSD-3-Clause
hyb_unit_tests += %D%/unit-arrays
%C%_unit_arrays_SOURCES = %D%/unit-arrays.c
%C%_unit_arrays_LDADD = src/containers/libcontainers.a
hyb_unit_tests += %D%/unit-sort
%C%_unit_sort_SOURCES = %D%/unit-sort.c
%C%_unit_sort_LDADD = src/containers/libcontainers.a
