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
#ifndef HYB_READER_STREAMS_READER_H
#define HYB_READER_STREAMS_READER_H

#include "format/format.h"
#include "reader/streams/attached.h"
#include "reader/streams/clock.h"
#include "reader/streams/defs.h"
#include "reader/streams/diag.h"
#include "reader/streams/experiment.h"
#include "reader/streams/file.h"
#include "reader/streams/manifest.h"
#include "reader/streams/metric.h"
#include "reader/streams/rma.h"
#include "reader/streams/standing.h"
#include "reader/streams/stream.h"

#endif
