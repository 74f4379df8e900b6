# SPDX-License-Identifier: BSD-3-Clause
# The programs are built by the scripts, with each compiler.
hyb_test_scripts += \
	%D%/user.test \
	%D%/values.test
EXTRA_DIST += \
	%D%/brief.c \
	%D%/exceptions.cc \
	%D%/functions.c \
	%D%/regions.F90 \
	%D%/regions.c \
	%D%/regions.py \
	%D%/said.h \
	%D%/storm.c \
	%D%/user-check.py \
	%D%/values-check.py \
	%D%/values.c
