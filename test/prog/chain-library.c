/* SPDX-License-Identifier: BSD-3-Clause */
/* What chain.c loads. */
void middle(void (*code)(void (*f)(void)), void (*f)(void));

void middle(void (*code)(void (*f)(void)), void (*f)(void))
{
	code(f); /* line 7: kernel-chains.test knows */
	__asm__ volatile("" ::: "memory");
}
