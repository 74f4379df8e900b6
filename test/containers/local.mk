# SPDX-License-Identifier: BSD-3-Clause
hyb_unit_tests += %D%/unit-sort
%C%_unit_sort_SOURCES = %D%/unit-sort.c
%C%_unit_sort_LDADD = src/containers/libcontainers.a
