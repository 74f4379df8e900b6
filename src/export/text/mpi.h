/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication and MPI-IO, whose records differ by what was done. */
#ifndef HYB_EXPORT_TEXT_MPI_H
#define HYB_EXPORT_TEXT_MPI_H

#include "export/text/fields.h"

/* What is done, with which window and whom. */
void print_put_rma(const struct print_line *line, const struct hyb_rma *rma);
/* The rest of a line for HYB_RMA and HYB_IO; line->decoded is a struct hyb_attached. */
void print_show_rma(const struct print_value *v);
void print_show_io(const struct print_value *v);
/* The word for an enum hyb_io_what. */
const char *print_io_word(uint32_t what);

#endif
