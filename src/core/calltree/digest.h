/* SPDX-License-Identifier: BSD-3-Clause */
/* From the records of a thread to its profile. */
#ifndef HYB_CORE_CALLTREE_DIGEST_H
#define HYB_CORE_CALLTREE_DIGEST_H

#include "core/calltree/tree.h"

/*
 * Adds to the profile what of a chunk is not in it yet: `used` words follow the header. The chunks of a stream are to be
 * given in turn. 0; -EBADMSG where the records make no sense, and the rest of the chunk is left out; or what grow says:
 * then what was added is in, and the next call goes on there.
 */
int hyb_profile_digest(struct hyb_profile *p, const struct hyb_chunk_header *chunk, const uint64_t *words,
		       uint64_t used);

/* Chunks are missing before the next one: what was open may have been left in them. */
void hyb_profile_gap(struct hyb_profile *p);
/*
 * For a copy that nothing more is added to: everything that is open ends now, as if it had come back, the root, too. How
 * many regions were open.
 */
uint32_t hyb_profile_end(struct hyb_profile *p, uint64_t now);

#endif
