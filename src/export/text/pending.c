/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/text/pending.h"

#include <inttypes.h>
#include <stdio.h>

#include "export/text/mpi.h"
#include "export/text/vocabulary.h"

static void show_peer(const struct print_value *v)
{
	const int32_t peer = (int32_t)v->value;

	if (peer == HYB_ANY || peer == HYB_NO_PEER)
		fputs(peer == HYB_ANY ? "any" : "none", stdout);
	else
		printf("%d", peer);
}

static void show_tag(const struct print_value *v)
{
	if ((int32_t)v->value == HYB_ANY)
		fputs("any", stdout);
	else
		printf("%d", (int32_t)v->value);
}

static void show_io_word(const struct print_value *v)
{
	fputs(print_io_word((uint32_t)v->value), stdout);
}

static void show_rma(const struct print_value *v)
{
	print_put_rma(v->line, &((const struct hyb_standing *)v->line->decoded)->rma);
}

#define MESSAGE(type, key) \
	F(always, OWN(peer), key, GOT(type, peer), "") \
	F(always, OWN(tag), " tag=", GOT(type, tag), "") \
	F(always, COMM, " comm=", GOT(type, comm), "")
#define AWAITED_REQUEST F(always, REQUEST, " request=", GOT(hyb_awaited, request), "")

/* One of the requests that a call waits for, by enum hyb_request_kind; 0: of any other kind. */
static const struct print_field *const awaited[] = {
	[0] = PRINT_FIELDS(F(always, NOTHING, " ?", ID, "") AWAITED_REQUEST),
	[HYB_REQUEST_OF_SEND] = PRINT_FIELDS(MESSAGE(hyb_awaited, " send to=") AWAITED_REQUEST),
	[HYB_REQUEST_OF_RECV] = PRINT_FIELDS(MESSAGE(hyb_awaited, " recv from=") AWAITED_REQUEST),
	[HYB_REQUEST_OF_COLL] = PRINT_FIELDS(
		F(always, COMM, " icoll comm=", GOT(hyb_awaited, comm), "") AWAITED_REQUEST),
	[HYB_REQUEST_OF_IO] = PRINT_FIELDS(
		F(always, FILE, " io file=", GOT(hyb_awaited, comm), "") AWAITED_REQUEST),
	[HYB_REQUEST_OF_RMA] = PRINT_FIELDS(
		F(always, WIN, " rma win=", GOT(hyb_awaited, comm), "") AWAITED_REQUEST),
};

/* What else a call waits for, by enum hyb_waits. */
static const struct print_field *const others[] = {
	[HYB_WAITS_SEND] = PRINT_FIELDS(MESSAGE(hyb_standing, " send to=")),
	[HYB_WAITS_RECV] = PRINT_FIELDS(MESSAGE(hyb_standing, " recv from=")),
	[HYB_WAITS_COLL] = PRINT_FIELDS(
		F(always, COMM, " coll comm=", GOT(hyb_standing, comm), "")
		F(known, SIGNED, " root=", GOT(hyb_standing, peer), "")
		F(known, NUMBER, " sent=", GOT(hyb_standing, sent), "")
		F(known, NUMBER, " received=", GOT(hyb_standing, received), "")),
	[HYB_WAITS_WIN] = PRINT_FIELDS(F(always, OWN(rma), " rma ", ID, "")),
	[HYB_WAITS_FILE] = PRINT_FIELDS(
		F(always, OWN(io_word), " io ", GOT(hyb_standing, io_what), "")
		F(always, FILE, " file=", GOT(hyb_standing, file), "")
		F(set, NOTHING, " collective", GOT_BITS(hyb_standing, io_flags, 0, 0), "")),
};

static void put_line(const char *label, struct print_line *line, const void *decoded, const struct print_field *fields)
{
	line->decoded = decoded;
	printf("%s   waits", label);
	print_fields(line, fields);
	putchar('\n');
}

void print_pending(struct print_line *line, const char *label, const struct hyb_standing *st)
{
	if (st->waits != HYB_WAITS_REQUESTS) {
		if (st->waits < PRINT_COUNT_OF(others) && others[st->waits])
			put_line(label, line, st, others[st->waits]);
		return;
	}
	for (uint32_t i = 0; i < st->listed; i++) {
		const uint32_t kind = st->awaited[i].kind;
		const bool known = kind < PRINT_COUNT_OF(awaited) && awaited[kind];

		put_line(label, line, &st->awaited[i], awaited[known ? kind : 0]);
	}
	if (st->request_count > st->listed)
		printf("%s   waits others=%u\n", label, st->request_count - st->listed);
}
