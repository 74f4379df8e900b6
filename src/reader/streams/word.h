/* SPDX-License-Identifier: BSD-3-Clause */
/* Words for what records have numbers for: the same in all that tools write. */
#ifndef HYB_READER_STREAMS_WORD_H
#define HYB_READER_STREAMS_WORD_H

#include "format/format.h"

/* A collective operation; NULL: none, or one of a newer format. */
const char *hyb_coll_word(enum hyb_coll op);
/* A counter's type and mode; "unknown" for those of a newer format. */
const char *hyb_metric_type_word(enum hyb_metric_type type);
const char *hyb_metric_mode_word(enum hyb_metric_mode mode);

#endif
