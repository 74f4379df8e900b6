# SPDX-License-Identifier: BSD-3-Clause
hyb_test_scripts += %D%/view.test
EXTRA_DIST += %D%/view.py %D%/controls.py %D%/curves.py %D%/pictures.py $(addprefix %D%/pictures/, \
	dark.png exact.png fewer.png low.png part.png search.png whole.png)
