/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hyb_stack_switch(function, argument, top): calls the function with the stack pointer at `top`, a multiple of 16, and
 * comes back. A call and its return on one thread: shadow stacks see nothing of it, unwinders go by the frame pointer.
 */
#ifdef __CET__
#include <cet.h>	/* marks the object, and has _CET_ENDBR */
#else
#define _CET_ENDBR
#endif

	.text
	.p2align 4
	.globl	hyb_stack_switch
	.hidden	hyb_stack_switch
	.type	hyb_stack_switch, %function
hyb_stack_switch:
	.cfi_startproc
#if defined(__x86_64__)
	_CET_ENDBR
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	movq	%rdx, %rsp
	movq	%rdi, %rax
	movq	%rsi, %rdi
	call	*%rax
	leave
	.cfi_def_cfa %rsp, 8
	ret
#elif defined(__aarch64__)
	hint	#34		/* bti c */
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	mov	x29, sp
	.cfi_def_cfa_register 29
	mov	sp, x2
	mov	x9, x0
	mov	x0, x1
	blr	x9
	mov	sp, x29
	.cfi_def_cfa_register 31
	ldp	x29, x30, [sp], #16
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	ret
#else
#error "no way to another stack for this processor"
#endif
	.cfi_endproc
	.size	hyb_stack_switch, . - hyb_stack_switch
#if defined(__aarch64__) && defined(__ARM_FEATURE_BTI_DEFAULT)
	.section .note.gnu.property, "a", %note
	.p2align 3
	.word	4, 16, 5		/* name and description size, NT_GNU_PROPERTY_TYPE_0 */
	.asciz	"GNU"
	.word	0xc0000000, 4, 1, 0	/* GNU_PROPERTY_AARCH64_FEATURE_1_AND: BTI */
#endif
	.section .note.GNU-stack, "", %progbits
