# SPDX-License-Identifier: BSD-3-Clause
hyb_test_scripts += %D%/json.test
EXTRA_DIST += %D%/json-check.py
if HAVE_JANSSON
hyb_unit_tests += %D%/unit-json
%C%_unit_json_SOURCES = %D%/unit-json.c
%C%_unit_json_LDADD = src/json/libjson.a $(hyb_merge_libraries) $(JANSSON_LIBS)
endif
