/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading counters by pages of perf: pages made up here, and registers, some of which change while they are read. */
#include <string.h>

#include "core/counters/page.h"
#include "../lib/tap.h"

static struct perf_event_mmap_page page;
static uint64_t registers[8];
static unsigned int reads;
/* As the kernel does in an interrupt: at the so many first readings it moves the event to another register. */
static unsigned int moves;

static uint64_t read_register(uint32_t index)
{
	uint64_t value = registers[index];

	reads++;
	if (moves) {
		moves--;
		page.lock += 2;
		page.index = index == 3 ? 5 : 4;
		page.offset += 1000;
	}
	return value;
}

static void make(uint32_t index, int64_t offset, uint16_t width, uint64_t value)
{
	memset(&page, 0, sizeof(page));
	memset(registers, 0, sizeof(registers));
	page.cap_user_rdpmc = 1;
	page.index = index;
	page.offset = offset;
	page.pmc_width = width;
	if (index)
		registers[index - 1] = value;
	reads = 0;
	moves = 0;
}

static bool gives(uint64_t expected)
{
	uint64_t value = ~expected;

	return hyb_page_read(&page, read_register, &value) && value == expected;
}

int main(void)
{
	uint64_t value = 7;

	make(1, 0, 48, 1234);
	tap(gives(1234), "a register");
	make(2, 1000000, 48, 234);
	tap(gives(1000234), "a register and what was counted before");
	make(3, 1 << 20, 48, (UINT64_C(1) << 48) - 100);
	tap(gives((1 << 20) - 100), "a register that has not come to its end: it counts from below zero");
	make(3, 1 << 20, 48, UINT64_C(0xabcd) << 48 | 5);
	tap(gives((1 << 20) + 5), "what lies beyond its width");
	make(1, 5, 64, UINT64_C(1) << 63);
	tap(gives((UINT64_C(1) << 63) + 5), "all 64 bits");
	make(1, -5, 40, 7);
	tap(gives(2), "a negative offset");
	make(4, 0, 48, 50);
	registers[4] = 60;
	registers[3] = 50;
	moves = 1;
	tap(gives(1060) && reads == 2, "the event moves to another register meanwhile: it is read again");
	make(4, 0, 48, 50);
	registers[4] = 60;
	moves = 3;
	tap(gives(60 + 3000) && reads == 4, "and again, until it stays");
	make(0, 99, 48, 0);
	tap(!hyb_page_read(&page, read_register, &value) && value == 7 && !reads,
	       "an event that is not on the processor is not read");
	make(1, 0, 48, 1);
	page.cap_user_rdpmc = 0;
	tap(!hyb_page_read(&page, read_register, &value) && !reads, "nor one that the kernel does not let us read");
	tap(!hyb_page_allows(&page), "such a page does not allow it");
	make(0, 0, 48, 0);
	tap(hyb_page_allows(&page), "one of an event that is not on the processor now does");
	make(1, 0, 0, 0);
	tap(!hyb_page_allows(&page), "one without a width does not");
	return tap_done();
}
