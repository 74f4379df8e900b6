# SPDX-License-Identifier: BSD-3-Clause
# Pages for a browser. Their data is JSON, which src/json writes if it has jansson; only server.c uses libmicrohttpd.
hyb_html_files = %D%/page.css %D%/page.js %D%/timeline.css %D%/timeline-common.js %D%/timeline-rows.js \
	%D%/timeline-draw.js %D%/words.js %D%/timeline-findings.js %D%/timeline-filter.js %D%/timeline-curves.js %D%/timeline-say.js %D%/timeline.js %D%/timeline-tiles.js %D%/timeline-paint.js \
	%D%/timeline-levels.js %D%/timeline-look.js %D%/timeline-worker.js
EXTRA_DIST += %D%/README.md $(hyb_html_files)
noinst_LIBRARIES += %D%/libhtml.a
%C%_libhtml_a_CPPFLAGS = $(AM_CPPFLAGS) $(MICROHTTPD_CPPFLAGS)
%C%_libhtml_a_CCASFLAGS = $(AM_CCASFLAGS) -Wa,-I$(srcdir)/%D%
%C%_libhtml_a_SOURCES = \
	%D%/files.S \
	%D%/findings.c \
	%D%/findings.h \
	%D%/page.c \
	%D%/page.h \
	%D%/peer.c \
	%D%/peer.h \
	%D%/report.c \
	%D%/report.h \
	%D%/timeline.c \
	%D%/timeline.h
nodist_%C%_libhtml_a_SOURCES = %D%/hashes.h
BUILT_SOURCES += %D%/hashes.h
CLEANFILES += %D%/hashes.h
EXTRA_DIST += %D%/hashes.sh
%D%/hashes.h: $(addprefix $(srcdir)/,%D%/hashes.sh %D%/files.S $(hyb_html_files))
	$(hyb_V_GEN)$(MKDIR_P) $(@D) && sh $(srcdir)/%D%/hashes.sh $(srcdir)/%D% >$@.tmp && mv $@.tmp $@
if HAVE_MICROHTTPD
%C%_libhtml_a_SOURCES += %D%/server.c
else
%C%_libhtml_a_SOURCES += %D%/server-none.c
endif
%D%/libhtml_a-files.$(OBJEXT): $(addprefix $(srcdir)/,$(hyb_html_files))
