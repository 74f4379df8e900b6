/* SPDX-License-Identifier: BSD-3-Clause */
/* What pages are made of becomes part of the tools, so that these need no files at run time. */
#define BEGIN(name) .globl name, name##_end; name:
#define END(name) name##_end: .byte 0
	.section .rodata
BEGIN(hyb_html_view_style)
	.incbin "timeline.css"
END(hyb_html_view_style)
BEGIN(hyb_html_view_script)
	.incbin "timeline-common.js"
	.incbin "words.js"
	.incbin "timeline-rows.js"
	.incbin "timeline-draw.js"
	.incbin "timeline-say.js"
	.incbin "timeline-findings.js"
	.incbin "timeline-filter.js"
	.incbin "timeline-curves.js"
	.incbin "timeline.js"
END(hyb_html_view_script)
BEGIN(hyb_html_view_worker)
	.incbin "timeline-common.js"
	.incbin "timeline-tiles.js"
	.incbin "timeline-paint.js"
	.incbin "timeline-levels.js"
	.incbin "timeline-look.js"
	.incbin "timeline-worker.js"
END(hyb_html_view_worker)
	.section .note.GNU-stack, "", %progbits
