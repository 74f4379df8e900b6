# SPDX-License-Identifier: BSD-3-Clause
# Stubs and what they lead to, up to the adapters; becomes part of libhybmon.so, see src/preload/local.mk.
hyb_entry_files = \
	%D%/absent.c \
	%D%/absent.h \
	%D%/bind.c \
	%D%/bind.h \
	%D%/bypassed.c \
	%D%/dispatch.c \
	%D%/dispatch.h \
	%D%/mpi-library.c \
	%D%/mpi-library.h \
	%D%/mpi-process.c \
	%D%/mpi-process.h \
	%D%/namesake.c \
	%D%/namesake.h \
	%D%/poll-rows.c \
	%D%/symbols.h \
	%D%/thread.h \
	%D%/shown.c \
	%D%/shown.h \
	src/pmpi/table/function-info.h
hyb_entry_generated = src/pmpi/table/functions.c %D%/stubs.S
CLEANFILES += %D%/stubs.S
EXTRA_DIST += %D%/README.md

%D%/stubs.S: $(hyb_pmpi_deps) src/pmpi/table/gen-stubs.awk
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && \
	$(hyb_pmpi_awk) -f $(srcdir)/src/pmpi/table/gen-stubs.awk $(hyb_pmpi_tables) >$@.tmp && mv $@.tmp $@
