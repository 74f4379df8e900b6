# SPDX-License-Identifier: BSD-3-Clause
# hybmon-collect: a program that libhybmon.so finds where it finds its adapters. It records by src/record, as the
# processes of the program do. The folders below have their own local.mk, which add to it.
EXTRA_DIST += %D%/README.md
if HAVE_PERF
execadapter_PROGRAMS += lib/hybmon/hybmon-collect
endif
lib_hybmon_hybmon_collect_SOURCES = \
	%D%/address.c \
	%D%/address.h \
	%D%/chain.c \
	%D%/chain.h \
	%D%/collect.c \
	%D%/collect.h \
	%D%/cpus.c \
	%D%/cpus.h \
	%D%/event.c \
	%D%/event.h \
	%D%/listener.c \
	%D%/listener.h \
	%D%/main.c \
	%D%/map.c \
	%D%/map.h \
	%D%/mapping.c \
	%D%/mapping.h \
	%D%/memory-limit.c \
	%D%/memory-limit.h \
	%D%/name.c \
	%D%/name.h \
	%D%/output.c \
	%D%/output.h \
	%D%/pidfd.h \
	%D%/privilege.c \
	%D%/privilege.h \
	%D%/proc.c \
	%D%/proc.h \
	%D%/recording.c \
	%D%/recording.h \
	%D%/rights.c \
	%D%/rights.h \
	%D%/ring.c \
	%D%/ring.h \
	%D%/slot.c \
	%D%/slot.h \
	%D%/socket.c \
	%D%/socket.h \
	%D%/source.c \
	%D%/source.h \
	%D%/task.c \
	%D%/task.h
lib_hybmon_hybmon_collect_LDADD = src/job/libjob.a src/record/librecord.a src/unwind/libunwind.a src/profile/libprofile.a src/base/libbase.a
nodist_lib_hybmon_hybmon_collect_SOURCES = %D%/syscalls.h

# Numbers and names of the system calls of the machine that this is built for.
%D%/syscalls.h:
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && echo '#include <sys/syscall.h>' | $(CC) $(CPPFLAGS) $(CFLAGS) -E -dM - | \
	$(AWK) '$$2 ~ /^SYS_[a-z_0-9]+$$/ { print "\t{ " $$2 ", \"" substr($$2, 5) "\" }," }' | LC_ALL=C sort >$@.tmp && \
	test -s $@.tmp && mv $@.tmp $@
BUILT_SOURCES += %D%/syscalls.h
CLEANFILES += %D%/syscalls.h
