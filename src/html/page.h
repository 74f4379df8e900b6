/* SPDX-License-Identifier: BSD-3-Clause */
/* The files page.css and page.js as they are: page.S. */
#ifndef HYB_HTML_PAGE_H
#define HYB_HTML_PAGE_H

extern const char hyb_html_style[], hyb_html_style_end[];
extern const char hyb_html_script[], hyb_html_script_end[];

#endif
