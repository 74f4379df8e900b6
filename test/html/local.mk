# SPDX-License-Identifier: BSD-3-Clause
hyb_test_scripts += %D%/page.test
EXTRA_DIST += %D%/page.py
