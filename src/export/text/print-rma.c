/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon-print: the lines of one-sided communication. As stable as the others. */
#include <inttypes.h>
#include <stdio.h>

#include "export/text/print.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static const char *const words[] = {
	[HYB_RMA_CREATE] = "create",
	[HYB_RMA_DESTROY] = "destroy",
	[HYB_RMA_PUT] = "put",
	[HYB_RMA_GET] = "get",
	[HYB_RMA_ACCUMULATE] = "accumulate",
	[HYB_RMA_GET_ACCUMULATE] = "get-accumulate",
	[HYB_RMA_FETCH_AND_OP] = "fetch-and-op",
	[HYB_RMA_COMPARE_AND_SWAP] = "compare-and-swap",
	[HYB_RMA_DONE] = "done",
	[HYB_RMA_FENCE] = "fence",
	[HYB_RMA_POST] = "post",
	[HYB_RMA_START] = "start",
	[HYB_RMA_COMPLETE] = "complete",
	[HYB_RMA_WAIT] = "wait",
	[HYB_RMA_LOCK] = "lock",
	[HYB_RMA_UNLOCK] = "unlock",
	[HYB_RMA_FLUSH] = "flush",
	[HYB_RMA_FLUSH_LOCAL] = "flush-local",
	[HYB_RMA_SYNC] = "sync",
};

static const struct {
	uint32_t flag;
	const char *word;
} flags[] = {
	{ HYB_RMA_ALLOCATED, "allocated" },
	{ HYB_RMA_SUM, "sum" },
	{ HYB_RMA_REPLACE, "replace" },
	{ HYB_RMA_SHARED, "shared" },
	{ HYB_RMA_FIRST, "first" },
};

static void put_group(const struct print_process *p, uint64_t id)
{
	const struct hyb_ranks *group = p->defs ? hyb_defs_group(p->defs, id) : NULL;

	fputs(" group=", stdout);
	if (group)
		print_put_members(group->members, group->count);
	else
		printf("group?%" PRId64, (int64_t)id);
}

void print_put_win(const struct print_process *p, uint64_t id)
{
	char buf[32];

	print_put_word(hyb_win_name(p->defs ? hyb_defs_win(p->defs, id) : NULL, id, buf, sizeof(buf)));
}

void print_put_rma(const struct print_process *p, const struct hyb_rma *r)
{
	printf(" rma %s win=", words[r->what]);
	print_put_win(p, r->win);
	if (r->target >= 0)
		printf(" target=%d", r->target);
	for (size_t i = 0; i < COUNT_OF(flags); i++)
		if (r->flags & flags[i].flag)
			printf(" %s", flags[i].word);
	if (hyb_rma_has_group(r->what) && r->group != UINT64_MAX)
		put_group(p, r->group);
}

void print_rma(const struct print_stream *s, const struct hyb_attached *a)
{
	struct hyb_rma r;

	if (!hyb_rma_decode(a, &r)) {
		fputs("  rma unknown", stdout);
		return;
	}
	putchar(' ');
	print_put_rma(s->process, &r);
	if (r.what == HYB_RMA_PUT || r.what == HYB_RMA_GET)
		printf(" bytes=%" PRIu64, r.what == HYB_RMA_PUT ? r.sent : r.received);
	else if (hyb_rma_is_op(r.what))
		printf(" sent=%" PRIu64 " received=%" PRIu64, r.sent, r.received);
	if (r.flags & HYB_RMA_REQUEST || r.what == HYB_RMA_DONE)
		print_put_request(r.id);
}
