# SPDX-License-Identifier: BSD-3-Clause
hyb_test_scripts += \
	%D%/mutants.test \
	%D%/coverage.test \
	%D%/exports.test \
	%D%/layers.test \
	%D%/packages.test
