/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For each receive that names any source the messages it could have got; see races.h. Of each source it is the first that
 * no receive posted before it got, of those with its tag: messages do not overtake.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader/containers/array.h"
#include "analysis/races/races.h"

/* A message as its receiver sees it. */
struct message {
	size_t track; /* of the receiver */
	uint32_t comm;
	uint32_t source; /* rank */
	size_t sender;	 /* track */
	size_t send;	 /* item */
	size_t receive;
	uint64_t posted;
};

/* Messages of one source to one receiver. */
struct channel {
	size_t head; /* the first that none of the receives so far got */
	size_t end;
};

/* Receives of a track that were posted before, and whose message may be sent only after a later one has its own. */
struct earlier {
	size_t *items;
	size_t count;
};

struct place {
	size_t track; /* + 1; 0: nowhere */
	size_t item;
};

struct finder {
	struct hyb_races *r;
	struct place *sends; /* by the message's number */
	uint64_t highest;
	struct message *messages;
	size_t count;
	struct channel *channels;
	size_t channel_count;
};

static int by_channel(const void *a, const void *b)
{
	const struct message *p = a, *q = b;

	if (p->track != q->track)
		return p->track < q->track ? -1 : 1;
	if (p->comm != q->comm)
		return p->comm < q->comm ? -1 : 1;
	if (p->source != q->source)
		return p->source < q->source ? -1 : 1;
	if (p->sender != q->sender)
		return p->sender < q->sender ? -1 : 1;
	return (p->send > q->send) - (p->send < q->send);
}

static uint64_t highest_number(const struct hyb_races *r)
{
	uint64_t highest = 0;

	for (size_t t = 0; t < r->track_count; t++) {
		for (size_t i = 0; i < r->tracks[t].count; i++) {
			const struct hyb_race_item *item = &r->tracks[t].items[i];

			if (item->what == HYB_RACE_SEND && item->number > highest)
				highest = item->number;
		}
	}
	return highest;
}

static const struct hyb_race_item *sent(const struct finder *f, const struct hyb_race_item *receive)
{
	const struct place *place = receive->number <= f->highest ? &f->sends[receive->number] : NULL;

	return receive->number && place && place->track ? &f->r->tracks[place->track - 1].items[place->item] : NULL;
}

/* 0 or -ENOMEM. */
static int list_sends(struct finder *f)
{
	f->highest = highest_number(f->r);
	f->sends = calloc(f->highest + 1, sizeof(*f->sends));
	f->messages = calloc(f->highest + 1, sizeof(*f->messages));
	if (!f->sends || !f->messages)
		return -ENOMEM;
	for (size_t t = 0; t < f->r->track_count; t++) {
		for (size_t i = 0; i < f->r->tracks[t].count; i++) {
			const struct hyb_race_item *item = &f->r->tracks[t].items[i];

			if (item->what == HYB_RACE_SEND)
				f->sends[item->number] = (struct place){ t + 1, i };
		}
	}
	return 0;
}

/* All messages with both halves, by channel. */
static void list_messages(struct finder *f)
{
	for (size_t t = 0; t < f->r->track_count; t++) {
		for (size_t i = 0; i < f->r->tracks[t].count; i++) {
			const struct hyb_race_item *item = &f->r->tracks[t].items[i];

			if (item->what != HYB_RACE_RECEIVE || !sent(f, item))
				continue;
			f->messages[f->count++] = (struct message){
				.track = t, .comm = item->comm, .source = item->peer, .sender = f->sends[item->number].track - 1,
				.send = f->sends[item->number].item, .receive = i, .posted = item->posted,
			};
		}
	}
	if (f->count)
		qsort(f->messages, f->count, sizeof(*f->messages), by_channel);
}

static bool same_channel(const struct message *a, const struct message *b)
{
	return a->track == b->track && a->comm == b->comm && a->source == b->source;
}

static int list_channels(struct finder *f)
{
	f->channels = calloc(f->count + 1, sizeof(*f->channels));
	if (!f->channels)
		return -ENOMEM;
	for (size_t i = 0; i < f->count; i++) {
		if (!i || !same_channel(&f->messages[i - 1], &f->messages[i]))
			f->channels[f->channel_count++].head = i;
		f->channels[f->channel_count - 1].end = i + 1;
	}
	return 0;
}

static const struct hyb_race_item *send_of(const struct finder *f, const struct message *m)
{
	return &f->r->tracks[m->sender].items[m->send];
}

/* Whether a receive may get a message of that source and tag, by what it names. */
static bool fits(const struct hyb_race_item *receive, uint32_t source, uint32_t tag)
{
	return (receive->any_source || receive->peer == source) && (receive->any_tag || receive->tag == tag);
}

/* The message of that channel which the receive would get; NULL: it can come from there no more, or has no such tag. */
static const struct message *candidate(const struct finder *f, struct channel *channel, const struct hyb_race_item *receive)
{
	while (channel->head < channel->end && f->messages[channel->head].posted < receive->posted)
		channel->head++;
	for (size_t i = channel->head; i < channel->end; i++) {
		const struct message *m = &f->messages[i];

		if (m->posted < receive->posted)
			continue;
		if (send_of(f, m)->knows > receive->matched)
			return NULL;
		if (receive->any_tag || send_of(f, m)->tag == receive->tag)
			return m;
	}
	return NULL;
}

static int add_race(struct finder *f, size_t track, size_t index, const struct message *m)
{
	struct hyb_races *r = f->r;
	const struct hyb_race_pair key = {
		.receive = r->tracks[track].items[index].region, .send = send_of(f, m)->region,
	};
	struct hyb_race *list = hyb_array_room(r->list, &r->room, r->count, sizeof(*list));
	struct hyb_race_pair *pair = hyb_table_get(&r->pairs, &key);

	if (!list || !pair)
		return -ENOMEM;
	r->list = list;
	list[r->count++] = (struct hyb_race){ track, index, m->sender, m->send, m->source };
	pair->count++;
	return 0;
}

/*
 * Whether a receive that was posted earlier would take that message, since its own is sent only after this receive has
 * one.
 */
static bool is_taken(const struct finder *f, const struct earlier *earlier, size_t track, const struct hyb_race_item *receive,
		     const struct message *m)
{
	for (size_t i = 0; i < earlier->count; i++) {
		const struct hyb_race_item *e = &f->r->tracks[track].items[earlier->items[i]];
		const struct hyb_race_item *its = sent(f, e);

		if (its && its->knows > receive->matched && e->comm == receive->comm && fits(e, m->source, send_of(f, m)->tag))
			return true;
	}
	return false;
}

/* One receive, with the channels of its track. */
static int look(struct finder *f, const struct earlier *earlier, struct channel *channels, size_t count, size_t track, size_t index)
{
	const struct hyb_race_item *receive = &f->r->tracks[track].items[index];
	struct hyb_race_site *site = hyb_table_at(&f->r->sites, receive->region);
	uint64_t others = 0;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		const struct message *m;

		if (channels[i].head == channels[i].end || f->messages[channels[i].end - 1].comm != receive->comm)
			continue;
		m = candidate(f, &channels[i], receive);
		if (!m || m->receive == index || is_taken(f, earlier, track, receive, m))
			continue;
		others++;
		err = add_race(f, track, index, m);
	}
	site->receives++;
	site->raced += others > 0;
	site->others += others;
	f->r->receives++;
	f->r->raced += others > 0;
	return err;
}

static const struct hyb_race_item *sorted_items;

static int by_post(const void *a, const void *b)
{
	const uint64_t p = sorted_items[*(const size_t *)a].posted, q = sorted_items[*(const size_t *)b].posted;

	return (p > q) - (p < q);
}

/* The first item at which a message of a communicator and tag was received by receives that were posted later. */
struct first {
	uint32_t comm;
	uint32_t tag; /* ANY_TAG: of all tags */
	uint64_t item;
};

#define ANY_TAG UINT32_MAX

/* Takes note of one; NULL: there is no memory. */
static struct first *first_of(struct hyb_table *t, uint32_t comm, uint32_t tag, uint64_t item)
{
	const struct first key = { .comm = comm, .tag = tag };
	const uint32_t before = t->count;
	struct first *first = hyb_table_get(t, &key);

	if (first && (t->count > before || first->item >= item))
		first->item = item;
	return first;
}

/* `matched` of all receives, the last one posted first. 0 or -ENOMEM. */
static int find_matched(struct hyb_race_track *t, const size_t *order, size_t count)
{
	struct hyb_table firsts;
	bool ok = true;

	HYB_TABLE_KEYED(&firsts, struct first, tag);
	for (size_t i = count; i-- > 0 && ok;) {
		struct hyb_race_item *receive = &t->items[order[i]];
		const struct first *first = first_of(&firsts, receive->comm, receive->tag, order[i]);
		const uint64_t of_tag = first ? first->item : 0;
		const struct first *any = first ? first_of(&firsts, receive->comm, ANY_TAG, order[i]) : NULL;

		ok = any != NULL;
		/* One that names its source is no race itself: its own end will do. */
		if (ok)
			receive->matched = !receive->any_source ? order[i] : receive->any_tag ? any->item : of_tag;
	}
	hyb_table_free(&firsts);
	return ok ? 0 : -ENOMEM;
}

/* Forgets those whose message was sent before any of the later receives had one. */
static void forget(const struct finder *f, struct earlier *earlier, const struct hyb_race_track *t, uint64_t soonest)
{
	size_t kept = 0;

	for (size_t i = 0; i < earlier->count; i++) {
		const struct hyb_race_item *its = sent(f, &t->items[earlier->items[i]]);

		if (its && its->knows > soonest)
			earlier->items[kept++] = earlier->items[i];
	}
	earlier->count = kept;
}

/* All receives in the order in which they were posted. soonest: of each and those after it the least `matched`. */
static int look_in_order(struct finder *f, struct channel *channels, size_t channel_count, size_t track, const size_t *order,
			 const uint64_t *soonest, size_t count)
{
	const struct hyb_race_track *t = &f->r->tracks[track];
	struct earlier earlier = { .items = calloc(count + 1, sizeof(*earlier.items)) };
	int err = earlier.items ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++) {
		forget(f, &earlier, t, soonest[i]);
		if (t->items[order[i]].any_source)
			err = look(f, &earlier, channels, channel_count, track, order[i]);
		earlier.items[earlier.count++] = order[i];
	}
	free(earlier.items);
	return err;
}

static int look_track(struct finder *f, struct channel *channels, size_t channel_count, size_t track)
{
	struct hyb_race_track *t = &f->r->tracks[track];
	size_t *order = calloc(t->count + 1, sizeof(*order));
	uint64_t *soonest = calloc(t->count + 1, sizeof(*soonest));
	size_t n = 0;
	int err = order && soonest ? 0 : -ENOMEM;

	for (size_t i = 0; i < t->count && !err; i++) {
		if (t->items[i].what == HYB_RACE_RECEIVE)
			order[n++] = i;
	}
	sorted_items = t->items;
	if (n)
		qsort(order, n, sizeof(*order), by_post);
	if (!err)
		err = find_matched(t, order, n);
	for (size_t i = n; i-- > 0 && !err;) {
		const uint64_t own = t->items[order[i]].matched;

		soonest[i] = i + 1 < n && soonest[i + 1] < own ? soonest[i + 1] : own;
	}
	if (!err)
		err = look_in_order(f, channels, channel_count, track, order, soonest, n);
	free(order);
	free(soonest);
	return err;
}

static int look_all(struct finder *f)
{
	size_t first = 0;
	size_t end = 0;
	int err = 0;

	for (size_t t = 0; t < f->r->track_count && !err; t++) {
		while (end < f->channel_count && f->messages[f->channels[end].head].track == t)
			end++;
		err = look_track(f, f->channels + first, end - first, t);
		first = end;
	}
	return err;
}

int hyb_races_find(struct hyb_races *r, const struct hyb_races_options *options)
{
	struct finder f = { .r = r };
	int err;

	memset(r, 0, sizeof(*r));
	HYB_TABLE_KEYED(&r->pairs, struct hyb_race_pair, send);
	err = hyb_races_collect(r, options);
	if (!err)
		err = hyb_races_clocks(r, SIZE_MAX, SIZE_MAX, NULL);
	if (!err)
		err = list_sends(&f);
	if (!err) {
		list_messages(&f);
		err = list_channels(&f);
	}
	if (!err)
		err = look_all(&f);
	free(f.sends);
	free(f.messages);
	free(f.channels);
	return err;
}

void hyb_races_free(struct hyb_races *r)
{
	for (size_t i = 0; r->tracks && i < r->track_count; i++)
		free(r->tracks[i].items);
	free(r->tracks);
	free(r->list);
	free(r->other.changes);
	hyb_table_free(&r->sites);
	hyb_table_free(&r->pairs);
	hyb_merge_free(&r->merge);
}
