# SPDX-License-Identifier: BSD-3-Clause
#
# An adapter knows libhybmon.so and no MPI: what it has of one is bound to the program's MPI once it is loaded (entry/bind.c).
# So its references are weak, and lazily bound, whatever the compiler's or the user's default is.
#
# An MPI is asked for each function, since its version does not show what it has: Open MPI 5 has sessions, but its
# MPI_VERSION is 3. declared-ABI.txt lists what its headers declare; declared-ABI.h, which each source of the adapter and
# each test program with MPI begins with, defines HYB_HAS_MPI_Send and so on. In an adapter it makes references to MPI
# weak: another version of the same ABI may lack some, and is recorded all the same.
hyb_adapter_sources = \
	src/pmpi/entry/symbols.h \
	$(hyb_src_pmpi_adapter) \
	$(hyb_src_pmpi_adapter_fortran) \
	$(hyb_src_pmpi_adapter_handles) \
	$(hyb_src_pmpi_adapter_order) \
	$(hyb_src_pmpi_adapter_requests)
hyb_adapter_link = $(hyb_link) -Wl,-z,lazy -Wl,--unresolved-symbols=ignore-all -o $@

# Wrappers are in several files, which take about as long to compile: those of functions that programs call often and of
# others (table/common.tbl), in C and for each flavour of Fortran.
hyb_wrapper_deps = $(hyb_pmpi_deps) src/pmpi/table/common.tbl src/pmpi/table/wrapper.awk
hyb_wrapper_awk = $(hyb_pmpi_awk) -f $(srcdir)/src/pmpi/table/wrapper.awk
hyb_wrapper_tables = $(hyb_pmpi_tables) $(srcdir)/src/pmpi/table/common.tbl
# Each in cache lines of its own: where one begins in a line costs or saves up to 9 ns a call, and the code before it would decide.
%D%/lib_hybmon_libhybmon_%-common.o: CFLAGS := $(CFLAGS) $(HYB_GENERATED_CFLAGS) -falign-functions=64
%D%/lib_hybmon_libhybmon_%-rare.o: CFLAGS := $(patsubst -O2,-O1,$(patsubst -O3,-O1,$(CFLAGS))) $(HYB_GENERATED_CFLAGS)

if HAVE_OPENMPI
execadapter_PROGRAMS += lib/hybmon/libhybmon-openmpi.so
BUILT_SOURCES += %D%/declared-openmpi.h
lib_hybmon_libhybmon_openmpi_so_SOURCES = $(hyb_adapter_sources)
nodist_lib_hybmon_libhybmon_openmpi_so_SOURCES = $(hyb_openmpi_generated)
hyb_openmpi_generated = \
	%D%/calls-openmpi.c \
	%D%/fortran-openmpi.c \
	%D%/fortran-openmpi-f08-common.c \
	%D%/fortran-openmpi-f08-rare.c \
	%D%/fortran-openmpi-f77-common.c \
	%D%/fortran-openmpi-f77-rare.c \
	%D%/wrappers-openmpi.c \
	%D%/wrappers-openmpi-common.c \
	%D%/wrappers-openmpi-rare.c
lib_hybmon_libhybmon_openmpi_so_CPPFLAGS = $(AM_CPPFLAGS) $(OPENMPI_CPPFLAGS) -DHYB_ADAPTER -include $(builddir)/%D%/declared-openmpi.h
lib_hybmon_libhybmon_openmpi_so_CFLAGS = $(AM_CFLAGS) -fPIC
lib_hybmon_libhybmon_openmpi_so_LINK = $(hyb_adapter_link)
lib_hybmon_libhybmon_openmpi_so_LDADD = lib/libhybmon.so.1
$(lib_hybmon_libhybmon_openmpi_so_OBJECTS): %D%/declared-openmpi.h
%D%/declared-openmpi.txt: src/pmpi/table/list-declared.sh
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && \
	$(SHELL) $(srcdir)/src/pmpi/table/list-declared.sh $(CC) $(OPENMPI_CPPFLAGS) >$@.tmp && mv $@.tmp $@
%D%/declared-openmpi.h: %D%/declared-openmpi.txt
	$(hyb_V_GEN)$(SED) 's/.*/#define HYB_HAS_& 1/' %D%/declared-openmpi.txt >$@.tmp && \
	{ echo '#ifdef HYB_ADAPTER' && $(SHELL) $(srcdir)/src/pmpi/table/list-declared.sh --data $(CC) $(OPENMPI_CPPFLAGS) | \
		$(SED) 's/.*/#pragma weak &/' && $(SED) 's/.*/#pragma weak P&/' %D%/declared-openmpi.txt && \
		echo '#endif'; } >>$@.tmp && mv $@.tmp $@
%D%/calls-openmpi.c: %D%/declared-openmpi.txt $(hyb_pmpi_deps) src/pmpi/table/gen-calls.awk
	$(hyb_V_GEN)$(hyb_pmpi_awk) -v abi=openmpi -v declared=%D%/declared-openmpi.txt \
		-f $(srcdir)/src/pmpi/table/gen-calls.awk $(hyb_pmpi_tables) >$@.tmp && mv $@.tmp $@
%D%/wrappers-openmpi.c %D%/wrappers-openmpi-common.c %D%/wrappers-openmpi-rare.c: %D%/declared-openmpi.txt $(hyb_wrapper_deps) \
		src/pmpi/table/gen-wrappers.awk
	$(hyb_V_GEN)$(hyb_wrapper_awk) -v abi=openmpi -v declared=%D%/declared-openmpi.txt -v part=$(@:%D%/wrappers-openmpi%.c=%) \
		-f $(srcdir)/src/pmpi/table/gen-wrappers.awk $(hyb_wrapper_tables) >$@.tmp && mv $@.tmp $@
%D%/fortran-openmpi.c %D%/fortran-openmpi-f08-common.c %D%/fortran-openmpi-f08-rare.c %D%/fortran-openmpi-f77-common.c \
		%D%/fortran-openmpi-f77-rare.c: %D%/declared-openmpi.txt $(hyb_wrapper_deps) src/pmpi/table/gen-fortran.awk
	$(hyb_V_GEN)$(hyb_wrapper_awk) -v abi=openmpi -v declared=%D%/declared-openmpi.txt -v part=$(@:%D%/fortran-openmpi%.c=%) \
		-f $(srcdir)/src/pmpi/table/gen-fortran.awk $(hyb_wrapper_tables) >$@.tmp && mv $@.tmp $@
endif

if HAVE_MPICH
execadapter_PROGRAMS += lib/hybmon/libhybmon-mpich.so
BUILT_SOURCES += %D%/declared-mpich.h
lib_hybmon_libhybmon_mpich_so_SOURCES = $(hyb_adapter_sources)
nodist_lib_hybmon_libhybmon_mpich_so_SOURCES = $(hyb_mpich_generated)
hyb_mpich_generated = \
	%D%/calls-mpich.c \
	%D%/fortran-mpich.c \
	%D%/fortran-mpich-f08-common.c \
	%D%/fortran-mpich-f08-rare.c \
	%D%/fortran-mpich-f77-common.c \
	%D%/fortran-mpich-f77-rare.c \
	%D%/wrappers-mpich.c \
	%D%/wrappers-mpich-common.c \
	%D%/wrappers-mpich-rare.c
lib_hybmon_libhybmon_mpich_so_CPPFLAGS = $(AM_CPPFLAGS) $(MPICH_CPPFLAGS) -DHYB_ADAPTER -include $(builddir)/%D%/declared-mpich.h
lib_hybmon_libhybmon_mpich_so_CFLAGS = $(AM_CFLAGS) -fPIC
lib_hybmon_libhybmon_mpich_so_LINK = $(hyb_adapter_link)
lib_hybmon_libhybmon_mpich_so_LDADD = lib/libhybmon.so.1
$(lib_hybmon_libhybmon_mpich_so_OBJECTS): %D%/declared-mpich.h
%D%/declared-mpich.txt: src/pmpi/table/list-declared.sh
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && \
	$(SHELL) $(srcdir)/src/pmpi/table/list-declared.sh $(CC) $(MPICH_CPPFLAGS) >$@.tmp && mv $@.tmp $@
%D%/declared-mpich.h: %D%/declared-mpich.txt
	$(hyb_V_GEN)$(SED) 's/.*/#define HYB_HAS_& 1/' %D%/declared-mpich.txt >$@.tmp && \
	{ echo '#ifdef HYB_ADAPTER' && $(SHELL) $(srcdir)/src/pmpi/table/list-declared.sh --data $(CC) $(MPICH_CPPFLAGS) | \
		$(SED) 's/.*/#pragma weak &/' && $(SED) 's/.*/#pragma weak P&/' %D%/declared-mpich.txt && \
		echo '#endif'; } >>$@.tmp && mv $@.tmp $@
%D%/calls-mpich.c: %D%/declared-mpich.txt $(hyb_pmpi_deps) src/pmpi/table/gen-calls.awk
	$(hyb_V_GEN)$(hyb_pmpi_awk) -v abi=mpich -v declared=%D%/declared-mpich.txt \
		-f $(srcdir)/src/pmpi/table/gen-calls.awk $(hyb_pmpi_tables) >$@.tmp && mv $@.tmp $@
%D%/wrappers-mpich.c %D%/wrappers-mpich-common.c %D%/wrappers-mpich-rare.c: %D%/declared-mpich.txt $(hyb_wrapper_deps) \
		src/pmpi/table/gen-wrappers.awk
	$(hyb_V_GEN)$(hyb_wrapper_awk) -v abi=mpich -v declared=%D%/declared-mpich.txt -v part=$(@:%D%/wrappers-mpich%.c=%) \
		-f $(srcdir)/src/pmpi/table/gen-wrappers.awk $(hyb_wrapper_tables) >$@.tmp && mv $@.tmp $@
%D%/fortran-mpich.c %D%/fortran-mpich-f08-common.c %D%/fortran-mpich-f08-rare.c %D%/fortran-mpich-f77-common.c \
		%D%/fortran-mpich-f77-rare.c: %D%/declared-mpich.txt $(hyb_wrapper_deps) src/pmpi/table/gen-fortran.awk
	$(hyb_V_GEN)$(hyb_wrapper_awk) -v abi=mpich -v declared=%D%/declared-mpich.txt -v part=$(@:%D%/fortran-mpich%.c=%) \
		-f $(srcdir)/src/pmpi/table/gen-fortran.awk $(hyb_wrapper_tables) >$@.tmp && mv $@.tmp $@
endif
CLEANFILES += %D%/declared-openmpi.txt %D%/declared-mpich.txt %D%/declared-openmpi.h %D%/declared-mpich.h

CLEANFILES += $(hyb_openmpi_generated) $(hyb_mpich_generated)
