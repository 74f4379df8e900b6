# SPDX-License-Identifier: BSD-3-Clause
# The programs are built by the scripts, with each compiler and for each runtime.
hyb_slow_tests += %D%/gomp.test %D%/openmp.test
hyb_test_scripts += \
	%D%/callpaths.test \
	%D%/displaced.test \
	%D%/ompt.test \
	%D%/storm.test
EXTRA_DIST += \
	%D%/cancel.c \
	%D%/constructs.c \
	%D%/ends.c \
	%D%/errors.c \
	%D%/fake-gomp.c \
	%D%/fake-gomp.map \
	%D%/fake-omp.c \
	%D%/flood.c \
	%D%/gomp.c \
	%D%/gomp-rare.c \
	%D%/graph.c \
	%D%/handover.c \
	%D%/helpers.c \
	%D%/hybrid.c \
	%D%/hybrid.f90 \
	%D%/lacking.c \
	%D%/loops.f90 \
	%D%/names.cc \
	%D%/omp-check.py \
	%D%/omp-order.py \
	%D%/rare.f90 \
	%D%/rare-constructs.c \
	%D%/say.f90 \
	%D%/say.h \
	%D%/schedules.f90 \
	%D%/target.c \
	%D%/storm.c \
	%D%/tasks.c \
	%D%/teams.c
