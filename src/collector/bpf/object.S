/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The programs for the kernel, as clang compiled them, become part of the collector. The path is that of the build's
 * top folder, where make runs.
 */
	.section .rodata
	.balign 16
	.globl hyb_bpf_object
	.globl hyb_bpf_object_end
	.hidden hyb_bpf_object
	.hidden hyb_bpf_object_end
	.type hyb_bpf_object, %object
hyb_bpf_object:
	.incbin "src/collector/bpf/trace.bpf.o"
hyb_bpf_object_end:
	.size hyb_bpf_object, . - hyb_bpf_object
	.section .note.GNU-stack, "", %progbits
