/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/text/mpi.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "export/text/vocabulary.h"
#include "reader/streams/io.h"

static const char *const operations[] = {
	"?", "create", "destroy", "put", "get", "accumulate", "get-accumulate", "fetch-and-op",
	"compare-and-swap", "done", "fence", "post", "start", "complete", "wait", "lock", "unlock", "flush",
	"flush-local", "sync",
};
static const char *const modes[] = {
	"rdonly", "wronly", "rdwr", "create", "excl", "delete-on-close", "unique-open", "sequential", "append",
};
static const char *const hows[] = { "collective", "non-blocking", "split", "shared", "explicit" };
static const char *const whence[] = { "start", "current", "end", "?" };

/* POST and START that a thread waits in may have none. */
static void show_group(const struct print_value *v)
{
	const struct print_process *p = v->line->process;
	const struct hyb_ranks *group = p->defs ? hyb_defs_group(p->defs, v->value) : NULL;

	if (!hyb_rma_has_group(((const struct hyb_rma *)v->line->decoded)->what))
		return;
	fputs(" group=", stdout);
	if (group)
		print_put_members(group->members, group->count);
	else
		printf("group?%" PRId64, (int64_t)v->value);
}

static void put_rma(const struct print_line *line, const struct hyb_rma *rma)
{
	static const struct print_field fields[] = {
		F(ALWAYS, LISTED(operations), "", GOT(hyb_rma, what), "")
		F(ALWAYS, WIN, " win=", GOT(hyb_rma, win), "")
		F(NATURAL, SIGNED, " target=", GOT(hyb_rma, target), "")
		F(SET, NOTHING, " allocated", GOT_BITS(hyb_rma, flags, 0, 0), "")
		F(SET, NOTHING, " sum", GOT_BITS(hyb_rma, flags, 2, 2), "")
		F(SET, NOTHING, " replace", GOT_BITS(hyb_rma, flags, 3, 3), "")
		F(SET, NOTHING, " shared", GOT_BITS(hyb_rma, flags, 4, 4), "")
		F(SET, NOTHING, " first", GOT_BITS(hyb_rma, flags, 5, 5), "")
		F(KNOWN, OWN(group), "", GOT(hyb_rma, group), "")
		{ NULL }
	};
	struct print_line l = *line;

	l.decoded = rma;
	print_fields(&l, fields);
}

void print_show_rma(const struct print_value *v)
{
	struct hyb_rma r;

	if (!hyb_rma_decode(v->line->decoded, &r)) {
		fputs("unknown", stdout);
		return;
	}
	put_rma(v->line, &r);
	if (r.what == HYB_RMA_PUT || r.what == HYB_RMA_GET)
		printf(" bytes=%" PRIu64, r.what == HYB_RMA_PUT ? r.sent : r.received);
	else if (hyb_rma_is_op(r.what))
		printf(" sent=%" PRIu64 " received=%" PRIu64, r.sent, r.received);
	if (!(r.flags & HYB_RMA_REQUEST || r.what == HYB_RMA_DONE))
		return;
	fputs(" request=", stdout);
	print_put_request(r.id);
}

/* The communicator that opened the file. */
static void show_opened(const struct print_value *v)
{
	const struct print_process *p = v->line->process;
	const struct hyb_file *file = p->defs ? hyb_defs_file(p->defs, v->value) : NULL;

	if (!file || file->comm == HYB_IO_NO_COMM)
		return;
	fputs(" comm=", stdout);
	print_put_comm(p, file->comm);
}

/* What was done, or what will be. */
static void show_end(const struct print_value *v)
{
	const struct hyb_io *io = v->line->decoded;

	fputs(hyb_io_begun(io) ? " request=" : " done=", stdout);
	if (hyb_io_begun(io))
		print_put_request(io->id);
	else
		printf("%" PRIu64, io->done);
}

#define TRANSFER_FIELDS \
	F(ALWAYS, PIPED(hows), " how=", GOT(hyb_io, flags), "") \
	F(KNOWN, SIGNED, " offset=", GOT(hyb_io, offset), "") \
	F(ALWAYS, NUMBER, " bytes=", GOT(hyb_io, requested), "") \
	F(ALWAYS, OWN(end), "", GOT(hyb_io, flags), "")

static const struct {
	const char *word;
	const struct print_field *fields;
} files[] = {
#define HYB_IO_ROW(what, words, flags, text, fields) [HYB_IO_##what] = { text, PRINT_FIELDS(fields) },
#include "format/records.tbl.h"
};

static const char *io_word(uint32_t what)
{
	return what < PRINT_COUNT_OF(files) && files[what].word ? files[what].word : "?";
}

void print_show_io(const struct print_value *v)
{
	struct print_line l = *v->line;
	struct hyb_io io;

	if (!hyb_io_decode(v->line->decoded, &io)) {
		putchar('?');
		return;
	}
	printf("%s file=", io.what == HYB_IO_SIZE && io.flags ? "preallocate" : files[io.what].word);
	print_put_file(v->line->process, io.file);
	l.decoded = &io;
	print_fields(&l, files[io.what].fields);
}

static void put_list(const char *key, const uint32_t *list, uint32_t count)
{
	printf(" %s=", key);
	if (!count)
		putchar('-');
	for (uint32_t i = 0; i < count; i++)
		printf("%s%d", i ? "," : "", (int)list[i]);
}

static void print_cart(const struct hyb_topology *t)
{
	const uint32_t dims = t->def.in;

	put_list("dims", t->list, dims);
	put_list("periodic", t->list + dims, dims);
	put_list("coords", t->list + 2 * dims, dims);
}

static void print_dist_graph(const struct hyb_topology *t)
{
	const uint32_t in = t->def.in, out = t->def.out;

	put_list("from", t->list, in);
	put_list("to", t->list + in, out);
	if (!t->def.weighted)
		return;
	put_list("weights-from", t->list + in + out, in);
	put_list("weights-to", t->list + 2 * in + out, out);
}

void print_show_shape(const struct print_value *v)
{
	const struct print_process *p = v->line->process;
	const struct hyb_comm *c = p->defs ? hyb_defs_comm(p->defs, v->value) : NULL;
	const struct hyb_topology *t = c ? &c->topology : NULL;
	struct hyb_def_topology def;

	memcpy(&def, v->line->words + 1, sizeof(def));
	if (def.first || !t || !hyb_topology_whole(t)) {
		/* a later piece of what was shown whole, or a piece without the others */
		printf(" first=%u count=%u", def.first, def.count);
		return;
	}
	if (def.kind == HYB_TOPOLOGY_CART) {
		print_cart(t);
	} else if (def.kind == HYB_TOPOLOGY_GRAPH) {
		printf(" nodes=%u edges=%u", def.nodes, def.edges);
		put_list("neighbours", t->list, def.out);
	} else {
		print_dist_graph(t);
	}
}

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
	fputs(io_word((uint32_t)v->value), stdout);
}

static void show_rma(const struct print_value *v)
{
	put_rma(v->line, &((const struct hyb_standing *)v->line->decoded)->rma);
}

#define MESSAGE(type, key) \
	F(ALWAYS, OWN(peer), key, GOT(type, peer), "") \
	F(ALWAYS, OWN(tag), " tag=", GOT(type, tag), "") \
	F(ALWAYS, COMM, " comm=", GOT(type, comm), "")
#define AWAITED_REQUEST F(ALWAYS, REQUEST, " request=", GOT(hyb_awaited, request), "")

/* One of the requests that a call waits for, by enum hyb_request_kind; 0: of any other kind. */
static const struct print_field *const awaited[] = {
	[0] = PRINT_FIELDS(F(ALWAYS, NOTHING, " ?", ID, "") AWAITED_REQUEST),
	[HYB_REQUEST_OF_SEND] = PRINT_FIELDS(MESSAGE(hyb_awaited, " send to=") AWAITED_REQUEST),
	[HYB_REQUEST_OF_RECV] = PRINT_FIELDS(MESSAGE(hyb_awaited, " recv from=") AWAITED_REQUEST),
	[HYB_REQUEST_OF_COLL] = PRINT_FIELDS(
		F(ALWAYS, COMM, " icoll comm=", GOT(hyb_awaited, comm), "") AWAITED_REQUEST),
	[HYB_REQUEST_OF_IO] = PRINT_FIELDS(
		F(ALWAYS, FILE, " io file=", GOT(hyb_awaited, comm), "") AWAITED_REQUEST),
	[HYB_REQUEST_OF_RMA] = PRINT_FIELDS(
		F(ALWAYS, WIN, " rma win=", GOT(hyb_awaited, comm), "") AWAITED_REQUEST),
};

/* What else a call waits for, by enum hyb_waits. */
static const struct print_field *const others[] = {
	[HYB_WAITS_SEND] = PRINT_FIELDS(MESSAGE(hyb_standing, " send to=")),
	[HYB_WAITS_RECV] = PRINT_FIELDS(MESSAGE(hyb_standing, " recv from=")),
	[HYB_WAITS_COLL] = PRINT_FIELDS(
		F(ALWAYS, COMM, " coll comm=", GOT(hyb_standing, comm), "")
		F(KNOWN, SIGNED, " root=", GOT(hyb_standing, peer), "")
		F(KNOWN, NUMBER, " sent=", GOT(hyb_standing, sent), "")
		F(KNOWN, NUMBER, " received=", GOT(hyb_standing, received), "")),
	[HYB_WAITS_WIN] = PRINT_FIELDS(F(ALWAYS, OWN(rma), " rma ", ID, "")),
	[HYB_WAITS_FILE] = PRINT_FIELDS(
		F(ALWAYS, OWN(io_word), " io ", GOT(hyb_standing, io_what), "")
		F(ALWAYS, FILE, " file=", GOT(hyb_standing, file), "")
		F(SET, NOTHING, " collective", GOT_BITS(hyb_standing, io_flags, 0, 0), "")),
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
