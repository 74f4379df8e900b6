/* SPDX-License-Identifier: BSD-3-Clause */
/* From a run's order streams to the file that its processes follow; see replay.h. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader/containers/array.h"
#include "analysis/replay/replay.h"

/* The order of one thread, and whose it is. */
struct piece {
	uint32_t rank;
	uint32_t thread;
	struct hyb_replay_order order;
};

struct pieces {
	struct piece *items;
	size_t count;
	size_t room;
	struct hyb_replay_turns *turns; /* by rank */
};

/* What there is of the bytes of a word: from the first that is 0 on nothing yet. */
static int take_word(struct hyb_replay_order *order, uint64_t word, uint64_t *bytes)
{
	int err = 0;

	for (; word & 0xff && !err; word >>= 8, ++*bytes)
		err = hyb_replay_order_byte(order, (unsigned char)word);
	return err;
}

/* All of one stream. */
static int read_stream(struct hyb_reader *reader, const char *path, uid_t owner, const struct hyb_diag *diag,
		       struct hyb_replay_order *order, uint64_t *bytes)
{
	struct hyb_event event;
	int ret;

	while ((ret = hyb_reader_next(reader, &event)) > 0) {
		if (event.type == HYB_EVENT_GAP) {
			hyb_diag_say(diag, HYB_SEV_ERROR, "%s: a part of it is missing or damaged: the run cannot be replayed", path);
			return -EINVAL;
		}
		ret = take_word(order, event.words[0], bytes);
		if (ret) {
			hyb_diag_say(diag, HYB_SEV_ERROR, "%s: %s: the run cannot be replayed", path,
				     ret == -EINVAL ? "is damaged" : strerror(-ret));
			return ret;
		}
	}
	if (!ret && hyb_reader_header(reader)->lost) {
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: something was lost for want of space: the run cannot be replayed", path);
		return -EINVAL;
	}
	if (ret)
		return ret;
	hyb_replay_order_end(order);
	return hyb_replay_order_pending(order, path, owner);
}

/* What of a thread a flip leaves: of other threads than the main ones it is not known what came before. */
static void cut(struct piece *piece, const struct hyb_replay_flip *flip)
{
	struct hyb_replay_order *order = &piece->order;

	order->cuts = flip != NULL;
	if (!flip)
		return;
	if (!piece->thread && piece->rank == flip->rank)
		order->flip = flip;
	else if (!piece->thread && piece->rank < flip->ranks)
		order->keep = flip->keep[piece->rank];
	order->is_cut = !order->flip && !order->keep;
}

/* The order of one thread. */
static int read_thread(const struct hyb_process *process, uint32_t thread, const struct hyb_replay_flip *flip,
		       const struct hyb_diag *diag, struct pieces *pieces, uint64_t *bytes)
{
	struct piece *piece = hyb_array_room(pieces->items, &pieces->room, pieces->count, sizeof(*piece));
	struct hyb_reader *reader;
	char *path;
	int err;

	if (!piece || asprintf(&path, "%s/order-%u.hyb", process->path, thread) < 0)
		return -ENOMEM;
	pieces->items = piece;
	err = hyb_reader_open(path, process->owner, diag, &reader);
	if (!err) {
		piece = &pieces->items[pieces->count++];
		*piece = (struct piece){ .rank = (uint32_t)process->manifest.rank, .thread = thread };
		cut(piece, flip);
		err = read_stream(reader, path, process->owner, diag, &piece->order, bytes);
		hyb_reader_close(reader);
	}
	free(path);
	/* Its thread ended before it wrote anything. */
	return err == -ENODATA ? 0 : err;
}

int hyb_replay_read_main(const struct hyb_process *process, const struct hyb_diag *diag, struct hyb_replay_order *order)
{
	struct hyb_reader *reader;
	uint64_t bytes = 0;
	char *path;
	int err;

	if (asprintf(&path, "%s/order-0.hyb", process->path) < 0)
		return -ENOMEM;
	err = access(path, F_OK) ? -ENODATA : hyb_reader_open(path, process->owner, diag, &reader);
	if (!err) {
		err = read_stream(reader, path, process->owner, diag, order, &bytes);
		hyb_reader_close(reader);
	}
	free(path);
	return err;
}

/* What a thread completed of others' receives is theirs. */
static int settle(const struct pieces *pieces, size_t first)
{
	for (size_t i = first; i < pieces->count; i++) {
		const struct hyb_replay_order *order = &pieces->items[i].order;

		for (size_t k = 0; k < order->foreign_count; k++) {
			const struct hyb_replay_foreign *foreign = &order->foreign[k];
			size_t owner = first;
			int err;

			while (owner < pieces->count && pieces->items[owner].thread != foreign->thread)
				owner++;
			err = owner == pieces->count ? -EINVAL :
				hyb_replay_order_match(&pieces->items[owner].order, foreign->number, &foreign->match);
			if (err)
				return err;
		}
	}
	return 0;
}

/* N of order-N.hyb; false: it is another file. */
static bool is_order(const char *name, uint32_t *thread)
{
	int length = 0;

	return sscanf(name, "order-%" SCNu32 ".hyb%n", thread, &length) == 1 && length > 0 && !name[length];
}

static int by_thread(const void *a, const void *b)
{
	const struct piece *p = a, *q = b;

	return (p->thread > q->thread) - (p->thread < q->thread);
}

/* All order streams of a process, by thread. A thread without one made no call that matters here. */
static int read_threads(const struct hyb_process *process, const struct hyb_replay_flip *flip, const struct hyb_diag *diag,
			struct pieces *pieces, uint64_t *bytes)
{
	DIR *dir = hyb_file_directory(process->path, process->owner);
	const size_t first = pieces->count;
	struct dirent *entry;
	uint32_t thread;
	int err = 0;

	if (!dir) {
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: cannot be read: %s", process->path, strerror(errno));
		return -EIO;
	}
	while (!err && (entry = readdir(dir))) {
		if (is_order(entry->d_name, &thread))
			err = read_thread(process, thread, flip, diag, pieces, bytes);
	}
	closedir(dir);
	if (pieces->count > first)
		qsort(pieces->items + first, pieces->count - first, sizeof(*pieces->items), by_thread);
	return err;
}

static int read_turns(const struct pieces *pieces, size_t first, struct hyb_replay_turns *turns)
{
	int err = 0;

	for (size_t i = first; !err && i < pieces->count; i++)
		err = hyb_replay_turns_add(turns, pieces->items[i].thread, &pieces->items[i].order);
	return err ? err : hyb_replay_turns_settle(turns);
}

static int read_process(const struct hyb_process *process, const struct hyb_replay_flip *flip, const struct hyb_diag *diag,
			struct pieces *pieces, struct hyb_replay_summary *summary)
{
	const struct hyb_manifest *manifest = &process->manifest;
	const size_t first = pieces->count;
	const char *lost;
	int err;

	if (!hyb_manifest_get(manifest, "order", 0)) {
		hyb_diag_say(diag, HYB_SEV_ERROR,
			     "%s: was recorded without its order: record it with hybmon run --order=yes, or --order=only",
			     process->path);
		return -EINVAL;
	}
	lost = hyb_manifest_get(manifest, "order-lost", 0);
	if (lost && strcmp(lost, "-") != 0) {
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: a part of its order was lost (%s): the run cannot be replayed", process->path,
			     lost);
		return -EINVAL;
	}
	err = read_threads(process, flip, diag, pieces, &summary->bytes);
	if (err)
		return err;
	err = settle(pieces, first);
	pieces->turns[process->manifest.rank].openmp = !flip && hyb_manifest_get(manifest, "order-openmp", 0);
	pieces->turns[process->manifest.rank].clocks = hyb_manifest_get(manifest, "order-clocks", 0) != NULL;
	/* What comes after a flip may be in another order. */
	if (!err && !flip)
		err = read_turns(pieces, first, &pieces->turns[process->manifest.rank]);
	summary->crowded += pieces->count > first + 1 && !pieces->turns[process->manifest.rank].count;
	if (err == -EINVAL)
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: its order is damaged: the run cannot be replayed", process->path);
	return err;
}

static int by_rank(const void *a, const void *b)
{
	const struct hyb_process *const *p = a, *const *q = b;

	return ((*p)->manifest.rank > (*q)->manifest.rank) - ((*p)->manifest.rank < (*q)->manifest.rank);
}

/* One process for each rank from 0 on, and no more. */
static int find_ranks(const struct hyb_experiment *x, const struct hyb_diag *diag, const struct hyb_process **ranks,
		      size_t *count)
{
	size_t n = 0;

	for (size_t i = 0; i < x->count; i++) {
		if (!x->processes[i].missing && x->processes[i].manifest.rank >= 0)
			ranks[n++] = &x->processes[i];
	}
	qsort(ranks, n, sizeof(*ranks), by_rank);
	for (size_t i = 0; i < n; i++) {
		if (ranks[i]->manifest.rank != (int64_t)i || ranks[i]->manifest.ranks != ranks[0]->manifest.ranks) {
			hyb_diag_say(diag, HYB_SEV_ERROR, "%s: rank %zu is missing, or there twice: the run cannot be replayed",
				     x->path, i);
			return -EINVAL;
		}
	}
	if (!n || ranks[0]->manifest.ranks != (int64_t)n) {
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: %s: the run cannot be replayed", x->path,
			     n ? "some of its ranks are missing" : "has no ranks of MPI");
		return -EINVAL;
	}
	*count = n;
	return 0;
}

static void sum_up(const struct pieces *pieces, struct hyb_replay_summary *summary)
{
	for (uint64_t i = 0; i < summary->ranks; i++)
		summary->turns += pieces->turns[i].all;
	for (size_t i = 0; i < pieces->count; i++) {
		const struct hyb_replay_order *order = &pieces->items[i].order;

		summary->outcomes += order->outcome_count;
		for (size_t k = 0; k < order->match_count; k++) {
			summary->receives += order->matches[k].source >= 0;
			summary->open += order->matches[k].source == HYB_REPLAY_OPEN;
		}
	}
}

static bool put(FILE *to, const void *data, size_t size)
{
	return !size || fwrite(data, size, 1, to) == 1;
}

static size_t padded(size_t size)
{
	return (size + 7) / 8 * 8;
}

static bool put_padded(FILE *to, const void *data, size_t size)
{
	return put(to, data, size) && put(to, "\0\0\0\0\0\0\0", padded(size) - size);
}

/* What the tables name. */
static bool write_parts(FILE *to, const struct pieces *pieces, uint64_t ranks)
{
	bool ok = true;

	for (size_t i = 0; ok && i < pieces->count; i++) {
		const struct hyb_replay_order *order = &pieces->items[i].order;

		ok = put(to, order->matches, order->match_count * sizeof(*order->matches)) &&
		     put_padded(to, order->outcomes, order->outcome_bytes) && put_padded(to, order->calls, order->call_bytes) &&
		     put_padded(to, order->tries, order->try_bytes);
	}
	for (uint64_t i = 0; ok && i < ranks; i++)
		ok = put(to, pieces->turns[i].items, pieces->turns[i].count * sizeof(*pieces->turns[i].items));
	return ok;
}

/* Of its part, without what the tables have of it. */
static size_t size_of(const struct hyb_replay_order *order)
{
	return order->match_count * sizeof(struct hyb_replay_match) + padded(order->outcome_bytes) + padded(order->call_bytes) +
	       padded(order->try_bytes);
}

static bool write_all(FILE *to, const struct pieces *pieces, uint64_t ranks)
{
	uint64_t at = sizeof(struct hyb_replay_header) + pieces->count * sizeof(struct hyb_replay_thread) +
		      ranks * sizeof(struct hyb_replay_rank);
	struct hyb_replay_header header = {
		.magic = HYB_REPLAY_MAGIC, .version = HYB_REPLAY_VERSION, .ranks = (uint32_t)ranks, .threads = pieces->count,
		.size = at,
	};
	bool ok;

	for (size_t i = 0; i < pieces->count; i++)
		header.size += size_of(&pieces->items[i].order);
	for (uint64_t i = 0; i < ranks; i++)
		header.size += pieces->turns[i].count * sizeof(struct hyb_replay_turn);
	ok = put(to, &header, sizeof(header));
	for (size_t i = 0; ok && i < pieces->count; i++) {
		const struct piece *piece = &pieces->items[i];
		struct hyb_replay_thread thread = { .rank = piece->rank, .thread = piece->thread,
						    .identity = piece->order.identity, .matches_at = at };

		thread.matches = piece->order.match_count;
		thread.outcomes_at = at + thread.matches * sizeof(struct hyb_replay_match);
		thread.outcomes = piece->order.outcome_bytes;
		thread.calls_at = thread.outcomes_at + padded(piece->order.outcome_bytes);
		thread.calls = piece->order.call_bytes;
		thread.tries_at = thread.calls_at + padded(piece->order.call_bytes);
		thread.tries = piece->order.try_bytes;
		at = thread.tries_at + padded(piece->order.try_bytes);
		ok = put(to, &thread, sizeof(thread));
	}
	for (uint64_t i = 0; ok && i < ranks; i++) {
		const struct hyb_replay_turns *turns = &pieces->turns[i];
		const struct hyb_replay_rank rank = { .turns_at = at, .turns = turns->count, .all = turns->all,
						      .openmp = turns->openmp, .clocks = turns->clocks };

		at += turns->count * sizeof(struct hyb_replay_turn);
		ok = put(to, &rank, sizeof(rank));
	}
	return ok && write_parts(to, pieces, ranks);
}

static int write_file(const char *file, const struct hyb_diag *diag, const struct pieces *pieces, uint64_t ranks)
{
	FILE *to = fopen(file, "wxe");
	int err = to && write_all(to, pieces, ranks) ? 0 : -errno;

	if (to && fclose(to) && !err)
		err = -errno;
	if (!err)
		return 0;
	hyb_diag_say(diag, HYB_SEV_ERROR, "cannot write %s: %s", file, strerror(-err));
	if (to)
		unlink(file);
	return err;
}

int hyb_replay_prepare(const struct hyb_experiment *x, const char *file, const struct hyb_replay_flip *flip,
		       const struct hyb_diag *diag, struct hyb_replay_summary *summary)
{
	const struct hyb_process **ranks = calloc(x->count + 1, sizeof(*ranks));
	struct pieces pieces = { 0 };
	size_t count = 0;
	int err = ranks ? find_ranks(x, diag, ranks, &count) : -ENOMEM;

	if (!err) {
		pieces.turns = calloc(count, sizeof(*pieces.turns));
		err = pieces.turns ? 0 : -ENOMEM;
	}
	memset(summary, 0, sizeof(*summary));
	for (size_t i = 0; !err && i < count; i++)
		err = read_process(ranks[i], flip, diag, &pieces, summary);
	if (!err)
		err = write_file(file, diag, &pieces, count);
	if (err == -ENOMEM)
		hyb_diag_say(diag, HYB_SEV_ERROR, "%s: %s", x->path, strerror(ENOMEM));
	summary->ranks = pieces.turns ? count : 0;
	sum_up(&pieces, summary);
	for (size_t i = 0; i < pieces.count; i++)
		hyb_replay_order_free(&pieces.items[i].order);
	for (uint64_t i = 0; i < summary->ranks; i++)
		free(pieces.turns[i].items);
	free(pieces.turns);
	free(pieces.items);
	free(ranks);
	return err;
}
