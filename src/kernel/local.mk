# SPDX-License-Identifier: BSD-3-Clause
# hybmon-collect: a program that libhybmon.so finds where it finds its adapters. It records by
# src/record as a process of the program's does.
EXTRA_DIST += %D%/README.md
if HAVE_PERF
execadapter_PROGRAMS += lib/hybmon/hybmon-collect
endif
hyb_kernel_files = \
	%D%/address.c \
	%D%/address.h \
	%D%/collect.c \
	%D%/collect.h \
	%D%/counts.c \
	%D%/counts.h \
	%D%/cpus.c \
	%D%/cpus.h \
	%D%/decode.c \
	%D%/decode.h \
	%D%/map.c \
	%D%/map.h \
	%D%/mapped.c \
	%D%/mapped.h \
	%D%/memory.c \
	%D%/memory.h \
	%D%/name.c \
	%D%/name.h \
	%D%/output.c \
	%D%/output.h \
	%D%/owner.c \
	%D%/owner.h \
	%D%/perf.c \
	%D%/perf.h \
	%D%/perf-check.c \
	%D%/perf-read.c \
	%D%/pidfd.h \
	%D%/privilege.c \
	%D%/privilege.h \
	%D%/proc.c \
	%D%/proc.h \
	%D%/recording.c \
	%D%/recording.h \
	%D%/ring.c \
	%D%/ring.h \
	%D%/self.c \
	%D%/self.h \
	%D%/self-read.c \
	%D%/serve.c \
	%D%/service.c \
	%D%/service.h \
	%D%/socket.c \
	%D%/socket.h \
	%D%/source.c \
	%D%/source.h \
	%D%/stack.c \
	%D%/stack.h \
	%D%/task.c \
	%D%/task.h \
	%D%/tracefs.c \
	%D%/tracefs.h
lib_hybmon_hybmon_collect_SOURCES = \
	$(hyb_kernel_files) \
	%D%/main.c
lib_hybmon_hybmon_collect_LDADD = src/job/libjob.a src/record/librecord.a src/base/libbase.a
nodist_lib_hybmon_hybmon_collect_SOURCES = %D%/syscalls.h

# Numbers and names of the system calls of the machine that this is built for.
%D%/syscalls.h:
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && echo '#include <sys/syscall.h>' | $(CC) $(CPPFLAGS) $(CFLAGS) -E -dM - | \
	$(AWK) '$$2 ~ /^SYS_[a-z_0-9]+$$/ { print "\t{ " $$2 ", \"" substr($$2, 5) "\" }," }' | LC_ALL=C sort >$@.tmp && \
	test -s $@.tmp && mv $@.tmp $@
BUILT_SOURCES += %D%/syscalls.h
CLEANFILES += %D%/syscalls.h

# For an administrator to enable, or to copy from where it is installed.
if HAVE_PERF
systemddir = $(prefix)/lib/systemd/system
systemd_DATA = %D%/hybmon-collect.service
%D%/hybmon-collect.service: $(srcdir)/%D%/hybmon-collect.service.in Makefile
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && sed 's,@execadapterdir@,$(execadapterdir),g' \
		$(srcdir)/%D%/hybmon-collect.service.in >$@.tmp && mv $@.tmp $@
CLEANFILES += %D%/hybmon-collect.service
endif
EXTRA_DIST += %D%/hybmon-collect.service.in
