# SPDX-License-Identifier: BSD-3-Clause
# The manual pages are written in markdown; a release carries them ready made.
hyb_man_sources = \
	%D%/hybmon-collect.8.md \
	%D%/hybmon-merge.1.md \
	%D%/hybmon-print.1.md \
	%D%/hybmon.1.md \
	%D%/libhybmon.3.md
EXTRA_DIST += $(hyb_man_sources) %D%/gen-env.awk

if HAVE_MAN
dist_man_MANS = $(hyb_man_sources:.md=) %D%/hybmon-env.7
MAINTAINERCLEANFILES += $(dist_man_MANS)
endif

hyb_pandoc = $(PANDOC) -s -f markdown -t man --metadata footer='$(PACKAGE_STRING)' \
	--metadata header='hybmon manual'
hyb_V_MAN = $(hyb_v_man_$(V))
hyb_v_man_ = $(hyb_v_man_$(AM_DEFAULT_VERBOSITY))
hyb_v_man_0 = @echo "  MAN     " $@;

%D%/hybmon-env.7: %D%/gen-env.awk src/core/config/config.tbl.h
	$(hyb_V_MAN)$(MKDIR_P) $(@D) && $(AWK) -f $(srcdir)/%D%/gen-env.awk \
		$(srcdir)/src/core/config/config.tbl.h >$@.md && \
	$(hyb_pandoc) -o $@ $@.md && rm -f $@.md

%D%/%: %D%/%.md
	$(hyb_V_MAN)$(MKDIR_P) $(@D) && $(hyb_pandoc) -o $@ $<
