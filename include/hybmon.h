/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program can ask of hybmon, and what it can tell. A program need not use any of this to be recorded.
 *
 * All functions may be called at any time, from any thread, from signal handlers, in C (C99 and later) and C++ (C++98
 * and later), whether or not the process is being recorded. A program that is to run also where hybmon is not installed
 * includes this header with HYBMON_WEAK defined and does not link with -lhybmon: then the macros here do nothing but
 * test a pointer where the library is not preloaded.
 *
 * Regions of the program's own:
 *
 *	void solve(int n)
 *	{
 *		HYBMON_FUNCTION();				// a region called solve, to the end of the function
 *		HYBMON_PARAMETER_INT("unknowns", n);		// said of it
 *		{
 *			HYBMON_SCOPE("assemble");		// to the end of the block
 *			...
 *		}
 *		HYBMON_PHASE_BEGIN(cycle, "V-cycle");		// or from here
 *		...
 *		HYBMON_END(cycle);				// to there
 *	}
 *
 * A region is ended by the thread that began it, after those that the thread began in it. One that is left by longjmp
 * ends with the next one around it.
 */
#ifndef HYBMON_H
#define HYBMON_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef HYBMON_WEAK
#define HYBMON_API __attribute__((weak))
#define HYBMON_HAS(function) (function)
#else
#define HYBMON_API
#define HYBMON_HAS(function) 1
#endif

/*
 * Calls a function of this header if the library is there, that is, preloaded. For programs
 * compiled with HYBMON_WEAK:
 *
 *	HYBMON_CALL(hybmon_pause);
 */
#define HYBMON_CALL(function) do { \
		if (HYBMON_HAS(function)) \
			function(); \
	} while (0)

/*
 * Stops the recording of this process's threads; the trace shows from when to when. Calls that are
 * under way are recorded to their end. Pausing twice is the same as pausing once.
 */
HYBMON_API void hybmon_pause(void);

/* Takes the recording up again, or begins it where HYBMON_RECORD=off. */
HYBMON_API void hybmon_resume(void);

/*
 * 1 if calls are being recorded now, 0 if not: paused, switched off, before the first MPI call, the
 * first use of OpenMP and the first region, after the end, or because no experiment could be made. Where space ran out
 * later it is 1: what is lost is counted, and recorded again once there is space.
 */
HYBMON_API int hybmon_is_recording(void);

/* The version of the library, such as "1.0.0". */
HYBMON_API const char *hybmon_version(void);

/* What a region is. */
enum hybmon_role {
	HYBMON_ROLE_FUNCTION = 0,
	HYBMON_ROLE_PHASE = 1,		/* a part of the program's run that is to be looked at by itself */
	HYBMON_ROLE_ITERATION = 2,	/* one turn of a loop, mostly of time steps */
	HYBMON_ROLE_LOOP = 3
};

/*
 * A region of the program. The macros below make such structs; where one is made otherwise, its members are constant
 * from its first use on, and it and its texts stay where they are.
 */
struct hybmon_region {
	const char *name;
	const char *file;	/* of the source; NULL: not said */
	unsigned int line;
	unsigned int role;	/* enum hybmon_role */
	unsigned int id;	/* hybmon's own; 0 at first */
	unsigned int reserved;
};

#define HYBMON_REGION_INIT(name, role) { (name), __FILE__, __LINE__, (role), 0, 0 }

/* NULL is fine, and does nothing. */
HYBMON_API void hybmon_region_begin(struct hybmon_region *region);
HYBMON_API void hybmon_region_end(struct hybmon_region *region);
/*
 * The region of that name, file, line and role, the same each time; for names that are made at run time. The texts are
 * copied. file: NULL where it is not to be said. NULL while nothing is recorded, or without memory.
 */
HYBMON_API struct hybmon_region *hybmon_region_named(const char *name, const char *file, unsigned int line,
						     unsigned int role);
/* The same in one, to be ended by hybmon_end, which ends the innermost region that the thread has begun. */
HYBMON_API void hybmon_begin(const char *name);
HYBMON_API void hybmon_end(void);

/*
 * Something that is to be known of the innermost region that the thread has begun, with a name of its own. As often as
 * one likes; of two of the same name and type, said at the same place, the first one counts.
 */
HYBMON_API void hybmon_parameter_int(const char *name, int64_t value);
HYBMON_API void hybmon_parameter_uint(const char *name, uint64_t value);
HYBMON_API void hybmon_parameter_double(const char *name, double value);
HYBMON_API void hybmon_parameter_string(const char *name, const char *value);

/* How the values of a counter are to be read. */
enum hybmon_counter_type {
	HYBMON_COUNTER_UINT = 0,
	HYBMON_COUNTER_INT = 1,
	HYBMON_COUNTER_DOUBLE = 2
};

enum hybmon_counter_mode {
	HYBMON_COUNTER_SUM = 0,		/* it only grows: what matters is by how much */
	HYBMON_COUNTER_LEVEL = 1,	/* it is so until the next value, such as memory in use */
	HYBMON_COUNTER_SAMPLE = 2	/* it is so at this moment only, such as a residual */
};

/* A counter of the program's own; for its members and its life the same holds as for those of a region. */
struct hybmon_counter {
	const char *name;
	const char *unit;		/* such as "bytes", without a prefix; "" or NULL where there is none */
	unsigned int type;		/* enum hybmon_counter_type */
	unsigned int mode;		/* enum hybmon_counter_mode */
	unsigned int id;		/* hybmon's own; 0 at first */
	unsigned int reserved;
};

#define HYBMON_COUNTER_INIT(name, unit, type, mode) { (name), (unit), (type), (mode), 0, 0 }

/* The counter's value in this thread, now; it is converted to the counter's type. */
HYBMON_API void hybmon_counter_int(struct hybmon_counter *counter, int64_t value);
HYBMON_API void hybmon_counter_uint(struct hybmon_counter *counter, uint64_t value);
HYBMON_API void hybmon_counter_double(struct hybmon_counter *counter, double value);
/* As hybmon_region_named. */
HYBMON_API struct hybmon_counter *hybmon_counter_named(const char *name, const char *unit, unsigned int type,
						       unsigned int mode);

#ifdef __cplusplus
}
#endif

/* Of functions here programs shall see nothing that are compiled with -finstrument-functions. */
#define HYBMON_INLINE __attribute__((no_instrument_function))

#define HYBMON_CAT_(a, b) a##b
#define HYBMON_CAT(a, b) HYBMON_CAT_(a, b)

/* Where a region is not a block. region is a name of the program's choice, that stands for it from here on. */
#define HYBMON_BEGIN_AS(region, name, role) \
	static struct hybmon_region region = HYBMON_REGION_INIT(name, role); \
	HYBMON_BEGIN_AGAIN(region)
#define HYBMON_BEGIN(region, name) HYBMON_BEGIN_AS(region, name, HYBMON_ROLE_FUNCTION)
#define HYBMON_PHASE_BEGIN(region, name) HYBMON_BEGIN_AS(region, name, HYBMON_ROLE_PHASE)
#define HYBMON_BEGIN_AGAIN(region) do { \
		if (HYBMON_HAS(hybmon_region_begin)) \
			hybmon_region_begin(&(region)); \
	} while (0)
#define HYBMON_END(region) do { \
		if (HYBMON_HAS(hybmon_region_end)) \
			hybmon_region_end(&(region)); \
	} while (0)

/* From here to the end of the block, however that is left. */
#define HYBMON_SCOPE_AS(name, role) \
	static struct hybmon_region HYBMON_CAT(hybmon_region_, __LINE__) = HYBMON_REGION_INIT(name, role); \
	HYBMON_SCOPE_OF(HYBMON_CAT(hybmon_scope_, __LINE__), &HYBMON_CAT(hybmon_region_, __LINE__))
#define HYBMON_SCOPE(name) HYBMON_SCOPE_AS(name, HYBMON_ROLE_FUNCTION)
#define HYBMON_PHASE(name) HYBMON_SCOPE_AS(name, HYBMON_ROLE_PHASE)
#define HYBMON_FUNCTION() HYBMON_SCOPE(__func__)
/* One turn of a loop, of which it is said which one it is. */
#define HYBMON_ITERATION(name, number) \
	HYBMON_SCOPE_AS(name, HYBMON_ROLE_ITERATION); \
	HYBMON_PARAMETER_INT("iteration", number)

#define HYBMON_PARAMETER_(kind, name, value) do { \
		if (HYBMON_HAS(hybmon_parameter_##kind)) \
			hybmon_parameter_##kind(name, value); \
	} while (0)
#define HYBMON_PARAMETER_INT(name, value) HYBMON_PARAMETER_(int, name, value)
#define HYBMON_PARAMETER_UINT(name, value) HYBMON_PARAMETER_(uint, name, value)
#define HYBMON_PARAMETER_DOUBLE(name, value) HYBMON_PARAMETER_(double, name, value)
#define HYBMON_PARAMETER_STRING(name, value) HYBMON_PARAMETER_(string, name, value)

/* Defines a counter, anywhere where a static variable may be defined. */
#define HYBMON_COUNTER(counter, name, unit, type, mode) \
	static struct hybmon_counter counter = HYBMON_COUNTER_INIT(name, unit, type, mode)
#define HYBMON_COUNT_(kind, counter, value) do { \
		if (HYBMON_HAS(hybmon_counter_##kind)) \
			hybmon_counter_##kind(&(counter), value); \
	} while (0)
#define HYBMON_COUNT_INT(counter, value) HYBMON_COUNT_(int, counter, value)
#define HYBMON_COUNT_UINT(counter, value) HYBMON_COUNT_(uint, counter, value)
#define HYBMON_COUNT_DOUBLE(counter, value) HYBMON_COUNT_(double, counter, value)

#ifdef __cplusplus
/* A region as long as the object lives. */
class hybmon_scope {
public:
	HYBMON_INLINE explicit hybmon_scope(struct hybmon_region *region) : region_(region)
	{
		if (HYBMON_HAS(hybmon_region_begin))
			hybmon_region_begin(region_);
	}
	HYBMON_INLINE ~hybmon_scope()
	{
		if (HYBMON_HAS(hybmon_region_end))
			hybmon_region_end(region_);
	}

private:
	hybmon_scope(const hybmon_scope &);
	hybmon_scope &operator=(const hybmon_scope &);
	struct hybmon_region *region_;
};
#define HYBMON_SCOPE_OF(scope, region) hybmon_scope scope(region)
#else
HYBMON_INLINE static __inline__ struct hybmon_region *hybmon_scope_begin(struct hybmon_region *region)
{
	if (HYBMON_HAS(hybmon_region_begin))
		hybmon_region_begin(region);
	return region;
}

HYBMON_INLINE static __inline__ void hybmon_scope_end(struct hybmon_region **region)
{
	if (HYBMON_HAS(hybmon_region_end))
		hybmon_region_end(*region);
}
#define HYBMON_SCOPE_OF(scope, region) \
	struct hybmon_region *scope __attribute__((cleanup(hybmon_scope_end), unused)) = hybmon_scope_begin(region)
#endif

#endif
