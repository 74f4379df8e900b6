# SPDX-License-Identifier: BSD-3-Clause
hyb_slow_tests += %D%/config.test
EXTRA_DIST += %D%/config.tbl
hyb_unit_tests += %D%/unit-config
%C%_unit_config_SOURCES = %D%/unit-config.c
%C%_unit_config_LDADD = src/base/libbase.a
