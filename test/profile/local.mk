# SPDX-License-Identifier: BSD-3-Clause
hyb_unit_tests += %D%/unit-profile
%C%_unit_profile_SOURCES = %D%/unit-profile.c
%C%_unit_profile_LDADD = src/profile/libprofile.a
EXTRA_DIST += \
	%D%/beneath.py \
	%D%/profile-json.py \
	%D%/profile-same.py
hyb_test_scripts += %D%/beneath.test %D%/profile.test
hyb_mpi_programs += %D%/beneath %D%/calls
test/openmpi/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(MPICH_CC))
