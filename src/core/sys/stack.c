/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks of our own; see stack.h. Some are kept for the next one, so that a chunk that is full does not map memory. */
#include "core/sys/stack.h"

#include <stdint.h>
#include <sys/mman.h>

#include "core/sys/compiler.h"
#include "core/sys/sys.h"

/* The dynamic linker loads the adapter on it, and may call the program's malloc for that. */
#define SIZE	(256u << 10)
#define GUARD	(64u << 10)	/* below it: one page at least */
#define SPARES	8

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SWITCHES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SWITCHES 0
#endif
#endif
/* Sanitizers want to know of each stack; their threads have large ones. */
#ifndef SWITCHES
#define SWITCHES 1
#endif

/* stack-switch.S: function(argument) with the stack pointer at `top`. */
void hyb_stack_switch(void (*function)(void *), void *argument, void *top);

static void *spares[SPARES];
/* The one that this thread is on, or was on last. */
static __thread uintptr_t own __attribute__((tls_model("initial-exec")));
/* Its signals before. */
static __thread uint64_t before __attribute__((tls_model("initial-exec")));

/*
 * Valgrind, which otherwise warns of each change of stacks: its VALGRIND_STACK_REGISTER. To a processor that is a few
 * instructions without effect.
 */
static void tell_valgrind(char *begin, char *end)
{
	volatile uintptr_t request[6] = { 0x1501, (uintptr_t)begin, (uintptr_t)end };

#if defined(__x86_64__)
	uintptr_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
			 : "+d"(answer) : "a"(&request[0]) : "cc", "memory");
#elif defined(__aarch64__)
	register volatile uintptr_t *x4 __asm__("x4") = request;
	register uintptr_t x3 __asm__("x3") = 0;

	__asm__ volatile("ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; ror x12, x12, #61; orr x10, x10, x10"
			 : "+r"(x3) : "r"(x4) : "cc", "memory");
#endif
	(void)request;
}

static char *take(void)
{
	char *stack;

	for (int i = 0; i < SPARES; i++) {
		/* acquire pairs with the release in give_back: whoever had it has left it */
		void *spare = __atomic_load_n(&spares[i], __ATOMIC_RELAXED) ?
			      __atomic_exchange_n(&spares[i], NULL, __ATOMIC_ACQUIRE) : NULL;

		if (spare)
			return spare;
	}
	stack = hyb_sys_map_anonymous(GUARD + SIZE, MAP_NORESERVE | MAP_STACK);
	if (!stack)
		return NULL;
	HYB_SYS(mprotect, stack, GUARD, PROT_NONE, 0, 0, 0);
	tell_valgrind(stack + GUARD, stack + GUARD + SIZE);
	return stack;
}

static void give_back(char *stack)
{
	for (int i = 0; i < SPARES; i++) {
		void *none = NULL;

		if (__atomic_compare_exchange_n(&spares[i], &none, stack, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return;
	}
	hyb_sys_unmap(stack, GUARD + SIZE);
}

/* By where we are, not by a mark: should the program's malloc leave one by longjmp, the next one is as good. */
static bool is_on_own(void)
{
	return (uintptr_t)__builtin_frame_address(0) - own < GUARD + SIZE;
}

void hyb_stack_run(void (*function)(void *), void *argument)
{
	uint64_t signals, outer;
	char *stack;

	if (own && is_on_own()) {
		function(argument);
		return;
	}
	hyb_sys_block_signals(&signals);
	outer = before;
	before = signals;
	stack = SWITCHES ? take() : NULL;
	if (stack) {
		own = (uintptr_t)stack;
		hyb_stack_switch(function, argument, stack + GUARD + SIZE);
		own = 0;
		give_back(stack);
	} else {
		function(argument);
	}
	before = outer;
	hyb_sys_restore_signals(&signals);
}

uint64_t hyb_stack_signals(void)
{
	return hyb_sys_all_but_deadly(before);
}
