/* SPDX-License-Identifier: BSD-3-Clause */
/* What chain.c loads. */
void middle(void (*code)(void (*f)(void)), void (*f)(void));
#ifdef MANGLED
/* By its symbol a function of C++. */
void hold(void (*code)(void (*f)(void)), void (*f)(void)) __asm__("_ZN5place4holdEi");
#endif

void middle(void (*code)(void (*f)(void)), void (*f)(void))
{
#ifdef MANGLED
	hold(code, f);
#else
	code(f); /* line 14: chains.test knows */
#endif
	__asm__ volatile("" ::: "memory");
}

#ifdef MANGLED
__attribute__((noinline)) void hold(void (*code)(void (*f)(void)), void (*f)(void))
{
	code(f);
	__asm__ volatile("" ::: "memory");
}
#endif
