/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of requests; see requests.h. */
#include "otf2/requests.h"

#include <errno.h>
#include <string.h>

static bool same_request(const void *entry, const void *key)
{
	return !memcmp(entry, key, sizeof(uint64_t));
}

bool hyb_requests_find(const struct hyb_requests *r, uint64_t request)
{
	return hyb_table_find(&r->set, hyb_mix(request), &request) != NULL;
}

int hyb_requests_add(struct hyb_requests *r, uint64_t request)
{
	uint64_t *entry;

	if (!r->set.entry_size)
		hyb_table_init(&r->set, sizeof(request), same_request);
	else if (hyb_requests_find(r, request))
		return 0;
	entry = hyb_table_add(&r->set, hyb_mix(request));
	if (!entry)
		return -ENOMEM;
	*entry = request;
	return 0;
}

void hyb_requests_free(struct hyb_requests *r)
{
	if (r->set.entry_size)
		hyb_table_free(&r->set);
	memset(r, 0, sizeof(*r));
}
