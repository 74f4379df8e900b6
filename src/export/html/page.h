/* SPDX-License-Identifier: BSD-3-Clause */
/* What all pages begin with (page.c), and the files that they are made of, as they are (files.S). */
#ifndef HYB_EXPORT_HTML_PAGE_H
#define HYB_EXPORT_HTML_PAGE_H

#include <stddef.h>
#include <stdio.h>

extern const char hyb_html_style[], hyb_html_style_end[];
extern const char hyb_html_script[], hyb_html_script_end[];
extern const char hyb_html_view_style[], hyb_html_view_style_end[];
extern const char hyb_html_view_script[], hyb_html_view_script_end[];
extern const char hyb_html_view_worker[], hyb_html_view_worker_end[];

/* What a page that is no server's may do. style, script: hashes of its own (hashes.h); nothing from a recording is run. */
#define HYB_HTML_POLICY(style, script) \
	"default-src 'none'; style-src '" style "'; script-src '" script "'; worker-src blob:; img-src data:; " \
	"base-uri 'none'; form-action 'none'"

/* Up to the title, which is text, and what comes after it. policy: NULL: a server says what the page may do. */
void hyb_html_head(const char *title, const char *after, const char *policy, FILE *to);
/* Of an element, with a space before it; any text. */
void hyb_html_attribute(const char *name, const char *value, FILE *to);
/* A JSON document as the content of a script element. */
void hyb_html_json(const char *json, size_t size, FILE *to);

#endif
