/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile by line: what all threads did at each line of the program, with what the kernel did there, and how long
 * they waited for others there. A line is a region and where that is called from; what lies in no region is named by
 * the call that comes after it. By which way the program came there does not matter. It is added up from what the
 * search for causes has found (causes.h), so it costs no pass of its own.
 */
#ifndef HYB_ANALYSIS_REPORT_LINES_H
#define HYB_ANALYSIS_REPORT_LINES_H

#include "analysis/waits/causes.h"
#include "analysis/profile/flat.h"

struct hyb_code_line {
	enum hyb_spot_kind kind; /* HYB_SPOT_TOP: in no region, and no call comes after it */
	uint32_t detail; /* a text of the model: where it is called; HYB_NAME_NONE: not known */
	const struct hyb_gregion *region; /* of HYB_SPOT_REGION and BEFORE */
	uint64_t visits;
	int64_t part[HYB_PARTS]; /* ns: not waiting for others */
	int64_t waited;		 /* ns: and that */
	uint64_t waits;
};

struct hyb_code_line_row { /* of one process, but for waiting for others */
	uint32_t line; /* index into hyb_lines.lines */
	uint32_t process;
	int64_t ns;
};

struct hyb_lines {
	struct hyb_table lines; /* struct hyb_code_line */
	struct hyb_table rows;	/* struct hyb_code_line_row; in the end by line and process */
	uint32_t *order;	/* of lines: the longest first, waiting included */
};

/* `process_of`: of each track its process. 0 or -ENOMEM; after either, hyb_lines_free. */
int hyb_lines_find(struct hyb_lines *lines, const struct hyb_spots *spots, const struct hyb_causes *causes,
		   const uint32_t *process_of);
void hyb_lines_free(struct hyb_lines *lines);
/* How the work of a line is spread over the processes of `flat`. 0 or -ENOMEM; after either, hyb_spread_free. */
int hyb_code_line_spread(const struct hyb_lines *lines, const struct hyb_code_line *line, const struct hyb_flat *flat,
		    struct hyb_spread *spread);

static inline const struct hyb_code_line *hyb_lines_at(const struct hyb_lines *lines, uint32_t i)
{
	return hyb_table_at(&lines->lines, lines->order[i]);
}

static inline int64_t hyb_code_line_work(const struct hyb_code_line *line)
{
	int64_t sum = 0;

	for (int i = 0; i < HYB_PARTS; i++)
		sum += line->part[i];
	return sum;
}

#endif
