# SPDX-License-Identifier: BSD-3-Clause
# What the program tells; becomes part of libhybmon.so, see src/preload/local.mk.
EXTRA_DIST += %D%/README.md
hyb_user_files = \
	%D%/brief.c \
	%D%/counter.c \
	%D%/counter.h \
	%D%/function.c \
	%D%/parameter.c \
	%D%/region.c \
	%D%/region.h \
	%D%/symbol.c \
	%D%/symbol.h \
	%D%/text.h \
	%D%/thread.c \
	%D%/user.h
