/* SPDX-License-Identifier: BSD-3-Clause */
/* The pending operation of a blocked call. */
#ifndef HYB_EXPORT_TEXT_PENDING_H
#define HYB_EXPORT_TEXT_PENDING_H

#include "export/text/fields.h"

/* What the call waits for, as lines that begin with the label; line tells the process. */
void print_pending(struct print_line *line, const char *label, const struct hyb_standing *standing);

#endif
