# SPDX-License-Identifier: BSD-3-Clause
hyb_unit_tests += %D%/unit-profile
%C%_unit_profile_SOURCES = %D%/unit-profile.c
%C%_unit_profile_LDADD = src/profile/libprofile.a
