/* SPDX-License-Identifier: BSD-3-Clause */
/* The shape of a communicator, as its pieces come in. */
#ifndef HYB_READER_STREAMS_TOPOLOGY_H
#define HYB_READER_STREAMS_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"
#include "reader/streams/stream.h"

struct hyb_topology {
	struct hyb_def_topology def; /* of the first piece; kind 0: there is none */
	uint32_t *list;		     /* what has come of it */
	uint32_t count;
};

/* Takes in one piece: 0, -EBADMSG where it makes no sense, -ENOMEM. */
int hyb_topology_add(struct hyb_topology *t, const struct hyb_event *e);
void hyb_topology_free(struct hyb_topology *t);
/* All of its list is there. */
bool hyb_topology_whole(const struct hyb_topology *t);

#endif
