/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that callstack.c loads, which calls it back; frames of its own lie between. */
void callstack_back(void (*function)(void), int times);

static __attribute__((noinline)) int deeper(void (*function)(void), int times)
{
	int value = 0;

	if (times)
		value = deeper(function, times - 1);
	else
		function();
	__asm__ volatile("" : "+r"(value) : : "memory");
	return value + times;
}

void callstack_back(void (*function)(void), int times)
{
	deeper(function, times);
	__asm__ volatile("" : : : "memory");
}
