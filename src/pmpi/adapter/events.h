/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the lines `before` and `after` of records.tbl stand for: the records attached to an Enter or a Leave, declared
 * in the headers here. Each takes the place they go to and returns the place after them. A line `before x` is hyb_ev_x,
 * with a flag that it sets where it cannot tell yet whether the handles are valid; then hyb_ev_late_x writes its record
 * with the Leave. For the generated wrappers; part of the adapter.
 */
#ifndef HYB_PMPI_ADAPTER_EVENTS_H
#define HYB_PMPI_ADAPTER_EVENTS_H

#include "pmpi/adapter/collective.h"
#include "pmpi/adapter/handles/comm-create.h"
#include "pmpi/adapter/handles/comm-meeting.h"
#include "pmpi/adapter/handles/file.h"
#include "pmpi/adapter/handles/message.h"
#include "pmpi/adapter/handles/session.h"
#include "pmpi/adapter/handles/type.h"
#include "pmpi/adapter/handles/win.h"
#include "pmpi/adapter/io.h"
#include "pmpi/adapter/p2p.h"
#include "pmpi/adapter/put.h"
#include "pmpi/adapter/requests/begin.h"
#include "pmpi/adapter/requests/complete.h"
#include "pmpi/adapter/rma.h"

static inline uint64_t *hyb_ev_error(uint64_t *p, int code)
{
	return hyb_put_word(p, HYB_ERROR, (uint32_t)code);
}

#endif
