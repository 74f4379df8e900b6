/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For each receive that names any source the messages it could have got; see races.h. Of each source it is the first that
 * no receive posted before it got, of those with its tag: messages do not overtake.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "containers/array.h"
#include "races/races.h"

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

struct finder {
	struct hyb_races *r;
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

/* All messages with both halves, by channel. 0 or -ENOMEM. */
static int list_messages(struct finder *f)
{
	const struct hyb_races *r = f->r;
	const uint64_t highest = highest_number(r);
	struct place { size_t track, item; } *sends = calloc(highest + 1, sizeof(*sends));

	f->messages = calloc(highest + 1, sizeof(*f->messages));
	if (!sends || !f->messages) {
		free(sends);
		return -ENOMEM;
	}
	for (size_t t = 0; t < r->track_count; t++) {
		for (size_t i = 0; i < r->tracks[t].count; i++) {
			if (r->tracks[t].items[i].what == HYB_RACE_SEND)
				sends[r->tracks[t].items[i].number] = (struct place){ t + 1, i };
		}
	}
	for (size_t t = 0; t < r->track_count; t++) {
		for (size_t i = 0; i < r->tracks[t].count; i++) {
			const struct hyb_race_item *item = &r->tracks[t].items[i];

			if (item->what != HYB_RACE_RECEIVE || !item->number || item->number > highest || !sends[item->number].track)
				continue;
			f->messages[f->count++] = (struct message){
				.track = t, .comm = item->comm, .source = item->peer, .sender = sends[item->number].track - 1,
				.send = sends[item->number].item, .receive = i, .posted = item->posted,
			};
		}
	}
	free(sends);
	if (f->count)
		qsort(f->messages, f->count, sizeof(*f->messages), by_channel);
	return 0;
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

/* The message of that channel which the receive would get; NULL: it can come from there no more, or has no such tag. */
static const struct message *candidate(const struct finder *f, struct channel *channel, const struct hyb_race_item *receive,
				       size_t index)
{
	while (channel->head < channel->end && f->messages[channel->head].posted < receive->posted)
		channel->head++;
	for (size_t i = channel->head; i < channel->end; i++) {
		const struct message *m = &f->messages[i];

		if (m->posted < receive->posted)
			continue;
		if (send_of(f, m)->knows > index)
			return NULL;
		if (receive->any_tag || send_of(f, m)->tag == receive->tag)
			return m;
	}
	return NULL;
}

static bool same_pair(const void *entry, const void *key)
{
	const struct hyb_race_pair *a = entry, *b = key;

	return a->receive == b->receive && a->send == b->send;
}

static int add_race(struct finder *f, size_t track, size_t index, const struct message *m)
{
	struct hyb_races *r = f->r;
	const struct hyb_race_pair key = {
		.receive = r->tracks[track].items[index].region, .send = send_of(f, m)->region,
	};
	const uint64_t hash = hyb_mix((uint64_t)key.receive << 32 | key.send);
	struct hyb_race *list = hyb_array_room(r->list, &r->room, r->count, sizeof(*list));
	struct hyb_race_pair *pair = hyb_table_find(&r->pairs, hash, &key);

	if (!list)
		return -ENOMEM;
	r->list = list;
	list[r->count++] = (struct hyb_race){ track, index, m->sender, m->send };
	if (!pair) {
		pair = hyb_table_add(&r->pairs, hash);
		if (!pair)
			return -ENOMEM;
		*pair = key;
	}
	pair->count++;
	return 0;
}

/* One receive, with the channels of its track. */
static int look(struct finder *f, struct channel *channels, size_t count, size_t track, size_t index)
{
	const struct hyb_race_item *receive = &f->r->tracks[track].items[index];
	struct hyb_race_site *site = hyb_table_at(&f->r->sites, receive->region);
	uint64_t others = 0;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		const struct message *m;

		if (channels[i].head == channels[i].end || f->messages[channels[i].end - 1].comm != receive->comm)
			continue;
		m = candidate(f, &channels[i], receive, index);
		if (!m || m->receive == index)
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

/* All receives of a track in the order in which they were posted. */
static int look_track(struct finder *f, struct channel *channels, size_t count, size_t track)
{
	const struct hyb_race_track *t = &f->r->tracks[track];
	size_t *order = calloc(t->count + 1, sizeof(*order));
	size_t n = 0;
	int err = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < t->count; i++) {
		if (t->items[i].what == HYB_RACE_RECEIVE && t->items[i].any_source)
			order[n++] = i;
	}
	sorted_items = t->items;
	if (n)
		qsort(order, n, sizeof(*order), by_post);
	for (size_t i = 0; i < n && !err; i++)
		err = look(f, channels, count, track, order[i]);
	free(order);
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
	hyb_table_init(&r->pairs, sizeof(struct hyb_race_pair), same_pair);
	err = hyb_races_collect(r, options);
	if (!err)
		err = hyb_races_clocks(r, SIZE_MAX, SIZE_MAX, NULL);
	if (!err)
		err = list_messages(&f);
	if (!err)
		err = list_channels(&f);
	if (!err)
		err = look_all(&f);
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
	hyb_table_free(&r->sites);
	hyb_table_free(&r->pairs);
	hyb_merge_free(&r->merge);
	free(r->collector);
}
