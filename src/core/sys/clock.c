/* SPDX-License-Identifier: BSD-3-Clause */
/* Clock tuples; see clock.h. */
#include "core/sys/clock.h"

#include <string.h>

#include "core/sys/counter.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"

#define TRIES 16
#define SECOND INT64_C(1000000000)
/* The first time namespace, as its link in /proc is called; PROC_TIME_INIT_INO of linux/proc_ns.h. */
#define FIRST_NAMESPACE "time:[4026531834]"

/* A whole number, perhaps with a minus; *text is set behind it. */
static int64_t number(const char **text)
{
	const char *p = *text + strspn(*text, " \t");
	bool minus = *p == '-';
	int64_t n = 0;

	for (p += minus; *p >= '0' && *p <= '9'; p++)
		n = n * 10 + (*p - '0');
	*text = p;
	return minus ? -n : n;
}

/*
 * What the monotonic clocks of this process's time namespace are ahead of the machine's. The file has the offsets of
 * the namespace that children get, which is the process's own unless it has just made one for them.
 */
static int64_t read_offset(void)
{
	char own[64];
	char children[64];
	char text[256];
	const char *p;
	int64_t seconds;

	if (hyb_sys_readlink("/proc/self/ns/time", own, sizeof(own)) <= 0 || !strcmp(own, FIRST_NAMESPACE) ||
	    hyb_sys_readlink("/proc/self/ns/time_for_children", children, sizeof(children)) <= 0 ||
	    strcmp(own, children) || hyb_sys_read_file("/proc/self/timens_offsets", text, sizeof(text)) <= 0)
		return 0;
	p = strstr(text, "monotonic ");
	if (!p)
		return 0;
	p += strlen("monotonic ");
	seconds = number(&p);
	return seconds * SECOND + number(&p);
}

int64_t hyb_clock_offset(void)
{
	static int64_t offset;
	static int known;

	/* release pairs with this acquire; threads that come here at once read the same */
	if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&offset, read_offset(), __ATOMIC_RELAXED);
		__atomic_store_n(&known, 1, __ATOMIC_RELEASE);
	}
	return __atomic_load_n(&offset, __ATOMIC_RELAXED);
}

static uint64_t nanoseconds(clockid_t id)
{
	struct timespec ts;
	int64_t offset = id == CLOCK_REALTIME ? 0 : hyb_clock_offset();

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec - (uint64_t)offset;
}

/*
 * One clock between two counter reads; of all tries the one with the narrowest window, in which nothing
 * came between. Returns its window and the counter in its middle.
 */
static uint64_t narrowest(clockid_t id, uint64_t *middle, uint64_t *value)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = hyb_counter();
		uint64_t ns = nanoseconds(id);
		uint64_t width = hyb_counter() - before;

		if (width < best) {
			best = width;
			*middle = before + width / 2;
			*value = ns;
		}
	}
	return best;
}

uint64_t hyb_clock_raw(void)
{
	return nanoseconds(CLOCK_MONOTONIC_RAW);
}

/* Ticks to nanoseconds for the few microseconds between two readings of one tuple. */
static int64_t ticks_to_ns(int64_t ticks, uint64_t ticks_a_second)
{
	return (int64_t)((__int128)ticks * 1000000000 / (int64_t)ticks_a_second);
}

void hyb_clock_read(struct hyb_def_clock *clock)
{
	uint64_t second = hyb_clock_second();
	uint64_t at_monotonic = 0;
	uint64_t at_realtime = 0;
	uint64_t width;

	clock->width = narrowest(CLOCK_MONOTONIC_RAW, &clock->counter, &clock->monotonic_raw);
	width = narrowest(CLOCK_MONOTONIC, &at_monotonic, &clock->monotonic);
	if (width > clock->width)
		clock->width = width;
	width = narrowest(CLOCK_REALTIME, &at_realtime, &clock->realtime);
	if (width > clock->width)
		clock->width = width;
	/* All three for the same counter value, so that the tuple is one point. */
	clock->monotonic -= (uint64_t)ticks_to_ns((int64_t)(at_monotonic - clock->counter), second);
	clock->realtime -= (uint64_t)ticks_to_ns((int64_t)(at_realtime - clock->counter), second);
}

#if defined(__x86_64__)
/* The TSC's rate is nowhere to be read without privilege: measured once over 200 us, good to 1e-4. */
static uint64_t measure_second(void)
{
	uint64_t t0 = 0;
	uint64_t t1 = 0;
	uint64_t c0 = 0;
	uint64_t c1 = 0;

	narrowest(CLOCK_MONOTONIC_RAW, &c0, &t0);
	do {
		narrowest(CLOCK_MONOTONIC_RAW, &c1, &t1);
	} while (t1 - t0 < 200000);
	return (c1 - c0) * 1000000000u / (t1 - t0);
}
#elif defined(__aarch64__)
static uint64_t measure_second(void)
{
	uint64_t frequency;

	__asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
	return frequency;
}
#endif

uint64_t hyb_clock_second(void)
{
	static uint64_t second;
	uint64_t known = __atomic_load_n(&second, __ATOMIC_RELAXED);

	if (!known) {
		known = measure_second();
		__atomic_store_n(&second, known, __ATOMIC_RELAXED);
	}
	return known;
}

uint32_t hyb_clock_kind(void)
{
#if defined(__x86_64__)
	return HYB_COUNTER_TSC;
#elif defined(__aarch64__)
	return HYB_COUNTER_CNTVCT;
#endif
}
