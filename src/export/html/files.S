/* SPDX-License-Identifier: BSD-3-Clause */
/* What pages are made of becomes part of the tools, so that these need no files at run time. */
#define BEGIN(name) .globl name, name##_end; name:
#define END(name) name##_end: .byte 0
	.section .rodata
BEGIN(hyb_html_style)
	.incbin "page.css"
END(hyb_html_style)
BEGIN(hyb_html_script)
	.incbin "words.js"
	.incbin "page.js"
END(hyb_html_script)
	.section .note.GNU-stack, "", %progbits
