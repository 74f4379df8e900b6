# SPDX-License-Identifier: BSD-3-Clause
# hybmon-collect: a program that libhybmon.so finds where it finds its adapters.
if HAVE_PERF
execadapter_PROGRAMS += lib/hybmon/hybmon-collect
endif
# as a library: unit tests use parts of it
noinst_LIBRARIES += %D%/libcollector.a
%C%_libcollector_a_SOURCES = \
	$(hyb_src_collector) \
	$(hyb_src_collector_common) \
	$(hyb_src_collector_job) \
	$(hyb_src_collector_perf) \
	$(hyb_src_collector_sample) \
	$(hyb_src_collector_self) \
	$(hyb_src_collector_service)
nodist_%C%_libcollector_a_SOURCES = %D%/common/syscalls.h
lib_hybmon_hybmon_collect_SOURCES =
lib_hybmon_hybmon_collect_LDADD = %D%/libcollector.a src/core/libcore.a

# Numbers and names of the system calls of the machine that this is built for.
%D%/common/syscalls.h:
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && echo '#include <sys/syscall.h>' | $(CC) $(CPPFLAGS) $(CFLAGS) -E -dM - | \
	$(AWK) '$$2 ~ /^SYS_[a-z_0-9]+$$/ { print "\t{ " $$2 ", \"" substr($$2, 5) "\" }," }' | LC_ALL=C sort >$@.tmp && \
	test -s $@.tmp && mv $@.tmp $@
BUILT_SOURCES += %D%/common/syscalls.h
CLEANFILES += %D%/common/syscalls.h

# What runs in the kernel is compiled for that by clang, and becomes part of the collector as it is (object.S).
if HAVE_BPF
%C%_libcollector_a_SOURCES += $(hyb_src_collector_bpf)
hyb_bpf_flags = -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -ffreestanding -O2 -g -Wall -Wextra -I$(srcdir)/src
hyb_bpf_deps = $(srcdir)/%D%/bpf/block.bpf.h $(srcdir)/%D%/bpf/emit.bpf.h $(srcdir)/%D%/bpf/filter.bpf.h \
	$(srcdir)/%D%/bpf/kernel.bpf.h $(srcdir)/%D%/bpf/layout.h $(srcdir)/%D%/bpf/profile.bpf.h $(srcdir)/%D%/bpf/rights.bpf.h \
	$(srcdir)/src/format/format.h $(srcdir)/src/format/kernel.h $(srcdir)/src/format/kernel-slot.h \
	$(srcdir)/src/format/mpi.h
%D%/bpf/trace.bpf.o: $(srcdir)/%D%/bpf/trace.bpf.c $(hyb_bpf_deps)
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && $(BPF_CLANG) $(hyb_bpf_flags) -c $(srcdir)/%D%/bpf/trace.bpf.c -o $@.tmp && \
	{ test -z "$(LLVM_STRIP)" || $(LLVM_STRIP) -g $@.tmp; } && mv $@.tmp $@
%D%/bpf/object.$(OBJEXT): %D%/bpf/trace.bpf.o
CLEANFILES += %D%/bpf/trace.bpf.o
else
%C%_libcollector_a_SOURCES += $(hyb_src_collector_bpf_none)
endif

# For an administrator to enable, or to copy from where it is installed.
if HAVE_PERF
systemddir = $(prefix)/lib/systemd/system
systemd_DATA = %D%/service/hybmon-collect.service
%D%/service/hybmon-collect.service: $(srcdir)/%D%/service/hybmon-collect.service.in Makefile
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && sed 's,@execadapterdir@,$(execadapterdir),g' \
		$(srcdir)/%D%/service/hybmon-collect.service.in >$@.tmp && mv $@.tmp $@
CLEANFILES += %D%/service/hybmon-collect.service
endif
