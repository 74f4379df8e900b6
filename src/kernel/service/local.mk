# SPDX-License-Identifier: BSD-3-Clause
# hybmon-collect as a service for all users of a node.
EXTRA_DIST += %D%/README.md
lib_hybmon_hybmon_collect_SOURCES += \
	%D%/owner.c \
	%D%/owner.h \
	%D%/serve.c \
	%D%/service.c \
	%D%/service.h

# For an administrator to enable, or to copy from where it is installed.
if HAVE_PERF
systemddir = $(prefix)/lib/systemd/system
systemd_DATA = %D%/hybmon-collect.service
%D%/hybmon-collect.service: $(srcdir)/%D%/hybmon-collect.service.in Makefile
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && sed 's,@execadapterdir@,$(execadapterdir),g' \
		$(srcdir)/%D%/hybmon-collect.service.in >$@.tmp && mv $@.tmp $@
CLEANFILES += %D%/hybmon-collect.service
endif
EXTRA_DIST += %D%/hybmon-collect.service.in
