/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/text/mpi.h"

#include <inttypes.h>
#include <stdio.h>

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

void print_put_rma(const struct print_line *line, const struct hyb_rma *rma)
{
	static const struct print_field fields[] = {
		F(always, LISTED(operations), "", GOT(hyb_rma, what), "")
		F(always, WIN, " win=", GOT(hyb_rma, win), "")
		F(natural, SIGNED, " target=", GOT(hyb_rma, target), "")
		F(set, NOTHING, " allocated", GOT_BITS(hyb_rma, flags, 0, 0), "")
		F(set, NOTHING, " sum", GOT_BITS(hyb_rma, flags, 2, 2), "")
		F(set, NOTHING, " replace", GOT_BITS(hyb_rma, flags, 3, 3), "")
		F(set, NOTHING, " shared", GOT_BITS(hyb_rma, flags, 4, 4), "")
		F(set, NOTHING, " first", GOT_BITS(hyb_rma, flags, 5, 5), "")
		F(known, OWN(group), "", GOT(hyb_rma, group), "")
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
	print_put_rma(v->line, &r);
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
	F(always, PIPED(hows), " how=", GOT(hyb_io, flags), "") \
	F(known, SIGNED, " offset=", GOT(hyb_io, offset), "") \
	F(always, NUMBER, " bytes=", GOT(hyb_io, requested), "") \
	F(always, OWN(end), "", GOT(hyb_io, flags), "")

static const struct {
	const char *word;
	const struct print_field *fields;
} files[] = {
#define HYB_IO_ROW(what, words, flags, text, fields) [HYB_IO_##what] = { text, PRINT_FIELDS(fields) },
#include "format/records.tbl.h"
};

const char *print_io_word(uint32_t what)
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
