# SPDX-License-Identifier: BSD-3-Clause
# The life of a recorded process: in libhybmon.so alone, since it interposes functions of libc.
EXTRA_DIST += %D%/README.md
noinst_LIBRARIES += %D%/libprocess.a
%C%_libprocess_a_CFLAGS = $(AM_CFLAGS) -fPIC
%C%_libprocess_a_CCASFLAGS = -fPIC
%C%_libprocess_a_SOURCES = \
	%D%/announce.c \
	%D%/announce.h \
	%D%/collector-name.c \
	%D%/collector-name.h \
	%D%/collector-service.c \
	%D%/collector-wait.c \
	%D%/collector.c \
	%D%/collector.h \
	%D%/debugger.c \
	%D%/debugger.h \
	%D%/execute.c \
	%D%/execute.h \
	%D%/exits.c \
	%D%/exits.h \
	%D%/own-sums.c \
	%D%/process.c \
	%D%/process.h \
	%D%/sample.c \
	%D%/sandbox.c \
	%D%/sandbox.h \
	%D%/seccomp.c \
	%D%/seccomp.h \
	%D%/slot.c \
	%D%/slot.h \
	%D%/switch.c \
	%D%/syscall.S \
	%D%/unload.c \
	%D%/unload.h
