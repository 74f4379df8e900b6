/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon-print: the lines of what the call waits for that a thread stands in. As stable as the others. */
#include <inttypes.h>
#include <stdio.h>

#include "export/text/print.h"

static void put_peer(const char *key, int32_t peer)
{
	if (peer == HYB_ANY || peer == HYB_NO_PEER)
		printf(" %s=%s", key, peer == HYB_ANY ? "any" : "none");
	else
		printf(" %s=%d", key, peer);
}

static void put_message(const struct print_process *p, bool sends, uint32_t comm, int32_t peer, int32_t tag)
{
	fputs(sends ? " send" : " recv", stdout);
	put_peer(sends ? "to" : "from", peer);
	if (tag == HYB_ANY)
		fputs(" tag=any", stdout);
	else
		printf(" tag=%d", tag);
	fputs(" comm=", stdout);
	print_put_comm(p, comm);
}

static void put_awaited(const struct print_process *p, const struct hyb_awaited *a)
{
	switch (a->kind) {
	case HYB_REQUEST_OF_SEND:
	case HYB_REQUEST_OF_RECV:
		put_message(p, a->kind == HYB_REQUEST_OF_SEND, a->comm, a->peer, a->tag);
		break;
	case HYB_REQUEST_OF_COLL:
		fputs(" icoll comm=", stdout);
		print_put_comm(p, a->comm);
		break;
	case HYB_REQUEST_OF_IO:
		fputs(" io file=", stdout);
		print_put_file(p, a->comm);
		break;
	case HYB_REQUEST_OF_RMA:
		fputs(" rma win=", stdout);
		print_put_win(p, a->comm);
		break;
	default:
		fputs(" ?", stdout);
	}
	print_put_request(a->request);
}

static void print_requests(const struct print_stream *s, const struct hyb_standing *st)
{
	for (uint32_t i = 0; i < st->listed; i++) {
		printf("%s   waits", s->label);
		put_awaited(s->process, &st->awaited[i]);
		putchar('\n');
	}
	if (st->request_count > st->listed)
		printf("%s   waits others=%u\n", s->label, st->request_count - st->listed);
}

static void put_coll(const struct print_process *p, const struct hyb_standing *st)
{
	fputs(" coll comm=", stdout);
	print_put_comm(p, st->comm);
	if (st->peer != HYB_NO_ROOT)
		printf(" root=%d", st->peer);
	if (st->sent != HYB_BYTES_UNKNOWN)
		printf(" sent=%" PRIu64, st->sent);
	if (st->received != HYB_BYTES_UNKNOWN)
		printf(" received=%" PRIu64, st->received);
}

/* What it waits for but requests, as one line. */
static void print_other(const struct print_stream *s, const struct hyb_standing *st)
{
	const struct print_process *p = s->process;

	printf("%s   waits", s->label);
	switch (st->waits) {
	case HYB_WAITS_SEND:
	case HYB_WAITS_RECV:
		put_message(p, st->waits == HYB_WAITS_SEND, st->comm, st->peer, st->tag);
		break;
	case HYB_WAITS_COLL:
		put_coll(p, st);
		break;
	case HYB_WAITS_WIN:
		print_put_rma(p, &st->rma);
		break;
	default:
		printf(" io %s file=", print_io_word(st->io_what));
		print_put_file(p, st->file);
		if (st->io_flags & HYB_IO_COLLECTIVE)
			fputs(" collective", stdout);
	}
	putchar('\n');
}

void print_standing(const struct print_stream *s, const struct hyb_standing *st)
{
	if (st->waits == HYB_WAITS_REQUESTS)
		print_requests(s, st);
	else if (st->waits != HYB_WAITS_UNTOLD)
		print_other(s, st);
}
