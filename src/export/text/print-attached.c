/* SPDX-License-Identifier: BSD-3-Clause */
/* hybmon-print: the lines of records attached to an event. As stable as the others. */
#include <inttypes.h>
#include <stdio.h>

#include "export/text/print.h"
#include "reader/streams/word.h"

/* thread.count, as it was given out */
void print_put_request(uint64_t request)
{
	printf(" request=%" PRIu64 ".%" PRIu64, request >> HYB_REQUEST_THREAD_SHIFT,
	       request & ((UINT64_C(1) << HYB_REQUEST_THREAD_SHIFT) - 1));
}

/* What MPI did not tell is a question mark. */
static void put_told(bool unreported, int64_t value)
{
	if (unreported)
		putchar('?');
	else
		printf("%" PRId64, value);
}

static void print_message(const struct print_stream *s, const struct hyb_attached *a)
{
	printf("  %s=", a->type == HYB_SEND ? "send to" : "recv from");
	put_told(a->unreported && a->peer == HYB_ANY, a->peer);
	fputs(" tag=", stdout);
	put_told(a->unreported && a->tag == HYB_ANY, a->tag);
	fputs(" comm=", stdout);
	print_put_comm(s->process, a->comm);
	fputs(" bytes=", stdout);
	put_told(a->unreported, (int64_t)a->bytes);
	if (a->request)
		print_put_request(a->request);
	if (a->partitioned)
		fputs(" partitioned", stdout);
}

static void put_coll(uint32_t coll)
{
	const char *word = hyb_coll_word(coll);

	if (word)
		printf(" %s", word);
	else
		printf(" operation?%u", coll);
}

static void print_coll(const struct print_stream *s, const struct hyb_attached *a)
{
	fputs("  coll", stdout);
	if (a->request)
		put_coll(a->coll);
	fputs(" comm=", stdout);
	print_put_comm(s->process, a->comm);
	if (a->peer != -1)
		printf(" root=%d", a->peer);
	printf(" sent=%" PRIu64 " received=%" PRIu64, a->bytes, a->received);
	if (a->request)
		print_put_request(a->request);
}

static void print_request(const char *what, const struct hyb_attached *a)
{
	printf("  %s", what);
	print_put_request(a->request);
}

static void print_site(const struct print_stream *s, uint64_t site, uint64_t time)
{
	const struct hyb_defs *defs = s->process->defs;

	print_put_address(defs ? hyb_defs_object_of(defs, site, time) : NULL, site);
}

/* How much of the stack a STACK_COPY has, after the registers. */
static uint32_t stack_bytes(const struct hyb_attached *a)
{
	const uint32_t before = 1 + (uint32_t)(a->words[0] >> HYB_COPY_REGISTERS_SHIFT & HYB_COPY_REGISTERS_MASK);

	return a->count > before ? (a->count - before) * 8 : 0;
}

/* The innermost frame first. */
static void print_stack(const struct print_process *p, uint64_t id)
{
	const struct hyb_callers *callers = &p->defs->callers;
	const struct hyb_caller *frame = hyb_callers_find(callers, id);

	if (!frame)
		fputs(id ? " ?" : " not known", stdout);
	for (const struct hyb_caller *next; frame; frame = next) {
		next = hyb_callers_next(callers, frame);
		print_put_address(frame->object ? hyb_defs_object(p->defs, frame->object) : NULL, frame->address);
		if (!next && frame->end != HYB_FRAME_OUTERMOST)
			fputs(frame->end == HYB_FRAME_ENOUGH ? " ..." : " [cut]", stdout);
	}
}

void print_attached(const struct print_options *o, const struct print_stream *s,
		    const struct hyb_event *e, const struct hyb_attached *a)
{
	/* Whether there is one is chance, or addresses are. */
	if ((a->type == HYB_BEGAN || a->type == HYB_SITE || (a->type == HYB_STACK && s->process->defs)) && !o->times)
		return;
	print_put_head(o, s, e->time);
	switch (a->type) {
	case HYB_BEGAN:
		printf("  began up-to-ticks-later=%" PRIu64, a->words[0] & HYB_REQUEST_MASK);
		break;
	case HYB_SEND:
	case HYB_RECV:
		print_message(s, a);
		break;
	case HYB_COLL:
		print_coll(s, a);
		break;
	case HYB_REQUEST_RECV:
		print_request("irecv", a);
		break;
	case HYB_REQUEST_COLL:
		fputs("  icoll", stdout);
		put_coll(a->coll);
		fputs(" comm=", stdout);
		print_put_comm(s->process, a->comm);
		print_put_request(a->request);
		break;
	case HYB_SEND_CANCELLED:
		printf("  cancelled to=%d tag=%d comm=", a->peer, a->tag);
		print_put_comm(s->process, a->comm);
		print_put_request(a->request);
		break;
	case HYB_REQUEST_SENT:
		print_request("sent", a);
		break;
	case HYB_REQUEST_TESTED:
		print_request("tested", a);
		break;
	case HYB_REQUEST_CANCELLED:
		print_request("cancelled", a);
		break;
	case HYB_RMA:
		print_rma(s, a);
		break;
	case HYB_IO:
		print_io(s->process, a);
		break;
	case HYB_ERROR:
		printf("  error code=%d", a->error);
		break;
	case HYB_ABANDONED:
		fputs("  abandoned", stdout);
		break;
	case HYB_PARAMETER:
		print_parameter(s, a);
		break;
	case HYB_SITE:
		fputs("  called from", stdout);
		print_site(s, a->words[0] & HYB_REQUEST_MASK, e->time);
		break;
	case HYB_STACK:
		fputs("  stack", stdout);
		if (s->process->defs)
			print_stack(s->process, a->words[0] & HYB_REQUEST_MASK);
		else if (o->times)
			print_kernel_stack(s, a->words[0] & HYB_REQUEST_MASK, e->time);
		break;
	case HYB_STACK_COPY:
		fputs("  stack copy", stdout);
		if (o->times)
			printf(" bytes=%u", stack_bytes(a));
		break;
	default:
		print_omp(o, a);
	}
	putchar('\n');
}
