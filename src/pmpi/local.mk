# SPDX-License-Identifier: BSD-3-Clause
#
# libhybmon.so and the adapters. They are declared as programs that are linked with -shared:
# automake then compiles, links and installs them without libtool, and they lie in lib/ here as they
# will in $(libdir), so that libhybmon.so finds its adapters beside itself in both places.
execlibdir = $(libdir)
execadapterdir = $(libdir)/hybmon
execlib_PROGRAMS = lib/libhybmon.so.1
execadapter_PROGRAMS =
# our flags stand behind the user's: without them there is no shared object
hyb_link = $(CCLD) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -shared -Wl,-z,nodelete

# What is made from the tables.
hyb_pmpi_tables = $(srcdir)/%D%/mpi.tbl $(srcdir)/%D%/kinds.tbl
hyb_pmpi_awk = $(AWK) -v fortran_names="$(HYB_FORTRAN_NAMES)" -f $(srcdir)/%D%/table.awk
hyb_pmpi_deps = %D%/table.awk %D%/mpi.tbl %D%/kinds.tbl
hyb_V_GEN = $(hyb_v_gen_$(V))
hyb_v_gen_ = $(hyb_v_gen_$(AM_DEFAULT_VERBOSITY))
hyb_v_gen_0 = @echo "  GEN     " $@;
EXTRA_DIST += \
	%D%/README.md \
	%D%/gen-fortran.awk \
	%D%/gen-coverage.awk \
	%D%/gen-functions.awk \
	%D%/gen-stubs.awk \
	%D%/gen-wrappers.awk \
	%D%/kinds.tbl \
	%D%/libhybmon.map \
	%D%/list-declared.sh \
	%D%/mpi.tbl \
	%D%/table.awk \
	%D%/unwrapped.tbl
BUILT_SOURCES += %D%/functions.h
CLEANFILES += %D%/functions.h %D%/functions.c %D%/stubs.S \
	%D%/wrappers-openmpi.c %D%/wrappers-mpich.c %D%/fortran-openmpi.c %D%/fortran-mpich.c

%D%/functions.h: $(hyb_pmpi_deps) %D%/gen-functions.awk
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && \
	$(hyb_pmpi_awk) -v out=h -f $(srcdir)/%D%/gen-functions.awk \
		$(hyb_pmpi_tables) >$@.tmp && mv $@.tmp $@
%D%/functions.c: $(hyb_pmpi_deps) %D%/gen-functions.awk
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && \
	$(hyb_pmpi_awk) -v out=c -f $(srcdir)/%D%/gen-functions.awk \
		$(hyb_pmpi_tables) >$@.tmp && mv $@.tmp $@
%D%/stubs.S: $(hyb_pmpi_deps) %D%/gen-stubs.awk
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && \
	$(hyb_pmpi_awk) -f $(srcdir)/%D%/gen-stubs.awk $(hyb_pmpi_tables) >$@.tmp && mv $@.tmp $@

# libhybmon.so: core, the OMPT tool, stubs and the resolver. It stays where it is once it is loaded.
lib_libhybmon_so_1_SOURCES = \
	$(hyb_core_files) \
	$(hyb_ompt_files) \
	%D%/absent.c \
	%D%/absent.h \
	%D%/dispatch.c \
	%D%/dispatch.h \
	%D%/front.c \
	%D%/namesake.c \
	%D%/namesake.h \
	%D%/resolve.h \
	%D%/stub.h \
	%D%/symbols.h \
	%D%/unheard.c
nodist_lib_libhybmon_so_1_SOURCES = %D%/functions.c %D%/stubs.S
lib_libhybmon_so_1_CFLAGS = $(AM_CFLAGS) -fPIC
lib_libhybmon_so_1_CCASFLAGS = -fPIC
lib_libhybmon_so_1_LINK = $(hyb_link) -Wl,-soname,libhybmon.so.1 \
	-Wl,--version-script,$(srcdir)/%D%/libhybmon.map $(HYB_DEFS_LDFLAGS) -static-libgcc -Wl,--exclude-libs,ALL -o $@
lib_libhybmon_so_1_LDADD =
EXTRA_lib_libhybmon_so_1_DEPENDENCIES = %D%/libhybmon.map

# An adapter knows libhybmon.so and no MPI: PMPI_* are bound when they are called, by which time the
# program's MPI is there. That takes lazy binding, whatever the compiler's or the user's default is.
hyb_adapter_sources = \
	%D%/adapter.h \
	%D%/coll.c \
	%D%/comm.c \
	%D%/comm.h \
	%D%/complete.c \
	%D%/events.h \
	%D%/file.c \
	%D%/file.h \
	%D%/fortran.c \
	%D%/fortran.h \
	%D%/key.h \
	%D%/life.c \
	%D%/make.h \
	%D%/meet.c \
	%D%/message.c \
	%D%/pcontrol-entry.S \
	%D%/pcontrol.c \
	%D%/pending.c \
	%D%/pending.h \
	%D%/poll.h \
	%D%/request.c \
	%D%/request.h \
	%D%/room.c \
	%D%/room.h \
	%D%/sendrecv.c \
	%D%/sentinel.c \
	%D%/sentinel.h \
	%D%/session.c \
	%D%/session.h \
	%D%/status.c \
	%D%/status.h \
	%D%/symbols.h \
	%D%/topology.c \
	%D%/type.c \
	%D%/type.h \
	%D%/win.c \
	%D%/win.h
hyb_adapter_link = $(hyb_link) -Wl,-z,lazy -Wl,--unresolved-symbols=ignore-all -o $@

if HAVE_OPENMPI
execadapter_PROGRAMS += lib/hybmon/libhybmon-openmpi.so
lib_hybmon_libhybmon_openmpi_so_SOURCES = $(hyb_adapter_sources)
nodist_lib_hybmon_libhybmon_openmpi_so_SOURCES = %D%/wrappers-openmpi.c %D%/fortran-openmpi.c
lib_hybmon_libhybmon_openmpi_so_CPPFLAGS = $(AM_CPPFLAGS) $(OPENMPI_CPPFLAGS)
lib_hybmon_libhybmon_openmpi_so_CFLAGS = $(AM_CFLAGS) -fPIC
lib_hybmon_libhybmon_openmpi_so_LINK = $(hyb_adapter_link)
lib_hybmon_libhybmon_openmpi_so_LDADD = lib/libhybmon.so.1
%D%/wrappers-openmpi.c: $(hyb_pmpi_deps) %D%/gen-wrappers.awk %D%/list-declared.sh
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && \
	$(SHELL) $(srcdir)/%D%/list-declared.sh $(CC) $(OPENMPI_CPPFLAGS) >$@.declared && \
	$(hyb_pmpi_awk) -v abi=openmpi -v declared=$@.declared -f $(srcdir)/%D%/gen-wrappers.awk \
		$(hyb_pmpi_tables) >$@.tmp && mv $@.tmp $@
%D%/fortran-openmpi.c: %D%/wrappers-openmpi.c %D%/gen-fortran.awk
	$(hyb_V_GEN)$(hyb_pmpi_awk) -v out=fortran -v abi=openmpi \
		-v declared=%D%/wrappers-openmpi.c.declared -f $(srcdir)/%D%/gen-wrappers.awk \
		-f $(srcdir)/%D%/gen-fortran.awk $(hyb_pmpi_tables) >$@.tmp && mv $@.tmp $@
endif

if HAVE_MPICH
execadapter_PROGRAMS += lib/hybmon/libhybmon-mpich.so
lib_hybmon_libhybmon_mpich_so_SOURCES = $(hyb_adapter_sources)
nodist_lib_hybmon_libhybmon_mpich_so_SOURCES = %D%/wrappers-mpich.c %D%/fortran-mpich.c
lib_hybmon_libhybmon_mpich_so_CPPFLAGS = $(AM_CPPFLAGS) $(MPICH_CPPFLAGS)
lib_hybmon_libhybmon_mpich_so_CFLAGS = $(AM_CFLAGS) -fPIC
lib_hybmon_libhybmon_mpich_so_LINK = $(hyb_adapter_link)
lib_hybmon_libhybmon_mpich_so_LDADD = lib/libhybmon.so.1
%D%/wrappers-mpich.c: $(hyb_pmpi_deps) %D%/gen-wrappers.awk %D%/list-declared.sh
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && \
	$(SHELL) $(srcdir)/%D%/list-declared.sh $(CC) $(MPICH_CPPFLAGS) >$@.declared && \
	$(hyb_pmpi_awk) -v abi=mpich -v declared=$@.declared -f $(srcdir)/%D%/gen-wrappers.awk \
		$(hyb_pmpi_tables) >$@.tmp && mv $@.tmp $@
%D%/fortran-mpich.c: %D%/wrappers-mpich.c %D%/gen-fortran.awk
	$(hyb_V_GEN)$(hyb_pmpi_awk) -v out=fortran -v abi=mpich \
		-v declared=%D%/wrappers-mpich.c.declared -f $(srcdir)/%D%/gen-wrappers.awk \
		-f $(srcdir)/%D%/gen-fortran.awk $(hyb_pmpi_tables) >$@.tmp && mv $@.tmp $@
endif
CLEANFILES += %D%/wrappers-openmpi.c.declared %D%/wrappers-mpich.c.declared

# The name that linkers and LD_PRELOAD use.
all-local: lib/libhybmon.so
lib/libhybmon.so: lib/libhybmon.so.1
	@rm -f $@ && $(LN_S) libhybmon.so.1 $@
CLEANFILES += lib/libhybmon.so
install-exec-hook:
	cd '$(DESTDIR)$(libdir)' && rm -f libhybmon.so && $(LN_S) libhybmon.so.1 libhybmon.so
uninstall-hook:
	rm -f '$(DESTDIR)$(libdir)/libhybmon.so'
	-rmdir '$(DESTDIR)$(libdir)/hybmon' 2>/dev/null
