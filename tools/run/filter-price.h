/* SPDX-License-Identifier: BSD-3-Clause */
/* What recording one visit of a region costs. */
#ifndef HYB_TOOLS_RUN_FILTER_PRICE_H
#define HYB_TOOLS_RUN_FILTER_PRICE_H

/*
 * Measured here and now, with what the environment says besides (HYBMON_COUNTERS, say): ns by a region of the program's
 * own that is empty. 0, or -1 with the reason said by the tool of that name, if it has one.
 */
int hyb_price_measure(const char *tool, double *ns);
/*
 * The program that is measured: this one, with the library preloaded. A tool that measures calls it where it has
 * HYB_PRICE_ARGUMENT as its only one. Its exit status.
 */
int hyb_price_program(void);
#define HYB_PRICE_ARGUMENT "--price-of-a-region"

#endif
