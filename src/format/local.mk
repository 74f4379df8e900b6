# SPDX-License-Identifier: BSD-3-Clause
# The layout of the raw format: headers only.
EXTRA_DIST += %D%/README.md
hyb_format_files = \
	%D%/collector.h \
	%D%/format.h \
	%D%/kernel-slot.h \
	%D%/kernel.h \
	%D%/key.h \
	%D%/mpi.h \
	%D%/order.h \
	%D%/place.h \
	%D%/printable.h \
	%D%/profile.h \
	%D%/standing.h
