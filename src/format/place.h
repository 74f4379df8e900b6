/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The raw trace format, continued: where in the program something is. Part of format.h, which includes it; to be included
 * through that.
 */
#ifndef HYB_FORMAT_PLACE_H
#define HYB_FORMAT_PLACE_H

#include <stdint.h>

/*
 * Where in the program a region is: the address of an instruction behind a call, and where the object that it lies
 * in was loaded, which is what the addresses in its symbols and debug information are less than those in memory.
 */
struct hyb_def_place {
	uint64_t address;
	uint64_t object;	/* id of its HYB_DEF_OBJECT; 0: none */
};

struct hyb_def_object {
	uint64_t base;
	uint32_t path_length;	/* bytes behind the struct, padded to words with zeroes */
	uint32_t build_length;	/* bytes of the build id behind that, padded; then, from format 1.2 on, a hyb_def_extent */
};

/*
 * A place in the program and who called: from a frame on, the callers' are the stack. So stacks that have their outer part
 * in common have its definitions in common, too.
 */
struct hyb_def_frame {
	uint64_t address;	/* bits 47-0: behind the call, as a SITE's; 55-48 enum hyb_frame_end, where it is the last */
	uint64_t caller;	/* bits 39-0: a HYB_DEF_FRAME, 0: it is the last; 63-40: its HYB_DEF_OBJECT, 0: none */
};

#define HYB_FRAME_END_SHIFT	48
#define HYB_FRAME_OBJECT_SHIFT	40

enum hyb_frame_end {
	HYB_FRAME_OUTERMOST = 0, /* nobody called: the thread begins there */
	HYB_FRAME_ENOUGH,	/* there are more than were asked for */
	HYB_FRAME_CUT,		/* there are more, but nobody knows where: no unwind tables, or none that are understood */
};

/* What of the memory is an object's, and since when: another one may have been there before. */
struct hyb_def_extent {
	uint64_t begin;
	uint64_t end;
	uint64_t since;		/* raw counter; 0: as far back as anything was told of a place there */
};

/* Where the source of a region is, as the program itself says. */
struct hyb_def_source {
	uint32_t line;		/* 0: not said */
	uint32_t file_length;	/* bytes behind the struct, padded to words with zeroes */
};

#endif
