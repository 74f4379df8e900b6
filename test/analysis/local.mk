# SPDX-License-Identifier: BSD-3-Clause
hyb_test_scripts += %D%/advice.test %D%/diff.test %D%/flat.test %D%/profiles.test %D%/report.test %D%/teams.test %D%/traffic.test
EXTRA_DIST += %D%/advice.py %D%/diff.py %D%/flat.py %D%/inject.sh %D%/openmp_waits.py %D%/profiles.py %D%/recording.py %D%/report.py \
	%D%/teams.c %D%/traffic.py
hyb_mpi_programs += %D%/delays
test/openmpi/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(OPENMPI_CC))
test/mpich/%: %D%/%.c $(hyb_mpi_headers)
	$(call hyb_build_mpi,$(MPICH_CC))
