# SPDX-License-Identifier: BSD-3-Clause
# The source `bpf` of hybmon-collect: what runs in the kernel is compiled for that by clang, and becomes part of the
# collector as it is (object.S).
EXTRA_DIST += \
	%D%/README.md \
	%D%/block.bpf.h \
	%D%/emit.bpf.h \
	%D%/filter.bpf.h \
	%D%/kernel.bpf.h \
	%D%/profile.bpf.h \
	%D%/rights.bpf.h \
	%D%/trace.bpf.c
if HAVE_BPF
lib_hybmon_hybmon_collect_SOURCES += \
	%D%/bpf.c \
	%D%/layout.h \
	%D%/library.c \
	%D%/library.h \
	%D%/load.c \
	%D%/load.h \
	%D%/object.S \
	%D%/profile-file.c \
	%D%/profile-file.h \
	%D%/ring.c \
	%D%/ring.h \
	%D%/slot.c \
	%D%/slot.h \
	%D%/take.c \
	%D%/take.h \
	%D%/time.c \
	%D%/time.h

hyb_bpf_flags = -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) -ffreestanding -O2 -g -Wall -Wextra -I$(srcdir)/src
hyb_bpf_deps = $(srcdir)/%D%/block.bpf.h $(srcdir)/%D%/emit.bpf.h $(srcdir)/%D%/filter.bpf.h \
	$(srcdir)/%D%/kernel.bpf.h $(srcdir)/%D%/layout.h $(srcdir)/%D%/profile.bpf.h $(srcdir)/%D%/rights.bpf.h \
	$(srcdir)/src/format/format.h $(srcdir)/src/format/kernel.h $(srcdir)/src/format/kernel-slot.h \
	$(srcdir)/src/format/mpi.h
%D%/trace.bpf.o: $(srcdir)/%D%/trace.bpf.c $(hyb_bpf_deps)
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && $(BPF_CLANG) $(hyb_bpf_flags) -c $(srcdir)/%D%/trace.bpf.c -o $@.tmp && \
	{ test -z "$(LLVM_STRIP)" || $(LLVM_STRIP) -g $@.tmp; } && mv $@.tmp $@
%D%/object.$(OBJEXT): %D%/trace.bpf.o
CLEANFILES += %D%/trace.bpf.o
else
lib_hybmon_hybmon_collect_SOURCES += %D%/none.c
endif
