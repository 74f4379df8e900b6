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

EXTRA_DIST += %D%/libhybmon.map
CLEANFILES += %D%/stubs.S

%D%/stubs.S: $(hyb_pmpi_deps) src/pmpi/table/gen-stubs.awk
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && \
	$(hyb_pmpi_awk) -f $(srcdir)/src/pmpi/table/gen-stubs.awk $(hyb_pmpi_tables) >$@.tmp && mv $@.tmp $@

# libhybmon.so: base, record, process, the OMPT tool, stubs and the resolver. It stays where it is once it is loaded.
lib_libhybmon_so_1_SOURCES = \
	$(hyb_base_files) \
	$(hyb_record_files) \
	$(hyb_process_files) \
	$(hyb_ompt_files) \
	%D%/absent.c \
	%D%/absent.h \
	%D%/dispatch.c \
	%D%/dispatch.h \
	%D%/namesake.c \
	%D%/namesake.h \
	%D%/poll-rows.c \
	%D%/resolve.h \
	%D%/stub.h \
	%D%/symbols.h \
	%D%/tools-before.c \
	%D%/unheard.c
nodist_lib_libhybmon_so_1_SOURCES = src/pmpi/table/functions.c %D%/stubs.S
lib_libhybmon_so_1_CFLAGS = $(AM_CFLAGS) -fPIC
lib_libhybmon_so_1_CCASFLAGS = -fPIC
lib_libhybmon_so_1_LINK = $(hyb_link) -Wl,-soname,libhybmon.so.1 \
	-Wl,--version-script,$(srcdir)/%D%/libhybmon.map $(HYB_DEFS_LDFLAGS) -static-libgcc -Wl,--exclude-libs,ALL -o $@
lib_libhybmon_so_1_LDADD =
EXTRA_lib_libhybmon_so_1_DEPENDENCIES = %D%/libhybmon.map

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
