# SPDX-License-Identifier: BSD-3-Clause
# What is shown in a browser. The page has a report as JSON in it, so it needs jansson as that does.
EXTRA_DIST += %D%/README.md %D%/page.css %D%/page.js
if HAVE_JANSSON
noinst_LIBRARIES += %D%/libhtml.a
%C%_libhtml_a_CPPFLAGS = $(AM_CPPFLAGS) -DHYB_HTML_STYLE='"$(srcdir)/%D%/page.css"' \
	-DHYB_HTML_SCRIPT='"$(srcdir)/%D%/page.js"'
%C%_libhtml_a_CCASFLAGS = $(AM_CCASFLAGS) $(%C%_libhtml_a_CPPFLAGS)
%C%_libhtml_a_SOURCES = \
	%D%/page.S \
	%D%/page.h \
	%D%/report.c \
	%D%/report.h
%D%/libhtml_a-page.$(OBJEXT): $(srcdir)/%D%/page.css $(srcdir)/%D%/page.js
endif
