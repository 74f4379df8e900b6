/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Assembler macros for what stands between the program's calls and us; included by .S files only. Who includes it for
 * stubs of his own says before whose they are: HYB_STUBS_ENTRY, _NEXT, _RESOLVE and _TRAMPOLINE, by default MPI's, and
 * HYB_STUBS_FIRST, if he wants to have what each entry held at first: of each lead-in its distance from there.
 *
 * A stub is one jump through its function's place in hyb_mpi_entry. At first that leads to the function's lead-in,
 * which hands its number to the trampoline; the trampoline asks hyb_mpi_resolve where to go and goes there with all
 * arguments as they came. On aarch64 the entry is loaded with acquire; that pairs with the store by which the resolver
 * sets it, so that hyb_mpi_next is set before a wrapper reads it.
 *
 * MPI's stubs carry the version HYBMON_1 as a non-default one, which a linker passes over when it looks for what a
 * program needs, so that MPI's own library stays in DT_NEEDED; the dynamic linker still binds references without a
 * version to them. Those that every program calls are default, so that hybmon stays there too. Others' stubs carry the
 * version that a program's references have, not as the default one either.
 */
#ifndef HYB_CORE_SYS_STUB_H
#define HYB_CORE_SYS_STUB_H

#ifndef HYB_STUBS_ENTRY
#define HYB_STUBS_ENTRY hyb_mpi_entry
#define HYB_STUBS_NEXT hyb_mpi_next
#define HYB_STUBS_RESOLVE hyb_mpi_resolve
#define HYB_STUBS_TRAMPOLINE hyb_mpi_trampoline
#define HYB_STUBS_FIRST hyb_mpi_first
#endif

#ifdef __CET__
#include <cet.h>	/* marks the object, and has _CET_ENDBR */
#else
#define _CET_ENDBR
#endif

#if defined(__x86_64__)

	.macro HYB_BEGIN
	.cfi_startproc
	_CET_ENDBR
	.endm

	.macro HYB_JUMP_ENTRY number
	jmp	*HYB_STUBS_ENTRY+8*\number(%rip)
	.endm

	/* r11 is nobody's between a call and the callee's first instruction. */
	.macro HYB_LEAD_IN number
	movl	$\number, %r11d
	jmp	HYB_STUBS_TRAMPOLINE
	.endm

	/*
	 * Calls a C function with r11d and where the program's call returns to as its arguments; all that can hold the
	 * program's is as before.
	 */
	.macro HYB_CALL_KEEPING_ARGUMENTS function
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	subq	$192, %rsp
	andq	$-16, %rsp
	movq	%rdi, (%rsp)
	movq	%rsi, 8(%rsp)
	movq	%rdx, 16(%rsp)
	movq	%rcx, 24(%rsp)
	movq	%r8, 32(%rsp)
	movq	%r9, 40(%rsp)
	movq	%rax, 48(%rsp)
	movq	%r10, 56(%rsp)
	movaps	%xmm0, 64(%rsp)
	movaps	%xmm1, 80(%rsp)
	movaps	%xmm2, 96(%rsp)
	movaps	%xmm3, 112(%rsp)
	movaps	%xmm4, 128(%rsp)
	movaps	%xmm5, 144(%rsp)
	movaps	%xmm6, 160(%rsp)
	movaps	%xmm7, 176(%rsp)
	movl	%r11d, %edi
	movq	8(%rbp), %rsi
	call	\function
	movq	%rax, %r11
	movq	(%rsp), %rdi
	movq	8(%rsp), %rsi
	movq	16(%rsp), %rdx
	movq	24(%rsp), %rcx
	movq	32(%rsp), %r8
	movq	40(%rsp), %r9
	movq	48(%rsp), %rax
	movq	56(%rsp), %r10
	movaps	64(%rsp), %xmm0
	movaps	80(%rsp), %xmm1
	movaps	96(%rsp), %xmm2
	movaps	112(%rsp), %xmm3
	movaps	128(%rsp), %xmm4
	movaps	144(%rsp), %xmm5
	movaps	160(%rsp), %xmm6
	movaps	176(%rsp), %xmm7
	leave
	.cfi_def_cfa %rsp, 8
	.endm

	.macro HYB_JUMP_RESULT
	jmp	*%r11
	.endm

	.macro HYB_FIRST_ARGUMENT
	movl	%edi, %r11d
	.endm

#elif defined(__aarch64__)

	.macro HYB_BEGIN
	.cfi_startproc
	hint	#34		/* bti c */
	.endm

	/* x16 and x17 are nobody's between a call and the callee's first instruction. */
	.macro HYB_JUMP_ENTRY number
	adrp	x16, HYB_STUBS_ENTRY+8*\number
	add	x16, x16, :lo12:HYB_STUBS_ENTRY+8*\number
	ldar	x16, [x16]
	br	x16
	.endm

	.macro HYB_LEAD_IN number
	mov	w17, #\number
	b	HYB_STUBS_TRAMPOLINE
	.endm

	/*
	 * Calls a C function with w17 and where the program's call returns to as its arguments; all that can hold the
	 * program's is as before.
	 */
	.macro HYB_CALL_KEEPING_ARGUMENTS function
	stp	x29, x30, [sp, #-224]!
	.cfi_def_cfa_offset 224
	.cfi_offset 29, -224
	.cfi_offset 30, -216
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	stp	x6, x7, [sp, #64]
	str	x8, [sp, #80]
	stp	q0, q1, [sp, #96]
	stp	q2, q3, [sp, #128]
	stp	q4, q5, [sp, #160]
	stp	q6, q7, [sp, #192]
	mov	w0, w17
	mov	x1, x30
	bl	\function
	mov	x16, x0
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x4, x5, [sp, #48]
	ldp	x6, x7, [sp, #64]
	ldr	x8, [sp, #80]
	ldp	q0, q1, [sp, #96]
	ldp	q2, q3, [sp, #128]
	ldp	q4, q5, [sp, #160]
	ldp	q6, q7, [sp, #192]
	ldp	x29, x30, [sp], #224
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	.endm

	.macro HYB_JUMP_RESULT
	br	x16
	.endm

	.macro HYB_FIRST_ARGUMENT
	mov	w17, w0
	.endm

#ifdef __ARM_FEATURE_BTI_DEFAULT
	.pushsection .note.gnu.property, "a", %note
	.p2align 3
	.word	4, 16, 5		/* name and description size, NT_GNU_PROPERTY_TYPE_0 */
	.asciz	"GNU"
	.word	0xc0000000, 4, 1, 0	/* GNU_PROPERTY_AARCH64_FEATURE_1_AND: BTI */
	.popsection
#endif

#else
#error "no stubs for this processor"
#endif

	/* A function of our own; HYB_END closes it. */
	.macro HYB_FUNCTION symbol
	.text
	.p2align 4
	.type	\symbol, %function
\symbol:
	HYB_BEGIN
	.endm

	.macro HYB_END symbol
	.cfi_endproc
	.size	\symbol, . - \symbol
	.endm

#ifdef HYB_STUBS_FIRST
	.macro HYB_FIRST symbol
	.pushsection .rodata, "a", %progbits
	.long	\symbol - .
	.popsection
	.endm

	.macro HYB_NO_FIRST
	.pushsection .rodata, "a", %progbits
	.long	0
	.popsection
	.endm

	.macro HYB_BEGIN_FIRST
	.globl	HYB_STUBS_FIRST
	.hidden	HYB_STUBS_FIRST
	.pushsection .rodata, "a", %progbits
	.p2align 6
	.type	HYB_STUBS_FIRST, %object
HYB_STUBS_FIRST:
	.long	0
	.popsection
	.endm
#else
	.macro HYB_FIRST symbol
	.endm

	.macro HYB_NO_FIRST
	.endm

	.macro HYB_BEGIN_FIRST
	.endm
#endif

	.macro HYB_TRAMPOLINE
	HYB_BEGIN_FIRST
	.hidden	HYB_STUBS_RESOLVE
	HYB_FUNCTION HYB_STUBS_TRAMPOLINE
	HYB_CALL_KEEPING_ARGUMENTS HYB_STUBS_RESOLVE
	HYB_JUMP_RESULT
	HYB_END HYB_STUBS_TRAMPOLINE
	.globl	HYB_STUBS_ENTRY
	.hidden	HYB_STUBS_ENTRY
	.pushsection .data.rel.local, "aw", %progbits
	.p2align 6
	.type	HYB_STUBS_ENTRY, %object
HYB_STUBS_ENTRY:
	.quad	0
	.popsection
	.endm

	/* The stub of one function; stubs come in the order of their numbers. */
	.macro HYB_STUB name, number, standing
	.ifc	\standing, default
	.symver	stub_\name, \name@@HYBMON_1
	.else
	.symver	stub_\name, \name@HYBMON_1
	.endif
	HYB_STUB_BODY \name, \number
	.endm

	/* One that has another version; name: told apart from the same function of another version. */
	.macro HYB_VERSIONED_STUB name, number, symbol
	.symver	stub_\name, \symbol
	HYB_STUB_BODY \name, \number
	.endm

	.macro HYB_STUB_BODY name, number
	.globl	stub_\name
	HYB_FUNCTION stub_\name
	HYB_JUMP_ENTRY \number
	HYB_END	stub_\name

	.pushsection .text.unlikely, "ax", %progbits
	.type	lead_in_\name, %function
lead_in_\name:
	HYB_BEGIN
	HYB_LEAD_IN \number
	HYB_END	lead_in_\name
	.popsection

	.pushsection .data.rel.local, "aw", %progbits
	.quad	lead_in_\name
	.popsection
	HYB_FIRST lead_in_\name
	.endm

	/* One more name of a stub: Fortran compilers do not agree on them. */
	.macro HYB_SPELLING name, spelling, standing
	.globl	stub_\spelling
	.type	stub_\spelling, %function
	.set	stub_\spelling, stub_\name
	.ifc	\standing, default
	.symver	stub_\spelling, \spelling@@HYBMON_1
	.else
	.symver	stub_\spelling, \spelling@HYBMON_1
	.endif
	.endm

	/* A number that is no function's. */
	.macro HYB_GAP
	.pushsection .data.rel.local, "aw", %progbits
	.quad	0
	.popsection
	HYB_NO_FIRST
	.endm

	/* After the last stub. */
	.macro HYB_TABLES functions
	.section .data.rel.local, "aw", %progbits
	.size	HYB_STUBS_ENTRY, 8*\functions
	.bss
	.p2align 6
	.globl	HYB_STUBS_NEXT
	.type	HYB_STUBS_NEXT, %object
HYB_STUBS_NEXT:
	.zero	8*\functions
	.size	HYB_STUBS_NEXT, 8*\functions
	.section .note.GNU-stack, "", %progbits
	.endm

#endif
