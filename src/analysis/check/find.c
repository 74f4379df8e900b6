/* SPDX-License-Identifier: BSD-3-Clause */
/* What is worth telling of who waits for whom, of messages and of how the recording is. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/check/check.h"
#include "reader/containers/search.h"
#include "reader/streams/printable.h"

#define CYCLES_SHOWN 4u
#define STEPS_SHOWN 10u
#define CHANNELS_SHOWN 5u
#define MISMATCHES_SHOWN 4u

/* A finding as it is written. */
struct text {
	char *text;
	size_t size;
	FILE *to;
};

static bool begin(struct text *t)
{
	t->text = NULL;
	t->to = open_memstream(&t->text, &t->size);
	return t->to != NULL;
}

static int finish(struct hyb_check *c, struct text *t, enum hyb_found what)
{
	if (fclose(t->to) || !t->text) {
		free(t->text);
		return -ENOMEM;
	}
	return hyb_check_add(c, what, t->text);
}

static void put_thread(const struct hyb_check *c, FILE *to, const struct hyb_check_thread *t)
{
	const struct hyb_check_process *p = &c->processes[t->process];

	fprintf(to, "rank %" PRIu32, c->model.processes[t->process].group);
	if (p->count > 1)
		fprintf(to, " thread %" PRIu32, t->number);
	fputs(": ", to);
	hyb_say_call(c, to, t);
	hyb_say_needs(c, to, t);
}

static struct hyb_check_thread *thread_of(const struct hyb_check *c, uint32_t node)
{
	size_t i;

	for (i = 0; i < c->thread_count; i++)
		if (c->threads[i].node == node)
			return &c->threads[i];
	return NULL;
}

static int tell_cycle(struct hyb_check *c, const uint32_t *cycle, size_t count, size_t others)
{
	const struct hyb_check_thread *t;
	struct text text;
	size_t i;
	int ret;

	if (!begin(&text))
		return -ENOMEM;
	fputs(count > 1
		      ? "deadlock: each of these waits for the next one, the last one for the first\n"
		      : "deadlock: it waits for itself\n",
	      text.to);
	for (i = 0; i < count; i++) {
		t = thread_of(c, cycle[i]);
		if (i == STEPS_SHOWN && count > STEPS_SHOWN + 1 && !c->options.all) {
			fprintf(text.to, "  ... %zu more, and at last\n", count - i - 1);
			i = count - 1;
			t = thread_of(c, cycle[i]);
		}
		fputs("  ", text.to);
		put_thread(c, text.to, t);
		fputc('\n', text.to);
	}
	if (others)
		fprintf(text.to, "  %zu more wait%s for these, directly or not\n", others,
			others == 1 ? "s" : "");
	ret = finish(c, &text, HYB_FOUND_DEADLOCK);
	for (i = 0; !ret && i < count; i++)
		ret = hyb_check_name_thread(c, thread_of(c, cycle[i]));
	return ret;
}

static int tell_more_cycles(struct hyb_check *c, size_t cycles, size_t threads)
{
	struct text text;

	if (!begin(&text))
		return -ENOMEM;
	fprintf(text.to,
		"deadlock: %zu more such cycle%s, of %zu threads in all (--all shows them)\n",
		cycles, cycles == 1 ? "" : "s", threads);
	return finish(c, &text, HYB_FOUND_DEADLOCKS);
}

static int find_cycles(struct hyb_check *c)
{
	uint32_t *cycle = calloc(c->graph.node_count + 1, sizeof(*cycle));
	size_t n, before = 0, count = 0, more = 0;
	int ret = cycle ? 0 : -ENOMEM;

	while (!ret && (n = hyb_graph_cycle(&c->graph, cycle)) != 0) {
		if (count++ < CYCLES_SHOWN || c->options.all)
			ret = tell_cycle(c, cycle, n, hyb_graph_explained(&c->graph) - before - n);
		else
			more += n;
		before = hyb_graph_explained(&c->graph);
	}
	free(cycle);
	return ret || !more ? ret : tell_more_cycles(c, count - CYCLES_SHOWN, more);
}

/* Of a need that lacks for ever, the first of those who are over; NULL: there is none. */
static const struct hyb_model_process *
over_in(const struct hyb_check *c, const struct hyb_check_thread *t, const struct hyb_need *n)
{
	const struct hyb_graph_set *set = &c->graph.sets[n->set];
	const struct hyb_model_process *p, *over = NULL;
	uint32_t i;

	for (i = 0; i < set->count; i++) {
		p = hyb_check_process_of(c, c->graph.members[set->first + i]);
		if (p == &c->model.processes[t->process] && set->count > 1)
			continue;
		if (p && hyb_check_is_over(c, p))
			over = over ? over : p;
		else if (n->one)
			return NULL;
	}
	return over;
}

/* The process that a thread waits for in vain because it is over; NULL: for none. */
static const struct hyb_model_process *waits_for_over(const struct hyb_check *c,
						      const struct hyb_check_thread *t)
{
	const struct hyb_model_process *p = NULL;
	size_t i;

	if (t->node == HYB_GRAPH_NONE || !hyb_graph_is_stuck(&c->graph, t->node))
		return NULL;
	for (i = 0; i < t->need_count && !p; i++)
		if (t->needs[i].set != HYB_GRAPH_NONE)
			p = over_in(c, t, &t->needs[i]);
	return p;
}

/* What a thread is in and waits for, NULL without memory. */
static char *state_of(const struct hyb_check *c, const struct hyb_check_thread *t)
{
	struct text text;

	if (!begin(&text))
		return NULL;
	hyb_say_call(c, text.to, t);
	hyb_say_needs(c, text.to, t);
	if (!fclose(text.to))
		return text.text;
	free(text.text);
	return NULL;
}

/* Those in the state of a thread, from it on: how many; they are none of `left` any more. */
static size_t put_alike(const struct hyb_check *c, FILE *to, size_t first, bool *left)
{
	uint32_t *places = calloc(c->thread_count, sizeof(*places));
	char *state = state_of(c, &c->threads[first]), *other;
	size_t i, n = 0;

	for (i = first; places && state && i < c->thread_count; i++) {
		other = left[i] ? state_of(c, &c->threads[i]) : NULL;
		if (other && !strcmp(state, other)) {
			left[i] = false;
			places[n++] = c->model.processes[c->threads[i].process].group;
		}
		free(other);
	}
	if (n) {
		fputs("  ", to);
		hyb_say_ranks(c, to, places, n);
		hyb_show(to, ": %s\n", state);
	}
	free(state);
	free(places);
	return n;
}

/* Those who wait for a process that is over, in one finding for each such process. */
static int tell_over(struct hyb_check *c, const struct hyb_model_process *over)
{
	bool *left = calloc(c->thread_count + 1, sizeof(*left));
	size_t i, n = 0, groups = 0;
	struct text text;
	int ret;

	if (!left || !begin(&text)) {
		free(left);
		return -ENOMEM;
	}
	for (i = 0; i < c->thread_count; i++)
		n += left[i] = waits_for_over(c, &c->threads[i]) == over;
	hyb_show(text.to, "rank %" PRIu32 " %s, and others still wait for it\n", over->group,
		 hyb_check_is_over(c, over));
	for (i = 0; i < c->thread_count && (groups < STEPS_SHOWN || c->options.all); i++) {
		if (!left[i])
			continue;
		n -= put_alike(c, text.to, i, left);
		groups++;
	}
	if (n)
		fprintf(text.to, "  ... %zu more\n", n);
	free(left);
	ret = finish(c, &text, HYB_FOUND_OVER);
	if (!ret)
		ret = hyb_check_name_rank(c, over->group);
	for (i = 0; !ret && i < c->thread_count; i++)
		if (waits_for_over(c, &c->threads[i]) == over)
			ret = hyb_check_name_thread(c, &c->threads[i]);
	return ret;
}

static int find_over(struct hyb_check *c, bool *told)
{
	const struct hyb_model_process *over;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < c->thread_count; i++) {
		over = waits_for_over(c, &c->threads[i]);
		if (!over || told[over - c->model.processes])
			continue;
		told[over - c->model.processes] = true;
		ret = tell_over(c, over);
	}
	return ret;
}

/* A message for somebody who waits for another one, and how it is another one. */
static int tell_mismatch(struct hyb_check *c, const struct hyb_check_thread *t,
			 const struct hyb_channel *channel, const char *what)
{
	char comm[128];
	struct text text;
	int ret;

	if (!begin(&text))
		return -ENOMEM;
	fprintf(text.to,
		"wrong %s: a message from rank %" PRIu32 " to rank %" PRIu32 ", tag %" PRId32
		", on %s is received by nobody\n",
		what, channel->source, channel->destination, channel->tag,
		hyb_say_comm(c, channel->comm, comm, sizeof(comm)));
	fputs("  ", text.to);
	put_thread(c, text.to, t);
	fputc('\n', text.to);
	ret = finish(c, &text, HYB_FOUND_MISMATCH);
	if (!ret)
		ret = hyb_check_name_rank(c, channel->source);
	return ret ? ret : hyb_check_name_thread(c, t);
}

/* Some receive is for such messages. */
static bool is_awaited(const struct hyb_check *c, const struct hyb_channel *channel)
{
	size_t i = HYB_SEARCH(k, c->receive_count, c->receives[k].process < channel->destination);
	const struct hyb_check_receive *r;

	for (; i < c->receive_count && c->receives[i].process == channel->destination; i++) {
		r = &c->receives[i];
		if (r->comm == channel->comm &&
		    (r->source == HYB_CHECK_ANY || r->source == channel->source) &&
		    (r->tag == HYB_ANY || r->tag == channel->tag))
			return true;
	}
	return false;
}

/* Messages that nobody waits for, beside a receive that waits in vain: two of tag, source, communicator are alike. */
static int find_mismatch(struct hyb_check *c, const struct hyb_check_thread *t,
			 const struct hyb_need *n, size_t *told)
{
	const uint32_t own = c->model.processes[t->process].group;
	size_t i = HYB_SEARCH(k, c->pending_count, c->pending[k]->destination < own);
	const struct hyb_channel *channel;
	bool comm, source, tag;

	for (; i < c->pending_count && c->pending[i]->destination == own; i++) {
		channel = c->pending[i];
		comm = channel->comm == n->comm;
		source = channel->source == n->peer || n->peer == HYB_CHECK_ANY;
		tag = channel->tag == n->tag || n->tag == HYB_ANY;
		if (comm + source + tag != 2 || is_awaited(c, channel))
			continue;
		++*told;
		return tell_mismatch(c, t, channel,
				     !tag      ? "tag"
				     : !source ? "source"
					       : "communicator");
	}
	return 0;
}

static int find_mismatches(struct hyb_check *c)
{
	const struct hyb_check_thread *t;
	size_t i, told = 0;
	int ret = 0;

	for (t = c->threads; !ret && t < c->threads + c->thread_count; t++) {
		/* Another thread of the process may be on its way to that message. */
		if (t->node == HYB_GRAPH_NONE || !hyb_graph_is_stuck(&c->graph, t->node) ||
		    c->graph.processes[c->model.processes[t->process].group].free)
			continue;
		for (i = 0; !ret && i < t->need_count; i++) {
			if (t->needs[i].kind != HYB_NEED_RECV || t->needs[i].set == HYB_GRAPH_NONE)
				continue;
			if (told < MISMATCHES_SHOWN || c->options.all)
				ret = find_mismatch(c, t, &t->needs[i], &told);
		}
	}
	return ret;
}

/* How a process ended that nobody but itself, or the system, has ended. */
static bool crashed(const struct hyb_model_process *p)
{
	static const char *const by_others[] = { "(SIGKILL)", "(SIGTERM)", "(SIGINT)", "(SIGHUP)" };
	size_t i;

	if (p->end != HYB_END_FAILED)
		return false;
	for (i = 0; i < sizeof(by_others) / sizeof(by_others[0]); i++)
		if (strstr(p->ended, by_others[i]))
			return false;
	return true;
}

static int find_ends(struct hyb_check *c, const bool *told_before)
{
	const struct hyb_check_process *s;
	const struct hyb_model_process *p;
	size_t i, told = 0;
	struct text text;
	char who[128];
	int ret = 0;

	for (i = 0; !ret && i < c->model.process_count; i++) {
		p = &c->model.processes[i];
		s = &c->processes[i];
		if (!crashed(p) || told_before[i] || (told++ >= STEPS_SHOWN && !c->options.all))
			continue;
		if (!begin(&text))
			return -ENOMEM;
		hyb_show(text.to, "%s %s\n", hyb_model_who(&c->model, p, who, sizeof(who)),
			 p->ended);
		if (s->count) {
			fputs("  ", text.to);
			hyb_say_call(c, text.to, &c->threads[s->first]);
			fputc('\n', text.to);
		}
		ret = finish(c, &text, HYB_FOUND_DIED);
		if (!ret && p->ranked)
			ret = hyb_check_name_rank(c, p->group);
	}
	return ret;
}

/* All came to their ends, and all of it is recorded: what is left over then was never received. */
static bool is_whole(const struct hyb_check *c)
{
	size_t i;

	for (i = 0; i < c->model.process_count; i++)
		if (c->model.processes[i].end != HYB_END_NORMAL || c->processes[i].gaps ||
		    c->processes[i].paused || c->processes[i].unknown || c->processes[i].errors)
			return false;
	return !(hyb_check_differing_groups(c) & HYB_GROUP_P2P) && !c->model.absent &&
	       !c->sums.unreported && !c->sums.unplaced &&
	       !c->sums.unreadable && !c->sums.lost_records && !c->model.unreadable &&
	       !c->model.comms.holes;
}

static int find_left_over(struct hyb_check *c, bool sends)
{
	const struct hyb_channel *channel;
	size_t n = 0, shown = 0;
	char comm[128];
	struct text text;
	uint32_t i;

	if (!begin(&text))
		return -ENOMEM;
	fputs(sends ? "messages that nobody received\n"
		    : "messages that were received, and of which no sending is recorded\n",
	      text.to);
	for (i = 0; i < c->tally.channels.count; i++) {
		channel = hyb_table_at(&c->tally.channels, i);
		if (sends ? channel->sends <= channel->receives
			  : channel->receives <= channel->sends)
			continue;
		n++;
		if (shown >= CHANNELS_SHOWN && !c->options.all)
			continue;
		shown++;
		fprintf(text.to,
			"  %" PRIu64 " from rank %" PRIu32 " to rank %" PRIu32 ", tag %" PRId32
			", on %s\n",
			sends ? channel->sends - channel->receives
			      : channel->receives - channel->sends,
			channel->source, channel->destination, channel->tag,
			hyb_say_comm(c, channel->comm, comm, sizeof(comm)));
	}
	if (n > shown)
		fprintf(text.to, "  ... %zu more\n", n - shown);
	if (n)
		return finish(c, &text, sends ? HYB_FOUND_UNRECEIVED : HYB_FOUND_UNSENT);
	fclose(text.to);
	free(text.text);
	return 0;
}

static int say(struct hyb_check *c, enum hyb_found what, bool holds, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static int say(struct hyb_check *c, enum hyb_found what, bool holds, const char *format, ...)
{
	struct text text;
	va_list va;

	if (!holds)
		return 0;
	if (!begin(&text))
		return -ENOMEM;
	va_start(va, format);
	hyb_show_va(text.to, format, va);
	va_end(va);
	return finish(c, &text, what);
}

static int find_losses(struct hyb_check *c)
{
	const struct hyb_check_sums *s = &c->sums;
	const struct hyb_comms *comms = &c->model.comms;
	const enum hyb_found what = HYB_FOUND_LOSS;
	uint64_t strays = 0;
	size_t i;
	int ret;

	for (i = 0; i < c->model.process_count; i++)
		strays += c->processes[i].gaps ? 0 : c->processes[i].strays;
	ret = say(c, what, s->unreadable + c->model.unreadable,
		  "%" PRIu64 " streams cannot be read\n", s->unreadable + c->model.unreadable);
	ret = ret ? ret
		  : say(c, what, s->lost_records + s->streamless,
			"%" PRIu64 " records were not recorded for want of space\n",
			s->lost_records + s->streamless);
	ret = ret ? ret
		  : say(c, what, s->corrupt_chunks, "%" PRIu64 " chunks are damaged\n",
			s->corrupt_chunks);
	ret = ret ? ret
		  : say(c, what, s->clamped,
			"%" PRIu64 " records have a time before that of the record before them\n",
			s->clamped);
	ret = ret ? ret
		  : say(c, what, s->bad_metrics, "%" PRIu64 " readings of counters are damaged, or of counters that are not defined\n",
			s->bad_metrics);
	ret = ret ? ret
		  : say(c, what, strays, "%" PRIu64 " calls have an end, but no beginning\n",
			strays);
	ret = ret ? ret
		  : say(c, what, c->model.absent, "%" PRIu32 " of the ranks left no recording\n",
			c->model.absent);
	ret = ret ? ret
		  : say(c, what, comms->unknown,
			"%" PRIu32 " communicators have members that cannot be known\n",
			comms->unknown);
	return ret ? ret
		   : say(c, what, s->unplaced,
			 "%" PRIu64
			 " messages and operations are on communicators that are not known\n",
			 s->unplaced);
}

/* Of whom it cannot be told what they had sent, received or begun. */
static int find_blurred(struct hyb_check *c)
{
	uint32_t *places = calloc(c->model.ranks + 1, sizeof(*places)), place;
	size_t n = 0;
	struct text text;
	int ret = 0;

	if (!places)
		return -ENOMEM;
	for (place = 0; place < c->model.ranks; place++)
		if (hyb_check_is_blurred(c, place))
			places[n++] = place;
	if (n && begin(&text)) {
		hyb_say_ranks(c, text.to, places, n);
		fputs(": records are missing (lost, overwritten, or recording was off), so nobody who waits for them is judged\n",
		      text.to);
		ret = finish(c, &text, HYB_FOUND_UNJUDGED);
		for (place = 0; !ret && place < n; place++)
			ret = hyb_check_name_rank(c, places[place]);
	}
	free(places);
	return ret;
}

/* Those who record the same groups of functions, and fewer than others do. */
static int tell_groups(struct hyb_check *c, uint32_t groups, uint32_t *places)
{
	const struct hyb_check_process *p = NULL;
	size_t i, n = 0;
	struct text text;
	char names[64];
	int ret;

	for (i = 0; i < c->model.process_count; i++) {
		if (!c->model.processes[i].ranked || c->processes[i].groups != groups)
			continue;
		p = &c->processes[i];
		places[n++] = c->model.processes[i].group;
	}
	if (!p)
		return 0;
	if (!begin(&text))
		return -ENOMEM;
	hyb_say_ranks(c, text.to, places, n);
	fprintf(text.to, ": MPI functions of the groups %s are not recorded there, so nobody who waits for these is judged\n",
		hyb_check_missing_groups(p, names, sizeof(names)));
	ret = finish(c, &text, HYB_FOUND_UNJUDGED);
	for (i = 0; !ret && i < n; i++)
		ret = hyb_check_name_rank(c, places[i]);
	return ret;
}

static int find_groups(struct hyb_check *c)
{
	const uint32_t differing = hyb_check_differing_groups(c);
	uint32_t *places = calloc(c->model.ranks + 1, sizeof(*places)), groups;
	int ret = places ? 0 : -ENOMEM;

	for (groups = 0; !ret && groups <= HYB_GROUP_ALL; groups++)
		if (differing & ~groups)
			ret = tell_groups(c, groups, places);
	free(places);
	return ret;
}

int hyb_check_find(struct hyb_check *c)
{
	bool *told = calloc(c->model.process_count + 1, sizeof(*told));
	bool all_normal = true;
	size_t i;
	int ret;

	for (i = 0; i < c->model.process_count; i++)
		all_normal &= c->model.processes[i].end == HYB_END_NORMAL;
	ret = told ? find_over(c, told) : -ENOMEM;
	if (!ret)
		ret = find_ends(c, told);
	free(told);
	if (!ret)
		ret = find_cycles(c);
	if (!ret)
		ret = find_mismatches(c);
	if (!ret && is_whole(c))
		ret = find_left_over(c, true);
	if (!ret && is_whole(c))
		ret = find_left_over(c, false);
	if (!ret)
		ret = find_losses(c);
	if (!ret)
		ret = hyb_check_find_kernel(c);
	if (!ret && !all_normal)
		ret = find_blurred(c);
	return ret || all_normal ? ret : find_groups(c);
}
