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

# libhybmon.so: core, the OMPT tool, stubs and the resolver, and the constructor that starts them. It stays where it is once
# it is loaded. core/collector is of no use elsewhere, and core/process and core/user are not in libcore.a, since
# they take the places of functions of libc.
lib_libhybmon_so_1_SOURCES = \
	$(hyb_src_core_collector) \
	$(hyb_src_core_process) \
	$(hyb_src_core_user) \
	$(hyb_src_ompt) \
	$(hyb_src_ompt_gomp) \
	$(hyb_src_pmpi_entry) \
	$(hyb_src_preload) \
	src/pmpi/table/function-info.h
nodist_lib_libhybmon_so_1_SOURCES = src/pmpi/table/functions.c src/pmpi/entry/stubs.S $(hyb_gomp_generated)
lib_libhybmon_so_1_CFLAGS = $(AM_CFLAGS) -fPIC
lib_libhybmon_so_1_CCASFLAGS = -fPIC
lib_libhybmon_so_1_LINK = $(hyb_link) -Wl,-soname,libhybmon.so.1 \
	-Wl,--version-script,$(srcdir)/%D%/libhybmon.map $(HYB_DEFS_LDFLAGS) -static-libgcc \
	-Wl,--exclude-libs,libgcc.a:libgcc_eh.a -o $@ \
	-Wl,--whole-archive src/core/libcore.a -Wl,--no-whole-archive
lib_libhybmon_so_1_LDADD =
EXTRA_lib_libhybmon_so_1_DEPENDENCIES = %D%/libhybmon.map src/core/libcore.a

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
