/* SPDX-License-Identifier: BSD-3-Clause */
/* What communicators, windows and files are known by in all processes: see there. */
#ifndef HYB_PMPI_KEY_H
#define HYB_PMPI_KEY_H

#include "trace/key.h"

#endif
