/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader library, all of it. The usual way of a tool:
 *
 *	hyb_experiment_open(dir, &diag, &x);
 *	for each x->processes[i]:	hyb_defs_open, hyb_clocks_add(its clock tuples)
 *	hyb_clocks_fit(clocks);
 *	for each stream of it:	hyb_reader_open, hyb_reader_next until 0, hyb_reader_close
 *		time in ns:	hyb_clock_ns(hyb_clocks_get(clocks, number), event.time)
 */
#ifndef HYB_TRACE_READER_H
#define HYB_TRACE_READER_H

#include "format/format.h"
#include "trace/attached.h"
#include "trace/clock.h"
#include "trace/defs.h"
#include "trace/diag.h"
#include "trace/experiment.h"
#include "trace/file.h"
#include "trace/manifest.h"
#include "trace/metric.h"
#include "trace/rma.h"
#include "trace/standing.h"
#include "trace/stream.h"

#endif
