/* SPDX-License-Identifier: BSD-3-Clause */
/* What pages are made of becomes part of the tools, so that these need no files at run time. */
	.section .rodata
	.globl hyb_html_style, hyb_html_style_end, hyb_html_script, hyb_html_script_end
hyb_html_style:
	.incbin HYB_HTML_STYLE
hyb_html_style_end:
	.byte 0
hyb_html_script:
	.incbin HYB_HTML_SCRIPT
hyb_html_script_end:
	.byte 0
	.section .note.GNU-stack, "", %progbits
