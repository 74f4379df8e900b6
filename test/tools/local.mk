# SPDX-License-Identifier: BSD-3-Clause
hyb_test_scripts += \
	%D%/aftermath.test \
	%D%/completion.test \
	%D%/doctor.test \
	%D%/missing.test \
	%D%/outcome.test \
	%D%/run.test \
	%D%/schedulers.test
EXTRA_DIST += %D%/parent.py
