/* SPDX-License-Identifier: BSD-3-Clause */
/* What pages are made of becomes part of the tools, so that these need no files at run time. */
	.section .rodata
	.macro part name, file
	.globl \name, \name\()_end
\name:
	.incbin "\file"
\name\()_end:
	.byte 0
	.endm
	part hyb_html_style, HYB_HTML_STYLE
	part hyb_html_script, HYB_HTML_SCRIPT
	part hyb_html_view_style, HYB_HTML_VIEW_STYLE
	part hyb_html_view_script, HYB_HTML_VIEW_SCRIPT
	.section .note.GNU-stack, "", %progbits
