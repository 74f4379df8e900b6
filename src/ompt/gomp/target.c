/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Target constructs, as regions of the thread that comes to them, and error directives. What libgomp does for a device it
 * does not say. One that is not waited for becomes a task, which is not told of: a device knows its code by the address
 * of the function, so ours cannot be in its place.
 */
#include "ompt/gomp/call.h"

#include <string.h>

enum { NOWAIT = 1 << 0, EXIT_DATA = 1 << 1 };	/* libgomp's flags */
#define HOST (-1)

/* libgomp's numbers below 0: the default one, or the host. */
static int device_of(int number)
{
	int devices = hyb_gomp_ask.num_devices ? hyb_gomp_ask.num_devices() : 0;

	if (number == -1 && hyb_gomp_ask.default_device)
		number = hyb_gomp_ask.default_device();
	return number >= 0 && number < devices ? number : HOST;
}

static int kind_of(int kind, unsigned int flags)
{
	if (kind == ompt_target_enter_data && flags & EXIT_DATA)
		kind = ompt_target_exit_data;
	return flags & NOWAIT ? kind - ompt_target + ompt_target_nowait : kind;
}

static HYB_COLD void tell(int kind, int endpoint, int device, const void *code)
{
	if (hyb_gomp_wants(HYB_OMP_GROUP_TARGET))
		hyb_omp_target_emi(kind, endpoint, device, NULL, NULL, NULL, code);
}

/*
 * As many words are passed on as any of these functions has arguments, and two that a later libgomp may have given
 * them.
 */
typedef void (*next_t)(long, long, long, long, long, long, long, long, long, long, long);
#define ARGUMENTS long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k
#define PASSED a, b, c, d, e, f, g, h, i, j, k

static void target(next_t next, int kind, unsigned int flags, const void *code, ARGUMENTS)
{
	struct hyb_gomp_target outer = hyb_gomp_self.target;
	int device;

	if (hyb_unlikely(!hyb_gomp_is_on())) {
		next(PASSED);
		return;
	}
	kind = kind_of(kind, flags);
	device = device_of((int)a);
	tell(kind, ompt_scope_begin, device, code);
	hyb_gomp_self.target = (struct hyb_gomp_target){ .inside = true };
	next(PASSED);
	hyb_gomp_end_leagues(code);
	hyb_gomp_self.target = outer;
	tell(kind, ompt_scope_end, device, code);
}

/* Where there are no flags, 9 stands for their place. */
#define HYB_GOMP_TARGET(id, kind, flags) \
	void hyb_gomp_##id(ARGUMENTS); \
	void hyb_gomp_##id(ARGUMENTS) \
	{ \
		const long arguments[] = { PASSED }; \
\
		target(HYB_GOMP_NEXT(id, next_t), ompt_##kind, (flags) == 9 ? 0 : (unsigned int)arguments[flags], \
		       HYB_GOMP_SITE, PASSED); \
	}

/* Data that are mapped until GOMP_target_end_data: told as OMPT has it, by what is done at each end. */
static void target_data(next_t next, const void *code, ARGUMENTS)
{
	int device;

	if (hyb_unlikely(!hyb_gomp_is_on())) {
		next(PASSED);
		return;
	}
	device = device_of((int)a);
	hyb_gomp_self.data_devices = hyb_gomp_self.data_devices << 8 | (device & 0xff);
	tell(ompt_target_enter_data, ompt_scope_begin, device, code);
	next(PASSED);
	tell(ompt_target_enter_data, ompt_scope_end, device, code);
}

#define HYB_GOMP_TARGET_DATA(id) \
	void hyb_gomp_##id(ARGUMENTS); \
	void hyb_gomp_##id(ARGUMENTS) \
	{ \
		target_data(HYB_GOMP_NEXT(id, next_t), HYB_GOMP_SITE, PASSED); \
	}

void hyb_gomp_GOMP_target_end_data(long a, long b);
void hyb_gomp_GOMP_target_end_data(long a, long b)
{
	void (*next)(long, long) = HYB_GOMP_NEXT(GOMP_target_end_data, void (*)(long, long));
	int device = (int8_t)(hyb_gomp_self.data_devices & 0xff);
	const void *code = HYB_GOMP_SITE;

	if (hyb_unlikely(!hyb_gomp_is_on())) {
		next(a, b);
		return;
	}
	hyb_gomp_self.data_devices >>= 8;
	tell(ompt_target_exit_data, ompt_scope_begin, device, code);
	next(a, b);
	tell(ompt_target_exit_data, ompt_scope_end, device, code);
}

/* The length of a string may be left to its end. A fatal one does not come back. */
#define HYB_GOMP_ERROR(id, severity) \
	void hyb_gomp_##id(const char *message, size_t length, long c, long d); \
	void hyb_gomp_##id(const char *message, size_t length, long c, long d) \
	{ \
		const void *code = HYB_GOMP_SITE; \
\
		if (hyb_likely(hyb_gomp_is_on())) \
			hyb_omp_error(ompt_##severity, message, \
				      message && length == (size_t)-1 ? strlen(message) : length, code); \
		HYB_GOMP_NEXT(id, void (*)(const char *, size_t, long, long))(message, length, c, d); \
	}
#include "ompt/gomp/wrappers.h"
