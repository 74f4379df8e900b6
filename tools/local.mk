# SPDX-License-Identifier: BSD-3-Clause
# Each command is a file here; what they are made of is in the folders.
hyb_commands = hybmon-merge hybmon-print hybmon-check hybmon-report hybmon-diff hybmon-filter hybmon-view hybmon-races hybmon-graph
bin_PROGRAMS += \
	%D%/hybmon \
	%D%/hybmon-check \
	%D%/hybmon-diff \
	%D%/hybmon-filter \
	%D%/hybmon-graph \
	%D%/hybmon-merge \
	%D%/hybmon-print \
	%D%/hybmon-races \
	%D%/hybmon-report \
	%D%/hybmon-view
nodist_%C%_hybmon_filter_SOURCES = src/pmpi/table/functions.c
%C%_hybmon_filter_SOURCES = %D%/hybmon-filter.c

noinst_LIBRARIES += %D%/libtools.a
%C%_libtools_a_CPPFLAGS = $(AM_CPPFLAGS) -DHYB_MISSING='"$(HYB_MISSING)"' -DLIBDIR='"$(libdir)"'
%C%_libtools_a_SOURCES = $(hyb_tools_common) $(hyb_tools_doctor) $(hyb_tools_run) $(hyb_tools_view)
# What the build lacks depends on how it was configured.
%D%/common/libtools_a-lacking.$(OBJEXT): Makefile

# Of programs that have none of their own: tools, unit tests.
LDADD = test/lib/libtest.a %D%/libtools.a src/collector/libcollector.a $(hyb_libraries)

# A file of each command's name, as bash looks for it.
install-data-local:
	$(MKDIR_P) '$(DESTDIR)$(bash_completionsdir)'
	$(INSTALL_DATA) $(srcdir)/%D%/hybmon.bash '$(DESTDIR)$(bash_completionsdir)/hybmon'
	cd '$(DESTDIR)$(bash_completionsdir)' && for name in $(hyb_commands); do \
		rm -f $$name && $(LN_S) hybmon $$name; done
uninstall-local:
	cd '$(DESTDIR)$(bash_completionsdir)' && rm -f hybmon $(hyb_commands)
