/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libc's syscall, which goes straight on but where a program may forbid itself system calls (sandbox.c). In assembler,
 * since nothing may lie on the stack between: what it calls may come back twice (vfork), or on another stack (clone).
 */
#include <asm/unistd.h>

#ifdef __CET__
#include <cet.h>
#else
#define _CET_ENDBR
#endif

	.text
	.hidden	hyb_syscall_next
	.hidden	hyb_sandbox_syscall
	.p2align 4
	.globl	syscall
	.type	syscall, %function
syscall:
	.cfi_startproc
#if defined(__x86_64__)
	_CET_ENDBR
	cmpq	$__NR_seccomp, %rdi
	je	hyb_sandbox_syscall
	cmpq	$__NR_prctl, %rdi
	je	hyb_sandbox_syscall
	movq	hyb_syscall_next(%rip), %rax
	testq	%rax, %rax
	je	hyb_sandbox_syscall
	jmp	*%rax
#else
	hint	#34		/* bti c */
	cmp	x0, #__NR_seccomp
	b.eq	1f
	cmp	x0, #__NR_prctl
	b.eq	1f
	adrp	x16, hyb_syscall_next
	ldr	x16, [x16, :lo12:hyb_syscall_next]
	cbz	x16, 1f
	br	x16
1:	b	hyb_sandbox_syscall
#endif
	.cfi_endproc
	.size	syscall, . - syscall

#ifdef __ARM_FEATURE_BTI_DEFAULT
	.pushsection .note.gnu.property, "a", %note
	.p2align 3
	.word	4, 16, 5		/* name and description size, NT_GNU_PROPERTY_TYPE_0 */
	.asciz	"GNU"
	.word	0xc0000000, 4, 1, 0	/* GNU_PROPERTY_AARCH64_FEATURE_1_AND: BTI */
	.popsection
#endif
	.section .note.GNU-stack, "", %progbits
