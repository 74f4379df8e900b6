# SPDX-License-Identifier: BSD-3-Clause
hyb_test_scripts += %D%/perfetto.test
EXTRA_DIST += %D%/perfetto-check.py
