/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI: records that differ by what was done, shapes of communicators, pending operations. */
#ifndef HYB_EXPORT_TEXT_MPI_H
#define HYB_EXPORT_TEXT_MPI_H

#include "export/text/fields.h"

/* The rest of a line for HYB_RMA and HYB_IO; line->decoded is a struct hyb_attached. */
void print_show_rma(const struct print_value *v);
void print_show_io(const struct print_value *v);
/* The shape of the communicator that has the number, as the rest of its definition's line. */
void print_show_shape(const struct print_value *v);
/* What a blocked call waits for, as lines that begin with the label; line tells the process. */
void print_pending(struct print_line *line, const char *label, const struct hyb_standing *standing);

#endif
