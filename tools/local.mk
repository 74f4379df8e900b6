# SPDX-License-Identifier: BSD-3-Clause
bash_completionsdir = $(datadir)/bash-completion/completions
# One program with all commands: those with options of their own are in commands/, run and doctor in folders of their own.
bin_PROGRAMS += %D%/hybmon
%C%_hybmon_SOURCES = %D%/hybmon.c
nodist_%C%_hybmon_SOURCES = src/pmpi/table/functions.c
# By these names it is one of its commands: tests have all of them, two are installed.
all-local: $(hyb_command_links)
hyb_command_links = %D%/hybmon-check %D%/hybmon-diff %D%/hybmon-filter %D%/hybmon-graph %D%/hybmon-merge %D%/hybmon-print \
	%D%/hybmon-races %D%/hybmon-report %D%/hybmon-view
$(hyb_command_links): %D%/hybmon$(EXEEXT)
	@rm -f $@ && $(LN_S) hybmon$(EXEEXT) $@
CLEANFILES += $(hyb_command_links)
hyb_installed_links = hybmon-merge hybmon-print
install-exec-local:
	$(MKDIR_P) '$(DESTDIR)$(bindir)' && cd '$(DESTDIR)$(bindir)' && for name in $(hyb_installed_links); do \
		rm -f $$name && $(LN_S) hybmon$(EXEEXT) $$name; done

noinst_LIBRARIES += %D%/libtools.a
%C%_libtools_a_CPPFLAGS = $(AM_CPPFLAGS) -DHYB_MISSING='"$(HYB_MISSING)"' -DLIBDIR='"$(libdir)"'
%C%_libtools_a_SOURCES = $(hyb_tools_commands) $(hyb_tools_common) $(hyb_tools_doctor) $(hyb_tools_run) $(hyb_tools_view)
# What the build lacks depends on how it was configured.
%D%/common/libtools_a-lacking.$(OBJEXT): Makefile

# Of programs that have none of their own: unit tests.
LDADD = test/lib/libtest.a %D%/libtools.a src/collector/libcollector.a $(hyb_libraries)

# A file of each command's name, as bash looks for it.
install-data-local:
	$(MKDIR_P) '$(DESTDIR)$(bash_completionsdir)'
	$(INSTALL_DATA) $(srcdir)/%D%/hybmon.bash '$(DESTDIR)$(bash_completionsdir)/hybmon'
	cd '$(DESTDIR)$(bash_completionsdir)' && for name in $(hyb_installed_links); do \
		rm -f $$name && $(LN_S) hybmon $$name; done
uninstall-local:
	cd '$(DESTDIR)$(bash_completionsdir)' && rm -f hybmon $(hyb_installed_links); cd '$(DESTDIR)$(bindir)' && rm -f $(hyb_installed_links)
